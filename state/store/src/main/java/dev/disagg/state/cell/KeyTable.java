// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The keys in memory: open addressing with linear probing, and a dense array for the clock hand. Hashes lie beside the
 * entries, so that a probe looks into an entry only when it is (nearly always) the right one.
 */
final class KeyTable {
    private @Nullable KeyEntry[] slots = new KeyEntry[64];
    /** Of the slot's entry, see {@link #mark}; 0 when there is none. */
    private long[] marks = new long[64];

    private KeyEntry[] ring = new KeyEntry[32];
    private int size;

    @Nullable
    KeyEntry find(long hash, byte[] key) {
        long[] in = marks;
        int mask = in.length - 1;
        long wanted = mark(hash);
        for (int i = slot(hash, mask); ; i = (i + 1) & mask) {
            long mark = in[i];
            if (mark == wanted) {
                KeyEntry entry = slots[i];
                if (entry != null && (entry.key() == key || Arrays.equals(entry.key(), key))) {
                    return entry;
                }
            } else if (mark == 0) {
                return null;
            }
        }
    }

    /** Adds a key that is not there. */
    void add(KeyEntry entry) {
        if (size == ring.length) {
            ring = Arrays.copyOf(ring, size * 2);
            grow();
        }
        ring[size] = entry;
        entry.ringIndex = size++;
        insert(slots, marks, entry);
    }

    void remove(KeyEntry entry) {
        int mask = slots.length - 1;
        int hole = slot(entry.hash(), mask);
        while (slots[hole] != entry) {
            hole = (hole + 1) & mask;
        }
        // Entries behind the hole that a probe could no longer reach move up; no tombstones.
        for (int i = (hole + 1) & mask; ; i = (i + 1) & mask) {
            KeyEntry moved = slots[i];
            if (moved == null) {
                break;
            }
            int home = slot(moved.hash(), mask);
            if (((i - home) & mask) >= ((i - hole) & mask)) {
                slots[hole] = moved;
                marks[hole] = mark(moved.hash());
                hole = i;
            }
        }
        slots[hole] = null;
        marks[hole] = 0;
        KeyEntry last = ring[--size];
        ring[entry.ringIndex] = last;
        last.ringIndex = entry.ringIndex;
        entry.ringIndex = -1;
        Arrays.fill(ring, size, size + 1, null);
    }

    int size() {
        return size;
    }

    KeyEntry at(int index) {
        return ring[index];
    }

    private void grow() {
        KeyEntry[] larger = new KeyEntry[slots.length * 2];
        long[] largerMarks = new long[larger.length];
        for (int i = 0; i < size; i++) {
            insert(larger, largerMarks, ring[i]);
        }
        slots = larger;
        marks = largerMarks;
    }

    private static void insert(@Nullable KeyEntry[] into, long[] marks, KeyEntry entry) {
        int mask = into.length - 1;
        int i = slot(entry.hash(), mask);
        while (into[i] != null) {
            i = (i + 1) & mask;
        }
        into[i] = entry;
        marks[i] = mark(entry.hash());
    }

    /** The hash, but never 0. */
    private static long mark(long hash) {
        return hash == 0 ? 1 : hash;
    }

    /** A task owns a range of the hash's top bits, so the low ones tell its keys apart. */
    private static int slot(long hash, int mask) {
        return (int) hash & mask;
    }
}
