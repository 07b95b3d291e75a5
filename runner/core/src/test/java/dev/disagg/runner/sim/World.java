// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

import dev.disagg.async.WorkerThreads;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/** Threads, time and chance of a run. */
interface World {
    WorkerThreads threads();

    long nanoTime();

    /** Runs this later, on a thread that is none of the tasks'. */
    void after(long nanos, Runnable event);

    RandomGenerator random();

    /** Lets things happen until this holds; a failure when it never does. */
    void until(BooleanSupplier done);

    /** From now on this share of thread starts fails. */
    void refuseThreads(int percent);
}
