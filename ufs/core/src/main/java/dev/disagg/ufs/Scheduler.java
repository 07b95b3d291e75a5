// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

/**
 * The only source of delays in this module, so that a test can replace time. Thread-safe.
 *
 * <p>{@link SystemThreads#scheduler} is the real one.
 */
public interface Scheduler {
    /** A monotonic time, in nanoseconds from an arbitrary origin. */
    long nanoTime();

    /** Runs {@code task} once, at least {@code delayNanos} from now, on a thread of the scheduler; it must not block. */
    void schedule(long delayNanos, Runnable task);
}
