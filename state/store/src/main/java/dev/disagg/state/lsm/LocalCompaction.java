// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.table.BlockCache;
import dev.disagg.ufs.UnifiedFileSystem;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** Compactions on threads of this process. */
public final class LocalCompaction implements CompactionService {
    private final UnifiedFileSystem ufs;
    private final TableReaders readers;
    private final Executor executor;

    /**
     * @param cache blocks that happen to be here are used; none are added
     * @param executor its threads wait for reads, so none of them may be needed to complete a read of the object store
     */
    public LocalCompaction(UnifiedFileSystem ufs, BlockCache cache, Executor executor) {
        this.ufs = ufs;
        this.readers = new TableReaders(ufs, cache);
        this.executor = executor;
    }

    @Override
    public CompletableFuture<CompactionResult> submit(CompactionJob job) {
        CompletableFuture<CompactionResult> result = new CompletableFuture<>();
        CompactionMerge merge = new CompactionMerge(job, ufs, readers, result::isDone);
        executor.execute(() -> {
            try {
                CompactionResult done = merge.run();
                if (!result.complete(done)) {
                    merge.discardOutputs();
                }
            } catch (RuntimeException | Error e) {
                merge.discardOutputs();
                result.completeExceptionally(ReadFailure.of(job.owner(), e));
            }
        });
        return result;
    }

    @Override
    public void close() {}
}
