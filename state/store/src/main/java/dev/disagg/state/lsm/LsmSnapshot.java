// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import dev.disagg.ufs.Failed;
import dev.disagg.ufs.Link;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.Pack;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A version on its way into a manifest. Its tables are linked; its frozen memtables are written into the pack, except
 * those whose background flush has begun: for these it waits. A memtable that an earlier, unsettled checkpoint has
 * written into its pack is written again, since that pack may never be sealed. All that begins when nothing comes late any
 * more.
 */
final class LsmSnapshot implements ByteStore.Late {
    private final LsmStore store;
    private final String owner;
    private final Version version;
    private final LinkedRuns.Held linked;
    private final OwnerRecord base;
    private final byte[] header;
    private final Flush flush;
    private final Executor executor;
    /** Frozen memtables that no background flush writes. */
    private final List<MemLayer> toPack = new ArrayList<>();
    /** Tables of those that one does. */
    private final List<CompletableFuture<List<TableHandle>>> background = new ArrayList<>();

    /** Memtables that are still written to; empty once complete. Leader. */
    private List<MemLayer> open;

    private final CompletableFuture<Void> complete = new CompletableFuture<>();
    private final AtomicBoolean unpinned = new AtomicBoolean();
    private volatile @Nullable Written written;

    /**
     * @param version pinned by the caller for this snapshot
     * @param linked held by the caller for it
     * @param open frozen memtables of the version that are still written to
     */
    LsmSnapshot(
            LsmStore store,
            String owner,
            Version version,
            LinkedRuns.Held linked,
            OwnerRecord base,
            byte[] header,
            Flush flush,
            Executor executor,
            List<MemLayer> open) {
        this.store = store;
        this.owner = owner;
        this.version = version;
        this.linked = linked;
        this.base = base;
        this.header = header;
        this.flush = flush;
        this.executor = executor;
        this.open = open;
        settle(version.frozen());
        if (open.isEmpty()) {
            complete.complete(null);
        }
    }

    /** Decides how memtables come into the manifest. */
    private void settle(List<MemLayer> layers) {
        for (MemLayer layer : layers) {
            CompletableFuture<List<TableHandle>> flushing = layer.backgroundFlush;
            if (layer.open) {
                continue;
            }
            if (flushing == null) {
                toPack.add(layer);
            } else {
                layer.awaited = true;
                background.add(flushing);
            }
        }
    }

    @Override
    public void put(Family family, byte[] key, byte[] value) {
        store.checkLate(family, key);
        memtable(family).put(key, value);
    }

    @Override
    public void append(Family family, byte[] key, byte[] tail) {
        store.checkLate(family, key);
        memtable(family).append(key, tail);
    }

    @Override
    public void delete(Family family, byte[] key) {
        store.checkLate(family, key);
        memtable(family).delete(key);
    }

    private Memtable memtable(Family family) {
        for (MemLayer layer : open) {
            if (layer.family == family) {
                return layer.memtable;
            }
        }
        throw new IllegalStateException("nothing of " + family + " can come late to a checkpoint of " + owner
                + (open.isEmpty() ? ", which is complete" : ""));
    }

    @Override
    public void complete() {
        if (!open.isEmpty()) {
            List<MemLayer> written = open;
            open = List.of();
            store.completed(written);
            settle(written);
            complete.complete(null);
        }
    }

    /** The store is closed before all came. */
    void storeClosed() {
        open = List.of();
        complete.completeExceptionally(new Failed("state of " + owner + " was closed before its checkpoint was whole"));
    }

    private record Written(OwnerRecord record, Map<MemLayer, List<TableHandle>> packed) {}

    @Override
    public CompletableFuture<OwnerRecord> flush(Pack pack) {
        CompletableFuture<OwnerRecord> flushed = complete.thenApplyAsync(whole -> pack(pack), executor)
                .thenCompose(packed -> CompletableFuture.allOf(background.toArray(CompletableFuture[]::new))
                        .thenApply(done -> packed))
                .thenApply(packed -> manifest(pack, packed))
                .whenComplete((record, failure) -> unpin());
        return ReadFailure.named(owner, flushed);
    }

    private Map<MemLayer, List<TableHandle>> pack(Pack pack) {
        Map<MemLayer, List<TableHandle>> packed = new LinkedHashMap<>();
        for (MemLayer layer : toPack) {
            packed.put(layer, flush.openPacked(flush.write(layer, TableOutput.into(pack))));
        }
        return packed;
    }

    private OwnerRecord manifest(Pack pack, Map<MemLayer, List<TableHandle>> packed) {
        List<TableHandle> tables = version.tables();
        packed.values().forEach(tables::addAll);
        background.forEach(flushed -> tables.addAll(flushed.join()));
        List<Link> link = new ArrayList<>();
        Set<String> unlink = new HashSet<>(base.links().keySet());
        for (TableHandle table : tables) {
            table.name();
            if (!unlink.remove(table.meta.name())) {
                link.add(table.meta.link());
            }
        }
        for (Link shared : linked.links()) {
            if (!unlink.remove(shared.name())) {
                link.add(shared);
            }
        }
        OwnerRecord record = base.with(link, unlink, header, pack);
        written = new Written(record, packed);
        return record;
    }

    @Override
    public void sealed() {
        Written done = written;
        if (done == null) {
            throw new IllegalStateException("checkpoint of " + owner + " was sealed before it was flushed");
        }
        store.sealed(done.record, done.packed);
    }

    @Override
    public void aborted() {
        unpin();
        store.aborted();
    }

    private void unpin() {
        if (unpinned.compareAndSet(false, true)) {
            version.unpin();
            linked.release();
        }
    }
}
