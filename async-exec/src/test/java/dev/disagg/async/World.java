// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import java.util.random.RandomGenerator;

/** Threads, time and chance for a keyed program: simulated or real. */
interface World {
    WorkerThreads threads();

    long nanoTime();

    /** Runs it on a thread outside of the task. */
    void after(long nanos, Runnable event);

    /** For the leader, and before the start. */
    RandomGenerator random();
}
