// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

/** Totals of one task. Written by the leader; others read them as they are at that moment. */
final class Counters {
    long finishedAfterWait;
    long turns;
    long leftBehind;
    long errands;
    long resumedFetches;
    long handOvers;
    long swaps;
    long boundWaits;
    long admissionStalls;
    long drains;
    long drainNanos;
    long lastDrainNanos;
    long maxDrainNanos;

    void drained(long nanos) {
        drains++;
        drainNanos += nanos;
        lastDrainNanos = nanos;
        maxDrainNanos = Math.max(maxDrainNanos, nanos);
    }

    /** What the owner says it has got done inside of a turn or a computation. */
    long ownSteps;

    /** Changes whenever the leader gets anything done, other than finishing a computation. */
    long progress() {
        return turns + ownSteps + errands + resumedFetches + handOvers + swaps;
    }
}
