// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

/** Whether input and scans are open, and the drain that shut them. Owned by the leader. */
final class InputGate {
    private boolean shut;
    private boolean drainRequested;
    private long drainStartNanos;

    /** The owner changed something while it was asked for input, so that there may be work although it found none. */
    boolean stirred;

    boolean isShut() {
        return shut;
    }

    boolean isDrainRequested() {
        return drainRequested;
    }

    void requestDrain(long nowNanos) {
        if (!drainRequested) {
            drainRequested = true;
            drainStartNanos = nowNanos;
        }
        shut = true;
        stirred = true;
    }

    /** Everything started has finished; returns how long that took. */
    long drained(long nowNanos) {
        drainRequested = false;
        return nowNanos - drainStartNanos;
    }

    void open() {
        shut = false;
        drainRequested = false;
        stirred = true;
    }
}
