// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import org.jspecify.annotations.Nullable;

/**
 * Where a task is with a barrier: a channel that has brought it is blocked until all have, and the snapshot is taken. One
 * owner.
 */
final class Alignment {
    private final Inbound inbound;
    private final boolean[] there;
    private @Nullable Barrier barrier;
    private int missing;

    Alignment(Inbound inbound) {
        this.inbound = inbound;
        this.there = new boolean[inbound.channels()];
    }

    /** Takes a channel's barrier; returns whether that was the last one missing. */
    boolean arrived(int channel, Barrier at) {
        Barrier before = barrier;
        if (before == null || at.checkpoint() > before.checkpoint()) {
            // A newer checkpoint replaces one that was given up.
            barrier = at;
            java.util.Arrays.fill(there, false);
            missing = inbound.channels();
            inbound.unblockAll();
        } else if (at.checkpoint() < before.checkpoint()) {
            return false;
        }
        if (there[channel]) {
            return false;
        }
        there[channel] = true;
        inbound.block(channel);
        return --missing == 0;
    }

    /** Takes a barrier that comes by no channel: there is nothing to align. */
    void now(Barrier at) {
        barrier = at;
    }

    /** The barrier whose snapshot is due or being aligned. */
    @Nullable
    Barrier barrier() {
        return barrier;
    }

    /** The snapshot is taken: input opens again. */
    void done() {
        barrier = null;
        inbound.unblockAll();
    }
}
