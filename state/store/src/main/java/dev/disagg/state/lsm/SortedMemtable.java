// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.table.EntryKind;
import dev.disagg.state.table.TableEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A memtable as one sorted map: for families that are read in key order.
 *
 * <p>With {@code nothingBelow} it is the whole truth about its keys: a deleted key is removed, and an append to an absent
 * one is a put.
 */
public final class SortedMemtable implements Memtable {
    /** What a node of the map takes. */
    private static final int NODE_BYTES = 40;

    private final TreeMap<byte[], Slot> slots = new TreeMap<>(Arrays::compareUnsigned);
    private final SlotClock clock = new SlotClock();
    private final boolean nothingBelow;
    /** Keys deleted under an open snapshot, to be removed when the last one closes. */
    private final ArrayDeque<byte[]> buried = new ArrayDeque<>();

    private long memoryBytes;

    public SortedMemtable(boolean nothingBelow) {
        this.nothingBelow = nothingBelow;
    }

    @Override
    public synchronized void put(byte[] key, byte[] value) {
        slots.compute(
                key,
                (ignored, before) -> account(
                        before, Slot.put(Slot.kept(before, key), value, clock.epoch(), clock.remembered(before))));
    }

    @Override
    public synchronized void append(byte[] key, byte[] tail) {
        slots.compute(key, (ignored, before) -> {
            Slot remembered = clock.remembered(before);
            return account(
                    before,
                    before == null && nothingBelow
                            ? Slot.put(Slot.kept(before, key), tail, clock.epoch(), remembered)
                            : Slot.append(Slot.kept(before, key), before, tail, clock.epoch(), remembered));
        });
    }

    @Override
    public synchronized void delete(byte[] key) {
        if (nothingBelow) {
            if (!slots.containsKey(key)) {
                return;
            }
            if (!clock.anyOpen()) {
                remove(key);
                return;
            }
            buried.add(key);
        }
        slots.compute(
                key,
                (ignored, before) ->
                        account(before, Slot.delete(Slot.kept(before, key), clock.epoch(), clock.remembered(before))));
    }

    private Slot account(@Nullable Slot before, Slot after) {
        memoryBytes += after.memoryBytes() - (before == null ? -after.key.length - NODE_BYTES : before.memoryBytes());
        return after;
    }

    private void remove(byte[] key) {
        Slot gone = slots.remove(key);
        if (gone != null) {
            memoryBytes -= gone.memoryBytes() + key.length + NODE_BYTES;
        }
    }

    @Override
    public synchronized @Nullable Slot get(byte[] key) {
        return slots.get(key);
    }

    @Override
    public synchronized long memoryBytes() {
        return memoryBytes;
    }

    @Override
    public synchronized int entries() {
        return slots.size();
    }

    @Override
    public synchronized Snapshot snapshot(byte[] from, byte @Nullable [] to, byte @Nullable [] rowPrefix) {
        return new SortedSnapshot(from, to, clock.openSnapshot());
    }

    private synchronized void closeSnapshot() {
        clock.closeSnapshot();
        if (!clock.anyOpen()) {
            for (byte[] key = buried.poll(); key != null; key = buried.poll()) {
                Slot slot = slots.get(key);
                if (slot != null && slot.kind == EntryKind.DELETE) {
                    remove(key);
                }
            }
        }
    }

    private synchronized List<TableEntry> read(
            byte[] from, boolean inclusive, byte @Nullable [] to, long epoch, int maxEntries, int maxBytes) {
        NavigableMap<byte[], Slot> range =
                to == null ? slots.tailMap(from, inclusive) : slots.subMap(from, inclusive, to, false);
        List<TableEntry> ops = new ArrayList<>();
        long bytes = 0;
        for (Map.Entry<byte[], Slot> entry : range.entrySet()) {
            Slot slot = entry.getValue().asOf(epoch);
            if (slot == null || (nothingBelow && slot.kind == EntryKind.DELETE)) {
                continue;
            }
            ops.add(new TableEntry(entry.getKey(), slot.kind, slot.value()));
            bytes += entry.getKey().length + slot.length();
            if (ops.size() >= maxEntries || bytes >= maxBytes) {
                break;
            }
        }
        return ops;
    }

    private final class SortedSnapshot implements Snapshot {
        private byte[] position;
        private boolean inclusive = true;
        private final byte @Nullable [] to;
        private final long epoch;
        private boolean closed;

        SortedSnapshot(byte[] from, byte @Nullable [] to, long epoch) {
            this.position = from;
            this.to = to;
            this.epoch = epoch;
        }

        @Override
        public List<TableEntry> next(int maxEntries, int maxBytes) {
            if (closed || (to != null && Arrays.compareUnsigned(position, to) >= 0)) {
                return List.of();
            }
            List<TableEntry> ops = read(position, inclusive, to, epoch, maxEntries, maxBytes);
            if (!ops.isEmpty()) {
                position = ops.get(ops.size() - 1).key();
                inclusive = false;
            }
            return ops;
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                closeSnapshot();
            }
        }
    }
}
