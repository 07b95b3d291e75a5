// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * One process's way of keeping state: opens the tasks' stores, and owns what they share (caches, memory pool, compaction
 * threads). Thread-safe.
 */
public interface StateBackend extends AutoCloseable {
    /** The name that the option {@code --stateBackend} selects it by. */
    String name();

    /**
     * Opens the store of one task. No data moves: tables of the parents are linked and clipped to {@code range}; trees of
     * several parents stand side by side.
     *
     * @param owner a name for messages and metrics, unique among the job's tasks
     * @param parents none for a fresh store
     */
    CompletableFuture<ByteStore.Opened> open(String owner, KeyRange range, List<ByteStore.Parent> parents);

    /** Where runs are written that several tasks read. */
    SharedRuns sharedRuns();

    @Override
    void close();
}
