// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.ByteStore;
import dev.disagg.state.table.TableEntry;
import dev.disagg.ufs.Invalid;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The memtable of {@link dev.disagg.state.Family#ROWS}: rows by hash, since point reads dominate; sorted only when a
 * flush or a scan over several rows asks for it. No row prefix is the start of another (their lengths are in them), so
 * the order of prefixes, then of keys within a row, is the order of keys.
 */
final class RowMemtable implements Memtable {
    /** A row, its array, and its place in the table. */
    private static final int ROW_OVERHEAD_BYTES = 96;
    /** What every row prefix has, whatever the key and the window. */
    private static final int LEAST_PREFIX_BYTES = 20;

    private final RowTable rows = new RowTable();
    private final SlotClock clock = new SlotClock();
    private long memoryBytes;
    private int entries;

    @Override
    public synchronized void put(byte[] key, byte[] value) {
        SlotMap row = row(key);
        Slot before = row.get(key);
        replace(row, before, Slot.put(Slot.kept(before, key), value, clock.epoch(), clock.remembered(before)));
    }

    @Override
    public synchronized void append(byte[] key, byte[] tail) {
        SlotMap row = row(key);
        Slot before = row.get(key);
        replace(
                row,
                before,
                Slot.append(Slot.kept(before, key), before, tail, clock.epoch(), clock.remembered(before)));
    }

    @Override
    public synchronized void delete(byte[] key) {
        SlotMap row = row(key);
        Slot before = row.get(key);
        replace(row, before, Slot.delete(Slot.kept(before, key), clock.epoch(), clock.remembered(before)));
    }

    private SlotMap row(byte[] key) {
        int length = prefixLength(key);
        SlotMap row = rows.find(key, length);
        if (row == null) {
            row = rows.add(key, length);
            memoryBytes += ROW_OVERHEAD_BYTES;
        }
        return row;
    }

    private void replace(SlotMap row, @Nullable Slot before, Slot after) {
        row.put(after);
        memoryBytes += after.memoryBytes();
        if (before == null) {
            memoryBytes += after.key.length;
            entries++;
        } else {
            memoryBytes -= before.memoryBytes();
        }
    }

    @Override
    public synchronized @Nullable Slot get(byte[] key) {
        SlotMap row = rows.find(key, prefixLength(key));
        return row == null ? null : row.get(key);
    }

    @Override
    public synchronized long memoryBytes() {
        return memoryBytes;
    }

    @Override
    public synchronized int entries() {
        return entries;
    }

    @Override
    public Snapshot snapshot(byte[] from, byte @Nullable [] to, byte @Nullable [] rowPrefix) {
        if (rowPrefix != null) {
            return rowSnapshot(from, to, rowPrefix);
        }
        SlotMap[] in;
        long epoch;
        synchronized (this) {
            epoch = clock.openSnapshot();
            in = rows.sorted(row -> row.mayHoldKeysOf(from, to));
        }
        return new RowSnapshot(in, from, to, epoch);
    }

    /** A row that is not there has nothing that later writes could hide. */
    private synchronized Snapshot rowSnapshot(byte[] from, byte @Nullable [] to, byte[] rowPrefix) {
        SlotMap row = rowPrefix.length < LEAST_PREFIX_BYTES ? null : rows.find(rowPrefix, rowPrefix.length);
        return row == null ? Snapshot.NOTHING : new RowSnapshot(new SlotMap[] {row}, from, to, clock.openSnapshot());
    }

    private synchronized boolean visit(SlotMap row, byte[] from, boolean inclusive, SlotMap.Visitor visitor) {
        return row.visit(from, inclusive, visitor);
    }

    private synchronized void closeSnapshot() {
        clock.closeSnapshot();
    }

    private final class RowSnapshot implements Snapshot {
        private final SlotMap[] in;
        private final byte @Nullable [] to;
        private final long epoch;
        private int row;
        private byte[] position;
        private boolean inclusive = true;
        private boolean closed;

        RowSnapshot(SlotMap[] in, byte[] from, byte @Nullable [] to, long epoch) {
            this.in = in;
            this.position = from;
            this.to = to;
            this.epoch = epoch;
        }

        @Override
        public List<TableEntry> next(int maxEntries, int maxBytes) {
            List<TableEntry> ops = new ArrayList<>();
            long[] bytes = {0};
            while (!closed && row < in.length) {
                boolean whole = visit(in[row], position, inclusive, newest -> {
                    byte[] key = newest.key;
                    if (to != null && Arrays.compareUnsigned(key, to) >= 0) {
                        row = in.length;
                        return false;
                    }
                    Slot slot = newest.asOf(epoch);
                    if (slot == null) {
                        return true;
                    }
                    ops.add(new TableEntry(key, slot.kind, slot.value()));
                    bytes[0] += key.length + slot.length();
                    return ops.size() < maxEntries && bytes[0] < maxBytes;
                });
                if (!ops.isEmpty()) {
                    position = ops.get(ops.size() - 1).key();
                    inclusive = false;
                }
                if (!whole) {
                    break;
                }
                row++;
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

    private static int prefixLength(byte[] key) {
        int length = -1;
        if (key.length >= 10) {
            int keyLength = ((key[8] & 0xff) << 8) | (key[9] & 0xff);
            length = key.length >= LEAST_PREFIX_BYTES + keyLength ? ByteStore.rowPrefixLength(key) : -1;
        }
        if (length < 0 || length > key.length) {
            throw new Invalid("not a key of the rows family: "
                    + HexFormat.of().formatHex(key)
                    + " has no whole row prefix; build it as [hash 8][key len 2][key][window end 8][window len"
                    + " 2][window]...");
        }
        return length;
    }
}
