// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

/**
 * How many elements of each key wait, by the key's hash, 12 bytes a slot. Bounded: past the bound it only knows that it does
 * not know, until it is empty again. One owner.
 */
final class HashCounts {
    private static final int FIRST_SLOTS = 64;

    private final int mostKeys;
    private long[] hashes = new long[FIRST_SLOTS];
    /** 0 for a free slot. */
    private int[] counts = new int[FIRST_SLOTS];

    private int keys;
    private long total;
    private boolean lost;

    HashCounts(int mostKeys) {
        this.mostKeys = mostKeys;
    }

    void add(long hash) {
        total++;
        int slot = slot(hash);
        if (counts[slot] > 0) {
            counts[slot]++;
        } else if (keys == mostKeys) {
            lost = true;
        } else {
            hashes[slot] = hash;
            counts[slot] = 1;
            if (++keys > counts.length / 2) {
                grow();
            }
        }
    }

    void remove(long hash) {
        if (--total == 0) {
            clear();
            return;
        }
        int slot = slot(hash);
        if (counts[slot] > 0 && --counts[slot] == 0) {
            keys--;
            close(slot);
        }
    }

    private void clear() {
        hashes = new long[FIRST_SLOTS];
        counts = new int[FIRST_SLOTS];
        keys = 0;
        lost = false;
    }

    boolean contains(long hash) {
        return counts[slot(hash)] > 0;
    }

    /** Whether {@link #contains} may say no for a key that waits. */
    boolean isLost() {
        return lost;
    }

    private int slot(long hash) {
        int mask = counts.length - 1;
        int slot = home(hash, mask);
        while (counts[slot] > 0 && hashes[slot] != hash) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    /** The high bits say which task owns the key: the low ones differ within a task. */
    private static int home(long hash, int mask) {
        return (int) hash & mask;
    }

    /** Moves up what would not be found behind a slot that has become free. */
    private void close(int freed) {
        int mask = counts.length - 1;
        int free = freed;
        for (int at = (free + 1) & mask; counts[at] > 0; at = (at + 1) & mask) {
            int home = home(hashes[at], mask);
            if (((at - home) & mask) >= ((at - free) & mask)) {
                hashes[free] = hashes[at];
                counts[free] = counts[at];
                counts[at] = 0;
                free = at;
            }
        }
    }

    private void grow() {
        long[] oldHashes = hashes;
        int[] oldCounts = counts;
        hashes = new long[oldHashes.length * 2];
        counts = new int[oldCounts.length * 2];
        for (int i = 0; i < oldCounts.length; i++) {
            if (oldCounts[i] > 0) {
                int slot = slot(oldHashes[i]);
                hashes[slot] = oldHashes[i];
                counts[slot] = oldCounts[i];
            }
        }
    }
}
