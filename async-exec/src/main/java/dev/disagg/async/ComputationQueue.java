// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import org.jspecify.annotations.Nullable;

/** First in, first out, linked through the computations themselves; one owner. */
final class ComputationQueue {
    private @Nullable Computation first;
    private @Nullable Computation last;
    private int size;

    void add(Computation computation) {
        if (last == null) {
            first = computation;
        } else {
            last.next = computation;
        }
        last = computation;
        size++;
    }

    @Nullable Computation poll() {
        Computation taken = first;
        if (taken != null) {
            first = taken.next;
            if (first == null) {
                last = null;
            }
            taken.next = null;
            size--;
        }
        return taken;
    }

    boolean isEmpty() {
        return first == null;
    }

    int size() {
        return size;
    }
}
