// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.heap;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.state.SharedRun;
import dev.disagg.state.lsm.KeyCheck;
import dev.disagg.state.lsm.LinkedRuns;
import dev.disagg.state.lsm.Memtable;
import dev.disagg.state.lsm.OpenPlan;
import dev.disagg.state.lsm.Slot;
import dev.disagg.state.lsm.SortedMemtable;
import dev.disagg.ufs.Invalid;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.UnifiedFileSystem;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** One task's state in sorted maps. Checkpoints read the maps as of their freeze, in pieces, while writes go on. */
final class HeapStore implements ByteStore {
    private final String owner;
    final KeyRange range;
    final Executor background;
    private final Map<Family, SortedMemtable> maps = new EnumMap<>(Family.class);
    private final LinkedRuns linked;
    final AtomicLong tableNumbers;
    /** Counts writes; compared to tell whether a checkpoint would store anything new. */
    private long writes;
    /** The last sealed manifest and the value of {@link #writes} that it holds. */
    private Sealed sealed;

    /** The snapshot that is still written to. */
    private @Nullable HeapSnapshot open;

    private boolean closed;

    HeapStore(
            String owner,
            KeyRange range,
            UnifiedFileSystem ufs,
            Executor background,
            OpenPlan plan,
            LinkedRuns linked) {
        this.owner = owner;
        this.range = range;
        this.background = background;
        this.linked = linked;
        this.tableNumbers = new AtomicLong(plan.lastNumber());
        for (Family family : Family.values()) {
            maps.put(family, new SortedMemtable(true));
        }
        OwnerRecord continued = plan.continued();
        this.sealed = continued == null ? new Sealed(ufs.emptyOwner(), -1) : new Sealed(continued, 0);
    }

    /** Takes an entry of the manifest that this store is opened from; of two parents' the first one stays. */
    void load(Family family, Entry entry) {
        SortedMemtable map = map(family);
        if (map.get(entry.key()) == null) {
            map.put(entry.key(), entry.value());
        }
    }

    @Override
    public void put(Family family, byte[] key, byte[] value) {
        changing(family, key).put(key, value);
    }

    @Override
    public void append(Family family, byte[] key, byte[] tail) {
        changing(family, key).append(key, tail);
    }

    @Override
    public void delete(Family family, byte[] key) {
        changing(family, key).delete(key);
    }

    private SortedMemtable changing(Family family, byte[] key) {
        checkOpen();
        KeyCheck.check(family, range, key);
        writes++;
        return map(family);
    }

    @Override
    public CompletableFuture<byte @Nullable []> get(Family family, byte[] key) {
        checkOpen();
        Slot slot = map(family).get(key);
        return CompletableFuture.completedFuture(slot == null || slot.isDelete() ? null : slot.value());
    }

    @Override
    public Cursor scan(Family family, byte[] from, byte @Nullable [] to, byte @Nullable [] rowPrefix) {
        checkOpen();
        return new HeapCursor(map(family).snapshot(from, to, rowPrefix));
    }

    @Override
    public Frozen freeze(long checkpoint, byte[] header) {
        checkOpen();
        requireComplete();
        HeapSnapshot snapshot = snapshot(header, writes != sealed.writes);
        snapshot.complete();
        return snapshot;
    }

    @Override
    public Late freezeBeforeLast(long checkpoint, byte[] header) {
        checkOpen();
        requireComplete();
        HeapSnapshot snapshot = snapshot(header, true);
        open = snapshot;
        return snapshot;
    }

    private HeapSnapshot snapshot(byte[] header, boolean changed) {
        Map<Family, Memtable.Snapshot> snapshots = new EnumMap<>(Family.class);
        if (changed) {
            maps.forEach((family, map) -> snapshots.put(family, map.snapshot(new byte[0], null, null)));
        }
        return new HeapSnapshot(this, header, sealed.record, snapshots, linked.hold(), writes);
    }

    private void requireComplete() {
        if (open != null) {
            throw new IllegalStateException(
                    "state of " + owner + " is frozen again before its last freeze is complete");
        }
    }

    void completed() {
        open = null;
    }

    @Override
    public void link(SharedRun run) {
        writes++;
        linked.link(run);
    }

    @Override
    public void unlink(String run) {
        writes++;
        linked.unlink(run);
    }

    @Override
    public Map<String, SharedRun> linked() {
        return linked.all();
    }

    /** The checkpoint that holds the first {@code writesHeld} writes is stored. */
    void sealed(OwnerRecord record, long writesHeld) {
        sealed = new Sealed(record, writesHeld);
    }

    @Override
    public long memoryBytes() {
        long bytes = 0;
        for (SortedMemtable map : maps.values()) {
            bytes += map.memoryBytes();
        }
        return bytes;
    }

    @Override
    public void close() {
        closed = true;
        if (open != null) {
            open.storeClosed(owner);
            open = null;
        }
        maps.replaceAll((family, map) -> new SortedMemtable(true));
    }

    private SortedMemtable map(Family family) {
        SortedMemtable map = maps.get(family);
        if (map == null) {
            throw new IllegalStateException("no map of " + family);
        }
        return map;
    }

    private void checkOpen() {
        if (closed) {
            throw new Invalid("store of " + owner + " is closed");
        }
    }

    private record Sealed(OwnerRecord record, long writes) {}
}
