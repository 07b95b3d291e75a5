// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import java.io.IOException;

/** Reads one split of a source. One owner. */
interface SplitReader extends AutoCloseable {
    /** Hands over at most {@code most} records; returns how many. 0 means that there is nothing now. */
    int read(int most, Receiver to) throws IOException;

    /** No later record is on time before this; {@link Frontier#MAX} at the end. */
    long watermarkMillis();

    /** Whether nothing will ever come. */
    boolean isDone();

    /** Ends an endless split here: nothing more is read. A split that ends by itself is read to its end. */
    default void drain() {}

    /** Where reading is, for a checkpoint; the reader that is opened there goes on with the next record. */
    Position position() throws IOException;

    /** What to do to the outside once the checkpoint that contains a position is committed. */
    interface Committed {
        void run() throws IOException;
    }

    /** @param whenCommitted told to the source after the checkpoint is durable */
    record Position(byte[] stored, Committed whenCommitted) {
        static Position of(byte[] stored) {
            return new Position(stored, () -> {});
        }
    }

    @Override
    void close() throws IOException;
}
