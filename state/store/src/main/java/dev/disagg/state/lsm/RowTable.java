// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a memtable by the hash of their prefix: open addressing, the hashes in an array of their own, since most
 * look-ups are of rows that are not there. At most half of the slots is in use. Not thread-safe.
 */
final class RowTable {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final long MIX = 0x9E3779B97F4A7C15L;

    /** 0 is an empty slot. */
    private int[] hashes = new int[64];

    private @Nullable SlotMap[] rows = new SlotMap[64];
    private int size;

    /** The row of a prefix, null when there is none. */
    @Nullable
    SlotMap find(byte[] prefix, int length) {
        int hash = hash(prefix, length);
        int mask = hashes.length - 1;
        for (int i = hash & mask; hashes[i] != 0; i = (i + 1) & mask) {
            SlotMap row = rows[i];
            if (hashes[i] == hash && row != null && row.isRow(prefix, length)) {
                return row;
            }
        }
        return null;
    }

    /** Adds a row that is not there; the prefix is the begin of {@code key}, which is kept. */
    SlotMap add(byte[] key, int length) {
        if (2 * size == rows.length) {
            grow();
        }
        SlotMap row = new SlotMap(key, length);
        insert(hash(key, length), row);
        size++;
        return row;
    }

    /** Those rows, in order. */
    SlotMap[] sorted(Predicate<SlotMap> wanted) {
        SlotMap[] chosen = new SlotMap[size];
        int count = 0;
        for (SlotMap row : rows) {
            if (row != null && wanted.test(row)) {
                chosen[count++] = row;
            }
        }
        Arrays.sort(chosen, 0, count);
        return count == size ? chosen : Arrays.copyOf(chosen, count);
    }

    private void grow() {
        int[] oldHashes = hashes;
        SlotMap[] oldRows = rows;
        hashes = new int[oldHashes.length * 2];
        rows = new SlotMap[hashes.length];
        for (int i = 0; i < oldRows.length; i++) {
            SlotMap row = oldRows[i];
            if (row != null) {
                insert(oldHashes[i], row);
            }
        }
    }

    private void insert(int hash, SlotMap row) {
        int mask = hashes.length - 1;
        int i = hash & mask;
        while (hashes[i] != 0) {
            i = (i + 1) & mask;
        }
        hashes[i] = hash;
        rows[i] = row;
    }

    private static int hash(byte[] prefix, int length) {
        long hash = length;
        int at = 0;
        for (; at + Long.BYTES <= length; at += Long.BYTES) {
            hash = mixed(hash ^ longAt(prefix, at));
        }
        for (; at < length; at++) {
            hash = mixed(hash ^ prefix[at]);
        }
        return (int) hash == 0 ? 1 : (int) hash;
    }

    private static long mixed(long hash) {
        long product = hash * MIX;
        return product ^ (product >>> 32);
    }

    static long longAt(byte[] bytes, int at) {
        return (long) LONGS.get(bytes, at);
    }
}
