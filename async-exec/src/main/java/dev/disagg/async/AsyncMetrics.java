// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

/**
 * Figures of one task at one moment. Each is exact when the task is at rest; while it runs, one may be a step ahead of
 * another.
 *
 * @param inFlight computations admitted and not finished
 * @param inFlightBytes their weight
 * @param blocked of these, waiting for their key
 * @param fetching of these, waiting for reads that {@link Computation#prepare} started
 * @param parked of these, waiting inside their body
 * @param callbacksWaiting of these, with their state there and not yet served
 * @param epochsOpen epochs not released, including the OPEN one
 * @param workers threads that run or wait for this task
 * @param finished computations finished, in total
 * @param inline of these, finished without any wait for state
 * @param resumedFetches computations that went on after their reads arrived
 * @param handOvers times that a body handed the leadership over
 * @param swaps of these, at the parked bound, straight to another parked computation
 * @param boundWaits times that a body had to hold the task because nobody could take the leadership
 * @param errands times that a worker led for another one's errand
 * @param threadStartFailures worker and watch threads that could not be started
 * @param leftBehind workers that were left behind in user code that does not return
 * @param admissionStalls times that input was held at the in-flight bound
 * @param drains drains finished
 * @param drainNanos time from request to end, summed over drains, in nanoseconds
 * @param lastDrainNanos of the last drain
 * @param maxDrainNanos of the longest drain
 */
public record AsyncMetrics(
        int inFlight,
        long inFlightBytes,
        int blocked,
        int fetching,
        int parked,
        int callbacksWaiting,
        int epochsOpen,
        int workers,
        long finished,
        long inline,
        long resumedFetches,
        long handOvers,
        long swaps,
        long boundWaits,
        long errands,
        long threadStartFailures,
        long leftBehind,
        long admissionStalls,
        long drains,
        long drainNanos,
        long lastDrainNanos,
        long maxDrainNanos) {
    /** The share of finished computations that found all their state resident, from 0 to 1; 1 when none has finished. */
    public double inlineRatio() {
        return finished == 0 ? 1 : (double) inline / finished;
    }
}
