// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.state.SharedRuns;
import dev.disagg.state.StateBackend;
import dev.disagg.state.table.BlockCache;
import dev.disagg.ufs.UnifiedFileSystem;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * {@code --stateBackend=disagg}: state in log-structured merge trees whose tables live on the object store. Owns the block
 * cache and the memory pool of its stores; the executors stay their owner's.
 */
public final class LsmBackend implements StateBackend {
    private final BlockCache cache;
    private final LsmShared shared;
    private final SharedRuns runs;

    /**
     * Flushes and compactions on one executor.
     *
     * @param background at least two threads, so that a flush does not stand behind a compaction; they wait for reads, so
     *     none of them may be needed to complete a read of the object store
     */
    public LsmBackend(UnifiedFileSystem ufs, LsmOptions options, Executor background) {
        this(ufs, options, background, cache -> new LocalCompaction(ufs, cache, background));
    }

    /**
     * @param flushes runs flushes and the writing of checkpoints
     * @param compactions makes the compaction service, which this backend closes, around the block cache
     */
    public LsmBackend(
            UnifiedFileSystem ufs,
            LsmOptions options,
            Executor flushes,
            Function<BlockCache, CompactionService> compactions) {
        this.cache = new BlockCache(options.dataCacheBytes(), options.tailCacheBytes());
        this.shared = new LsmShared(
                ufs,
                options,
                new TableReaders(ufs, cache),
                new MemoryPool(options.memtableBytes()),
                flushes,
                compactions.apply(cache));
        this.runs = new StoredRuns(ufs, shared.readers(), flushes);
    }

    @Override
    public String name() {
        return "disagg";
    }

    @Override
    public CompletableFuture<ByteStore.Opened> open(String owner, KeyRange range, List<ByteStore.Parent> parents) {
        OpenPlan plan;
        LsmStore store;
        try {
            plan = OpenPlan.of(owner, range, parents);
            store = new LsmStore(owner, range, shared, plan);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
        CompletableFuture<Void> loading = CompletableFuture.completedFuture(null);
        for (List<ManifestTable> ofParent : plan.sources()) {
            loading = loading.thenCompose(before ->
                    CursorDrain.drain(shared.readers().scanAll(owner, Family.SOURCES, ofParent), store::loadSource));
        }
        return loading.thenApply(loaded -> new ByteStore.Opened(store, plan.headers()));
    }

    @Override
    public SharedRuns sharedRuns() {
        return runs;
    }

    /** What the block cache did, for metrics. */
    public BlockCache.Stats cacheStats() {
        return cache.stats();
    }

    /** Memory of all memtables now, active and frozen. */
    public long memtableBytes() {
        return shared.pool().usedBytes();
    }

    @Override
    public void close() {
        shared.compactions().close();
        cache.close();
    }
}
