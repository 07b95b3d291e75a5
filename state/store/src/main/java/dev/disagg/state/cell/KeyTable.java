// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The keys in memory: open addressing with linear probing, and a dense array for the clock hand. At most a quarter of the
 * slots is in use: a probe that looks at the wrong entry misses the processor's caches, and costs more than the slots. (Hashes
 * in an array beside the entries were slower: one more line for every look-up that finds something.)
 */
final class KeyTable {
    private @Nullable KeyEntry[] slots = new KeyEntry[128];
    private KeyEntry[] ring = new KeyEntry[32];
    private int size;

    @Nullable
    KeyEntry find(long hash, byte[] key) {
        int mask = slots.length - 1;
        for (int i = slot(hash, mask); ; i = (i + 1) & mask) {
            KeyEntry entry = slots[i];
            if (entry == null) {
                return null;
            }
            if (entry.hash() == hash && (entry.key() == key || Arrays.equals(entry.key(), key))) {
                return entry;
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
        insert(slots, entry);
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
                hole = i;
            }
        }
        slots[hole] = null;
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
        for (int i = 0; i < size; i++) {
            insert(larger, ring[i]);
        }
        slots = larger;
    }

    private static void insert(@Nullable KeyEntry[] into, KeyEntry entry) {
        int mask = into.length - 1;
        int i = slot(entry.hash(), mask);
        while (into[i] != null) {
            i = (i + 1) & mask;
        }
        into[i] = entry;
    }

    /** A task owns a range of the hash's top bits, so the low ones tell its keys apart. */
    private static int slot(long hash, int mask) {
        return (int) hash & mask;
    }
}
