// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import static java.util.Objects.requireNonNull;

import java.util.function.LongSupplier;

/**
 * The bounds of one task and what it takes from outside.
 *
 * @param maxInFlight computations admitted and not finished at which no input is taken; derived work ignores it
 * @param maxInFlightBytes sum of {@link Computation#weightBytes()} at which no input is taken
 * @param maxParked threads that may wait inside computations; the task has at most one thread more. 0: none may, a
 *     waiting computation holds the task
 * @param maxOpenEpochs epochs not released at which {@link AsyncTask#canSeal()} turns false, at least 2
 * @param threads where worker threads come from
 * @param nanoClock elapsed time in nanoseconds, as {@code System::nanoTime}
 * @param handOver whether a computation that waits hands its leadership over; false: it holds the task while it waits
 * @param watchdogNanos how long a leader may stand still inside user code before {@link Duty#stuck} tells of it, or, when
 *     it waits for a lock that a parked computation holds, the task fails; 0 turns the watchdog off, whatever {@code
 *     maxBodyNanos} is. On virtual threads, where it is not known who holds a lock, longer than user code may rightly wait
 *     for one
 * @param lockRemedy what to advise when it does, for example which option to set
 * @param maxBodyNanos how long a leader may stand still inside user code before the task fails and its thread is
 *     interrupted and, if that does not help, left behind; 0: never
 * @param watch who looks for that; shared between tasks, so that they need one thread together
 */
public record AsyncOptions(
        int maxInFlight,
        long maxInFlightBytes,
        int maxParked,
        int maxOpenEpochs,
        WorkerThreads threads,
        LongSupplier nanoClock,
        boolean handOver,
        long watchdogNanos,
        String lockRemedy,
        long maxBodyNanos,
        Watch watch) {
    private static final int DEFAULT_MAX_IN_FLIGHT = 6000;
    private static final long DEFAULT_MAX_IN_FLIGHT_BYTES = 64L << 20;
    private static final int DEFAULT_MAX_PARKED = 256;
    private static final int DEFAULT_MAX_OPEN_EPOCHS = 1024;
    private static final long DEFAULT_WATCHDOG_NANOS = 60_000_000_000L;
    private static final long DEFAULT_MAX_BODY_NANOS = 600_000_000_000L;

    /** Checks the bounds. */
    public AsyncOptions {
        requireNonNull(threads, "threads is null");
        requireNonNull(nanoClock, "nanoClock is null");
        requireNonNull(lockRemedy, "lockRemedy is null");
        requireNonNull(watch, "watch is null");
        requireAtLeast(1, maxInFlight, "maxInFlight");
        requireAtLeast(1, maxInFlightBytes, "maxInFlightBytes");
        requireAtLeast(0, maxParked, "maxParked");
        requireAtLeast(2, maxOpenEpochs, "maxOpenEpochs");
        requireAtLeast(0, watchdogNanos, "watchdogNanos");
        requireAtLeast(0, maxBodyNanos, "maxBodyNanos");
    }

    /**
     * The default bounds: 6000 in flight, 64 MiB, 256 parked, 1024 epochs, hand-over on, watchdog at 60 s, bodies of at
     * most 10 min, and a watch of its own.
     */
    public static AsyncOptions defaults(WorkerThreads threads, LongSupplier nanoClock) {
        return new AsyncOptions(
                DEFAULT_MAX_IN_FLIGHT,
                DEFAULT_MAX_IN_FLIGHT_BYTES,
                DEFAULT_MAX_PARKED,
                DEFAULT_MAX_OPEN_EPOCHS,
                threads,
                nanoClock,
                true,
                DEFAULT_WATCHDOG_NANOS,
                "run the step with hand-over off",
                DEFAULT_MAX_BODY_NANOS,
                new Watch(threads, nanoClock));
    }

    /** These options with another in-flight bound. */
    public AsyncOptions withMaxInFlight(int newMaxInFlight) {
        return new AsyncOptions(
                newMaxInFlight,
                maxInFlightBytes,
                maxParked,
                maxOpenEpochs,
                threads,
                nanoClock,
                handOver,
                watchdogNanos,
                lockRemedy,
                maxBodyNanos,
                watch);
    }

    /** These options with another bound on bytes in flight. */
    public AsyncOptions withMaxInFlightBytes(long newMaxInFlightBytes) {
        return new AsyncOptions(
                maxInFlight,
                newMaxInFlightBytes,
                maxParked,
                maxOpenEpochs,
                threads,
                nanoClock,
                handOver,
                watchdogNanos,
                lockRemedy,
                maxBodyNanos,
                watch);
    }

    /** These options with another bound on parked computations. */
    public AsyncOptions withMaxParked(int newMaxParked) {
        return new AsyncOptions(
                maxInFlight,
                maxInFlightBytes,
                newMaxParked,
                maxOpenEpochs,
                threads,
                nanoClock,
                handOver,
                watchdogNanos,
                lockRemedy,
                maxBodyNanos,
                watch);
    }

    /** These options with another bound on epochs. */
    public AsyncOptions withMaxOpenEpochs(int newMaxOpenEpochs) {
        return new AsyncOptions(
                maxInFlight,
                maxInFlightBytes,
                maxParked,
                newMaxOpenEpochs,
                threads,
                nanoClock,
                handOver,
                watchdogNanos,
                lockRemedy,
                maxBodyNanos,
                watch);
    }

    /** These options with hand-over on or off. */
    public AsyncOptions withHandOver(boolean newHandOver) {
        return new AsyncOptions(
                maxInFlight,
                maxInFlightBytes,
                maxParked,
                maxOpenEpochs,
                threads,
                nanoClock,
                newHandOver,
                watchdogNanos,
                lockRemedy,
                maxBodyNanos,
                watch);
    }

    /** These options with another patience of the watchdog (0: off) and its advice. */
    public AsyncOptions withWatchdog(long newWatchdogNanos, String newLockRemedy) {
        return new AsyncOptions(
                maxInFlight,
                maxInFlightBytes,
                maxParked,
                maxOpenEpochs,
                threads,
                nanoClock,
                handOver,
                newWatchdogNanos,
                newLockRemedy,
                maxBodyNanos,
                watch);
    }

    /** These options with another limit on the time that the leader may spend inside one computation; 0: none. */
    public AsyncOptions withMaxBody(long newMaxBodyNanos) {
        return new AsyncOptions(
                maxInFlight,
                maxInFlightBytes,
                maxParked,
                maxOpenEpochs,
                threads,
                nanoClock,
                handOver,
                watchdogNanos,
                lockRemedy,
                newMaxBodyNanos,
                watch);
    }

    /** These options with a watch that other tasks have too. */
    public AsyncOptions withWatch(Watch newWatch) {
        return new AsyncOptions(
                maxInFlight,
                maxInFlightBytes,
                maxParked,
                maxOpenEpochs,
                threads,
                nanoClock,
                handOver,
                watchdogNanos,
                lockRemedy,
                maxBodyNanos,
                newWatch);
    }

    private static void requireAtLeast(long least, long value, String name) {
        if (value < least) {
            throw new IllegalArgumentException(name + " is " + value + "; it must be at least " + least);
        }
    }
}
