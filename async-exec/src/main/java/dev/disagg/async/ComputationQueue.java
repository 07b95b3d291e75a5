// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * First in, first out; one owner. A ring and not a list linked through the computations: the inline path then writes two
 * references per computation instead of five, which is what the garbage collector's barriers charge for. Grows to the
 * most that was ever queued, which the in-flight bound and the derived work limit, and stays there.
 */
final class ComputationQueue {
    private static final int INITIAL_CAPACITY = 64;

    private @Nullable Computation[] ring = new @Nullable Computation[INITIAL_CAPACITY];
    /** Positions since the start; the index into the ring is the low bits. */
    private int head;

    private int tail;

    void add(Computation computation) {
        if (tail - head == ring.length) {
            grow();
        }
        ring[tail++ & ring.length - 1] = computation;
    }

    @Nullable
    Computation poll() {
        if (head == tail) {
            return null;
        }
        int index = head++ & ring.length - 1;
        Computation taken = ring[index];
        ring[index] = null;
        return taken;
    }

    boolean isEmpty() {
        return head == tail;
    }

    int size() {
        return tail - head;
    }

    private void grow() {
        int size = ring.length;
        int first = head & size - 1;
        @Nullable Computation[] grown = Arrays.copyOf(ring, size * 2);
        System.arraycopy(ring, first, grown, 0, size - first);
        System.arraycopy(ring, 0, grown, size - first, first);
        Arrays.fill(grown, size, grown.length, null);
        ring = grown;
        head = 0;
        tail = size;
    }
}
