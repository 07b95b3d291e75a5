// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.ByteStore;
import dev.disagg.state.table.TableEntry;
import dev.disagg.ufs.Invalid;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The memtable of {@link dev.disagg.state.Family#ROWS}: rows by hash, since point reads dominate; sorted only when a
 * flush or a scan over several rows asks for it. No row prefix is the start of another (their lengths are in them), so
 * the order of prefixes, then of keys within a row, is the order of keys.
 */
final class RowMemtable implements Memtable {
    /** Hash map node, row key, slot map and its two arrays. */
    private static final int ROW_OVERHEAD_BYTES = 176;

    private final Map<RowKey, SlotMap> rows = new HashMap<>();
    private final SlotClock clock = new SlotClock();
    private long memoryBytes;
    private int entries;

    @Override
    public synchronized void put(byte[] key, byte[] value) {
        SlotMap row = row(key);
        Slot before = row.get(key);
        replace(row, key, before, Slot.put(value, clock.epoch(), clock.remembered(before)));
    }

    @Override
    public synchronized void append(byte[] key, byte[] tail) {
        SlotMap row = row(key);
        Slot before = row.get(key);
        replace(row, key, before, Slot.append(before, tail, clock.epoch(), clock.remembered(before)));
    }

    @Override
    public synchronized void delete(byte[] key) {
        SlotMap row = row(key);
        Slot before = row.get(key);
        replace(row, key, before, Slot.delete(clock.epoch(), clock.remembered(before)));
    }

    private SlotMap row(byte[] key) {
        RowKey rowKey = RowKey.of(key);
        SlotMap row = rows.get(rowKey);
        if (row == null) {
            row = new SlotMap();
            rows.put(rowKey, row);
            memoryBytes += ROW_OVERHEAD_BYTES;
        }
        return row;
    }

    private void replace(SlotMap row, byte[] key, @Nullable Slot before, Slot after) {
        row.put(key, after);
        memoryBytes += after.memoryBytes();
        if (before == null) {
            memoryBytes += key.length;
            entries++;
        } else {
            memoryBytes -= before.memoryBytes();
        }
    }

    @Override
    public synchronized @Nullable Slot get(byte[] key) {
        SlotMap row = rows.get(RowKey.of(key));
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
        List<Map.Entry<RowKey, SlotMap>> in = new ArrayList<>();
        long epoch;
        synchronized (this) {
            epoch = clock.openSnapshot();
            if (rowPrefix != null) {
                RowKey rowKey = RowKey.ofPrefix(rowPrefix);
                SlotMap row = rows.get(rowKey);
                if (row != null) {
                    in.add(Map.entry(rowKey, row));
                }
            } else {
                for (Map.Entry<RowKey, SlotMap> row : rows.entrySet()) {
                    if (row.getKey().mayHoldKeysOf(from, to)) {
                        in.add(Map.entry(row.getKey(), row.getValue()));
                    }
                }
            }
        }
        in.sort(Map.Entry.comparingByKey());
        return new RowSnapshot(in, from, to, epoch);
    }

    private synchronized boolean visit(SlotMap row, byte[] from, boolean inclusive, SlotMap.Visitor visitor) {
        return row.visit(from, inclusive, visitor);
    }

    private synchronized void closeSnapshot() {
        clock.closeSnapshot();
    }

    private final class RowSnapshot implements Snapshot {
        private final List<Map.Entry<RowKey, SlotMap>> in;
        private final byte @Nullable [] to;
        private final long epoch;
        private int row;
        private byte[] position;
        private boolean inclusive = true;
        private boolean closed;

        RowSnapshot(List<Map.Entry<RowKey, SlotMap>> in, byte[] from, byte @Nullable [] to, long epoch) {
            this.in = in;
            this.position = from;
            this.to = to;
            this.epoch = epoch;
        }

        @Override
        public List<TableEntry> next(int maxEntries, int maxBytes) {
            List<TableEntry> ops = new ArrayList<>();
            long[] bytes = {0};
            while (!closed && row < in.size()) {
                boolean whole = visit(in.get(row).getValue(), position, inclusive, (key, newest) -> {
                    if (to != null && Arrays.compareUnsigned(key, to) >= 0) {
                        row = in.size();
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

    /** A row prefix, as the first bytes of one of the row's keys. */
    private record RowKey(byte[] key, int length, int hash) implements Comparable<RowKey> {
        static RowKey of(byte[] key) {
            return of(key, prefixLength(key));
        }

        static RowKey ofPrefix(byte[] prefix) {
            return of(prefix, prefix.length);
        }

        private static RowKey of(byte[] key, int length) {
            int hash = 0;
            for (int i = 0; i < length; i++) {
                hash = hash * 31 + key[i];
            }
            return new RowKey(key, length, hash ^ (hash >>> 15));
        }

        private static int prefixLength(byte[] key) {
            int length = -1;
            if (key.length >= 10) {
                int keyLength = ((key[8] & 0xff) << 8) | (key[9] & 0xff);
                length = key.length >= 20 + keyLength ? ByteStore.rowPrefixLength(key) : -1;
            }
            if (length < 0 || length > key.length) {
                throw new Invalid(
                        "not a key of the rows family: " + HexFormat.of().formatHex(key)
                                + " has no whole row prefix; build it as [hash 8][key len 2][key][window end 8][window len"
                                + " 2][window]...");
            }
            return length;
        }

        boolean mayHoldKeysOf(byte[] from, byte @Nullable [] to) {
            if (to != null && Arrays.compareUnsigned(key, 0, length, to, 0, to.length) >= 0) {
                return false;
            }
            int common = Math.min(length, from.length);
            return Arrays.compareUnsigned(key, 0, common, from, 0, common) >= 0;
        }

        @Override
        public int compareTo(RowKey other) {
            return Arrays.compareUnsigned(key, 0, length, other.key, 0, other.length);
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof RowKey that
                    && hash == that.hash
                    && Arrays.equals(key, 0, length, that.key, 0, that.length);
        }
    }
}
