// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a memtable by the hash of their prefix: chains through the rows themselves, so that neither a look-up nor a row
 * takes an object besides. Not thread-safe.
 */
final class RowTable {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final long MIX = 0x9E3779B97F4A7C15L;

    private @Nullable SlotMap[] chains = new SlotMap[64];
    private int size;

    /** The row of a prefix, null when there is none. */
    @Nullable
    SlotMap find(byte[] prefix, int length) {
        int hash = hash(prefix, length);
        for (SlotMap row = chains[hash & (chains.length - 1)]; row != null; row = row.next) {
            if (row.isRow(prefix, length, hash)) {
                return row;
            }
        }
        return null;
    }

    /** Adds a row that is not there; the prefix is the begin of {@code key}, which is kept. */
    SlotMap add(byte[] key, int length) {
        if (size == chains.length) {
            grow();
        }
        SlotMap row = new SlotMap(key, length, hash(key, length));
        link(chains, row);
        size++;
        return row;
    }

    /** Those rows, in order. */
    SlotMap[] sorted(Predicate<SlotMap> wanted) {
        SlotMap[] rows = new SlotMap[size];
        int count = 0;
        for (SlotMap chain : chains) {
            for (SlotMap row = chain; row != null; row = row.next) {
                if (wanted.test(row)) {
                    rows[count++] = row;
                }
            }
        }
        SlotMap[] chosen = count == size ? rows : Arrays.copyOf(rows, count);
        Arrays.sort(chosen);
        return chosen;
    }

    private void grow() {
        SlotMap[] larger = new SlotMap[chains.length * 2];
        for (SlotMap chain : chains) {
            SlotMap row = chain;
            while (row != null) {
                SlotMap next = row.next;
                link(larger, row);
                row = next;
            }
        }
        chains = larger;
    }

    private static void link(@Nullable SlotMap[] into, SlotMap row) {
        int at = row.hash & (into.length - 1);
        row.next = into[at];
        into[at] = row;
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
        return (int) hash;
    }

    private static long mixed(long hash) {
        long product = hash * MIX;
        return product ^ (product >>> 32);
    }

    static long longAt(byte[] bytes, int at) {
        return (long) LONGS.get(bytes, at);
    }
}
