// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Makes {@link SharedRun}s. Thread-safe; a writer has one owner. */
public interface SharedRuns {
    /** A run whose entries come in ascending order of keys. */
    Writer inOrder();

    /** A run whose entries come in any order. Of several entries with one key, one stays: they are to be equal. */
    Writer sorting();

    /** A run being written, in bounded memory, on background threads. */
    interface Writer extends AutoCloseable {
        /**
         * Appends entries, whose arrays are kept. One call at a time: wait for its end before the next, or before {@link
         * #finish}.
         */
        CompletableFuture<Void> append(List<ByteStore.Entry> entries);

        /** Ends the run, which has at least one entry. When it completes the run is durable, and held once. */
        CompletableFuture<SharedRun> finish();

        /** Gives up what was not finished; without effect afterwards. */
        @Override
        void close();
    }
}
