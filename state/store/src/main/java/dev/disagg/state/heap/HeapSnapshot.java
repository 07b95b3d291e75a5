// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.heap;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import dev.disagg.state.lsm.LinkedRuns;
import dev.disagg.state.lsm.Manifest;
import dev.disagg.state.lsm.ManifestTable;
import dev.disagg.state.lsm.Memtable;
import dev.disagg.state.lsm.RunWriter;
import dev.disagg.state.lsm.TableOutput;
import dev.disagg.state.table.TableEntry;
import dev.disagg.state.table.TableOptions;
import dev.disagg.ufs.Link;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.Pack;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Writes all maps as of a freeze, or links what the last manifest has when nothing changed since. */
final class HeapSnapshot implements ByteStore.Frozen {
    /** Each table is gathered in memory before it is appended to the pack. */
    private static final long TABLE_BYTES = 8 << 20;

    private static final int CHUNK_ENTRIES = 512;
    private static final int CHUNK_BYTES = 256 << 10;

    private final HeapStore store;
    private final byte[] header;
    private final OwnerRecord before;
    private final Map<Family, Memtable.Snapshot> snapshots;
    private final LinkedRuns.Held linked;
    private final long writesHeld;
    private volatile @Nullable OwnerRecord written;

    /** @param snapshots empty when nothing changed since {@code before} */
    HeapSnapshot(
            HeapStore store,
            byte[] header,
            OwnerRecord before,
            Map<Family, Memtable.Snapshot> snapshots,
            LinkedRuns.Held linked,
            long writesHeld) {
        this.store = store;
        this.header = Manifest.header(store.range, header);
        this.before = before;
        this.snapshots = snapshots;
        this.linked = linked;
        this.writesHeld = writesHeld;
    }

    @Override
    public CompletableFuture<OwnerRecord> flush(Pack pack) {
        return CompletableFuture.supplyAsync(() -> write(pack), store.background);
    }

    private OwnerRecord write(Pack pack) {
        try {
            List<Link> links = new ArrayList<>();
            List<String> gone = List.of();
            if (!snapshots.isEmpty()) {
                gone = List.copyOf(before.links().keySet());
                snapshots.forEach((family, snapshot) -> links.addAll(write(family, snapshot, pack)));
                links.addAll(linked.links());
            }
            OwnerRecord record = before.with(links, gone, header, pack);
            written = record;
            return record;
        } finally {
            release();
        }
    }

    private List<Link> write(Family family, Memtable.Snapshot snapshot, Pack pack) {
        RunWriter run = new RunWriter(
                family,
                1,
                1,
                store.range,
                TableOptions.DEFAULTS,
                TABLE_BYTES,
                TableOutput.into(pack),
                store.tableNumbers::incrementAndGet);
        List<TableEntry> chunk = snapshot.next(CHUNK_ENTRIES, CHUNK_BYTES);
        while (!chunk.isEmpty()) {
            chunk.forEach(run::add);
            chunk = snapshot.next(CHUNK_ENTRIES, CHUNK_BYTES);
        }
        return run.finish().stream().map(ManifestTable::link).toList();
    }

    @Override
    public void sealed() {
        OwnerRecord record = written;
        if (record == null) {
            throw new IllegalStateException("sealed before it was flushed");
        }
        store.sealed(record, writesHeld);
    }

    @Override
    public void aborted() {
        release();
    }

    private void release() {
        snapshots.values().forEach(Memtable.Snapshot::close);
        linked.release();
    }
}
