// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

/**
 * Admits the fire computations of a sealed epoch, in bounded steps between other work, so that a watermark with a
 * million due timers holds up neither callbacks nor memory.
 */
@FunctionalInterface
public interface EpochScan {
    /** What a step found. */
    enum Step {
        /** More to scan: call again when it is the scan's turn. */
        MORE,
        /** Nothing left; the scan is not called again. */
        EXHAUSTED,
        /** Reads are out: call again after {@link AsyncTask#scanReady} or {@link AsyncTask#wake}. */
        WAITING
    }

    /**
     * Looks at a bounded part of the due timers and calls {@link AsyncTask#admitTo} for each key found. The leader calls
     * it, never inside a computation, never at the in-flight bound, while draining, or after failure. Scans of several
     * sealed epochs run one after the other, oldest first.
     */
    Step step();
}
