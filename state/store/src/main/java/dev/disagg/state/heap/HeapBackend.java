// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.heap;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.state.SharedRuns;
import dev.disagg.state.StateBackend;
import dev.disagg.state.lsm.CursorDrain;
import dev.disagg.state.lsm.LinkedRuns;
import dev.disagg.state.lsm.ManifestTable;
import dev.disagg.state.lsm.OpenPlan;
import dev.disagg.state.lsm.StoredRuns;
import dev.disagg.state.lsm.TableReaders;
import dev.disagg.state.table.BlockCache;
import dev.disagg.ufs.UnifiedFileSystem;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * {@code --stateBackend=heap}: state in sorted maps in memory, every read answered at once, every checkpoint that follows
 * a change a whole copy. Opens checkpoints of {@code disagg} too, by reading all of them.
 */
public final class HeapBackend implements StateBackend {
    private static final long CACHE_BYTES = 16 << 20;

    private final UnifiedFileSystem ufs;
    private final Executor background;
    private final TableReaders runReaders;
    private final SharedRuns runs;

    /** @param background writes checkpoints; not a thread that completes reads of the object store */
    public HeapBackend(UnifiedFileSystem ufs, Executor background) {
        this(ufs, background, CACHE_BYTES);
    }

    /** @param cacheBytes for blocks of shared runs, which alone are read where they lie */
    public HeapBackend(UnifiedFileSystem ufs, Executor background, long cacheBytes) {
        this.ufs = ufs;
        this.background = background;
        this.runReaders = new TableReaders(ufs, new BlockCache(cacheBytes / 2, cacheBytes / 2));
        this.runs = new StoredRuns(ufs, runReaders, background);
    }

    @Override
    public String name() {
        return "heap";
    }

    @Override
    public CompletableFuture<ByteStore.Opened> open(String owner, KeyRange range, List<ByteStore.Parent> parents) {
        OpenPlan plan;
        try {
            plan = OpenPlan.of(owner, range, parents);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
        HeapStore store = new HeapStore(owner, range, ufs, background, plan, new LinkedRuns(runReaders, plan.shared()));
        BlockCache nothingKept = new BlockCache(0, 0);
        TableReaders readers = new TableReaders(ufs, nothingKept);
        return load(owner, readers, store, plan).thenApply(loaded -> new ByteStore.Opened(store, plan.headers()));
    }

    /** Reads everything that the plan names, one family after the other. */
    private static CompletableFuture<Void> load(String owner, TableReaders readers, HeapStore store, OpenPlan plan) {
        CompletableFuture<Void> loading = CompletableFuture.completedFuture(null);
        for (List<ManifestTable> ofParent : plan.sources()) {
            loading = loading.thenCompose(before -> CursorDrain.drain(
                    readers.scanAll(owner, Family.SOURCES, ofParent), entry -> store.load(Family.SOURCES, entry)));
        }
        for (Family family : Family.values()) {
            loading = loading.thenCompose(before -> CursorDrain.drain(
                    readers.scanAll(owner, family, plan.tables()), entry -> store.load(family, entry)));
        }
        return loading;
    }

    @Override
    public SharedRuns sharedRuns() {
        return runs;
    }

    @Override
    public void close() {}
}
