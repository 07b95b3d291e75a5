// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import org.jspecify.annotations.Nullable;

/**
 * Which slots open snapshots still see. Every snapshot ends an epoch; a slot that is overwritten in the epoch it was
 * written in, or while no snapshot is open, is forgotten. Guarded by its memtable's lock.
 */
final class SlotClock {
    private long epoch;
    private int open;

    /** The epoch that writes belong to. */
    long epoch() {
        return epoch;
    }

    /** What a slot written now over {@code before} has to remember. */
    @Nullable
    Slot remembered(@Nullable Slot before) {
        if (open == 0 || before == null) {
            return null;
        }
        return before.epoch == epoch ? before.older : before;
    }

    boolean anyOpen() {
        return open > 0;
    }

    /** Opens a snapshot and returns its epoch. */
    long openSnapshot() {
        open++;
        return epoch++;
    }

    void closeSnapshot() {
        open--;
    }
}
