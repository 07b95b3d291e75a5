// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.table.TableEntry;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Ascending entries of one layer, fetched piece by piece: one input of a merge. One user at a time. */
interface Source {
    /** The current entry; null when {@link #fill} is needed, or at the end. */
    @Nullable
    TableEntry head();

    /** Whether there are no more entries; meaningful while {@link #head} is null. */
    boolean ended();

    /** Moves past the current entry. */
    void pop();

    /**
     * Fetches until there is a head or the end. Complete already when memory has it. Called only when head is null and the
     * end is not reached.
     */
    CompletableFuture<Void> fill();

    void close();
}
