// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

import dev.disagg.async.WorkerThreads;
import dev.disagg.async.sim.Simulation;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/** One runnable thread at a time, and virtual time. */
record SimulatedWorld(Simulation simulation) implements World {
    private static final long MAX_STEPS = 300_000;

    @Override
    public WorkerThreads threads() {
        return simulation.threads();
    }

    @Override
    public long nanoTime() {
        return simulation.nanoTime();
    }

    @Override
    public void after(long nanos, Runnable event) {
        simulation.after(nanos, event);
    }

    @Override
    public RandomGenerator random() {
        return simulation.random();
    }

    @Override
    public void until(BooleanSupplier done) {
        simulation.run(done, MAX_STEPS);
    }

    @Override
    public void refuseThreads(int percent) {
        simulation.refuseThreads(percent);
    }
}
