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
import dev.disagg.state.table.EntryKind;
import dev.disagg.state.table.TableEntry;
import dev.disagg.state.table.TableOptions;
import dev.disagg.ufs.Failed;
import dev.disagg.ufs.Link;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.Pack;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Writes all maps as of a freeze, or links what the last manifest has when nothing changed since. */
final class HeapSnapshot implements ByteStore.Late {
    /** Each table is gathered in memory before it is appended to the pack. */
    private static final long TABLE_BYTES = 8 << 20;

    private static final int CHUNK_ENTRIES = 512;
    private static final int CHUNK_BYTES = 256 << 10;

    private final HeapStore store;
    private final byte[] header;
    private final OwnerRecord before;
    private final Map<Family, Memtable.Snapshot> snapshots;
    private final LinkedRuns.Held linked;
    private long writesHeld;
    /** What came late, over the snapshots. */
    private final Map<Family, TreeMap<byte[], Lately>> late = new EnumMap<>(Family.class);

    private final CompletableFuture<Void> complete = new CompletableFuture<>();
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
        return complete.thenApplyAsync(whole -> write(pack), store.background);
    }

    @Override
    public void put(Family family, byte[] key, byte[] value) {
        store.put(family, key, value);
        note(family, key, false, value);
    }

    @Override
    public void append(Family family, byte[] key, byte[] tail) {
        store.append(family, key, tail);
        note(family, key, true, tail);
    }

    @Override
    public void delete(Family family, byte[] key) {
        store.delete(family, key);
        note(family, key, false, null);
    }

    private void note(Family family, byte[] key, boolean appended, byte @Nullable [] value) {
        if (complete.isDone()) {
            throw new IllegalStateException("a write comes late to a checkpoint that is complete");
        }
        writesHeld++;
        late.computeIfAbsent(family, of -> new TreeMap<>(Arrays::compareUnsigned))
                .merge(key, new Lately(appended, value), Lately::then);
    }

    @Override
    public void complete() {
        if (complete.complete(null)) {
            store.completed();
        }
    }

    void storeClosed(String owner) {
        complete.completeExceptionally(new Failed("state of " + owner + " was closed before its checkpoint was whole"));
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
        NavigableMap<byte[], Lately> over = late.getOrDefault(family, new TreeMap<>(Arrays::compareUnsigned));
        List<TableEntry> chunk = snapshot.next(CHUNK_ENTRIES, CHUNK_BYTES);
        while (!chunk.isEmpty()) {
            for (TableEntry entry : chunk) {
                for (Map.Entry<byte[], Lately> before = over.firstEntry();
                        before != null && Arrays.compareUnsigned(before.getKey(), entry.key()) < 0;
                        before = over.firstEntry()) {
                    add(run, before.getKey(), before.getValue().value());
                    over.remove(before.getKey());
                }
                Lately lately = over.remove(entry.key());
                add(run, entry.key(), lately == null ? entry.value() : lately.over(entry.value()));
            }
            chunk = snapshot.next(CHUNK_ENTRIES, CHUNK_BYTES);
        }
        over.forEach((key, lately) -> add(run, key, lately.value()));
        return run.finish().stream().map(ManifestTable::link).toList();
    }

    private static void add(RunWriter run, byte[] key, byte @Nullable [] value) {
        if (value != null) {
            run.add(new TableEntry(key, EntryKind.PUT, value));
        }
    }

    /**
     * What late writes made of a key.
     *
     * @param appended to what the snapshot has, which it replaces otherwise
     * @param value null when deleted
     */
    private record Lately(boolean appended, byte @Nullable [] value) {
        Lately then(Lately next) {
            return next.appended ? new Lately(appended, concat(value, next.value)) : next;
        }

        byte @Nullable [] over(byte[] base) {
            return appended ? concat(base, value) : value;
        }

        private static byte @Nullable [] concat(byte @Nullable [] base, byte @Nullable [] tail) {
            if (base == null || tail == null) {
                return base == null ? tail : base;
            }
            byte[] all = Arrays.copyOf(base, Math.addExact(base.length, tail.length));
            System.arraycopy(tail, 0, all, base.length, tail.length);
            return all;
        }
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
