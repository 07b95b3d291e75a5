// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

/** Totals of one task. Written by the leader; others read them as they are at that moment. */
final class Counters {
    long finishedAfterWait;
    long resumedFetches;
    long handOvers;
    long swaps;
    long boundWaits;
    long admissionStalls;
    long drains;
    long drainNanos;

    /** Changes whenever the leader gets anything done, other than finishing a computation. */
    long progress() {
        return resumedFetches + handOvers + swaps;
    }
}
