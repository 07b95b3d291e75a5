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
 * @param threadStartFailures worker threads that could not be started
 * @param admissionStalls times that input was held at the in-flight bound
 * @param drains drains finished
 * @param drainNanos time from request to end, summed over drains, in nanoseconds
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
        long threadStartFailures,
        long admissionStalls,
        long drains,
        long drainNanos) {}
