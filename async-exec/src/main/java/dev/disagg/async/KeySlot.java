// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import org.jspecify.annotations.Nullable;

/**
 * The accounting of one key: whether it is busy, and the computations that wait for it in the order they were admitted.
 *
 * <p>The caller keeps one slot per live key next to whatever else it caches for the key (or in a subclass of it), so
 * that an element costs one look-up. A slot may be dropped whenever {@link #isBusy()} is false. Fields belong to the
 * leader of the task.
 */
public class KeySlot {
    boolean busy;

    @Nullable
    Computation firstWaiting;

    @Nullable
    Computation lastWaiting;

    /** A free slot. */
    public KeySlot() {}

    /** Whether a computation of this key is started or queued: running, fetching, parked, or admitted and not run yet. */
    public final boolean isBusy() {
        return busy;
    }

    /** Whether computations wait behind the one that has the key. */
    public final boolean hasWaiting() {
        return firstWaiting != null;
    }

    final void append(Computation computation) {
        if (lastWaiting == null) {
            firstWaiting = computation;
        } else {
            lastWaiting.next = computation;
        }
        lastWaiting = computation;
    }

    final void prepend(Computation computation) {
        computation.next = firstWaiting;
        firstWaiting = computation;
        if (lastWaiting == null) {
            lastWaiting = computation;
        }
    }

    final @Nullable Computation takeWaiting() {
        Computation taken = firstWaiting;
        if (taken != null) {
            firstWaiting = taken.next;
            if (firstWaiting == null) {
                lastWaiting = null;
            }
            taken.next = null;
        }
        return taken;
    }
}
