// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.lessThanOrEqualTo;

import dev.disagg.async.sim.Simulation;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/**
 * Random keyed programs against a sequential reference, in the simulation. To replay one:
 * {@code mvn -pl async-exec test -Dtest=SimulatedProgramTest -Dasync.seed=SEED}.
 */
class SimulatedProgramTest {
    private static final int PROGRAMS = Integer.getInteger("async.programs", 10_000);
    private static final Long ONE_SEED = Long.getLong("async.seed");
    private static final long MAX_STEPS = 500_000;

    private long handOvers;
    private long drains;
    private long swaps;
    private long boundWaits;
    private long refused;
    private long errands;

    @Test
    void everyKeySeesWhatASequentialRunSees() {
        if (ONE_SEED != null) {
            runProgram(ONE_SEED);
            return;
        }
        for (long seed = 1; seed <= PROGRAMS; seed++) {
            try {
                runProgram(seed);
            } catch (Throwable t) {
                throw new AssertionError(
                        "program " + seed + " failed; replay: mvn -pl async-exec test"
                                + " -Dtest=SimulatedProgramTest -Dasync.seed=" + seed,
                        t);
            }
        }
        assertThat("hand-overs", handOvers, greaterThan((long) PROGRAMS));
        assertThat("drains", drains, greaterThan(PROGRAMS / 2L));
        assertThat("swaps", swaps, greaterThan(PROGRAMS / 10L));
        assertThat("waits at the bound", boundWaits, greaterThan(PROGRAMS / 10L));
        assertThat("errands", errands, greaterThan(PROGRAMS / 10L));
        assertThat("refused threads", refused, greaterThan(PROGRAMS / 10L));
    }

    @Test
    void theSameSeedGivesTheSameRun() {
        for (long seed = 1; seed <= 20; seed++) {
            assertThat("steps of seed " + seed, runProgram(seed), equalTo(runProgram(seed)));
        }
    }

    private long runProgram(long seed) {
        KeyedProgram program = new KeyedProgram(seed);
        try (Simulation simulation = Simulation.unruly(seed)) {
            KeyedTask keyed = new KeyedTask(program, new SimulatedWorld(simulation));
            keyed.task.start();
            simulation.refuseThreads(program.refusePercent);
            simulation.run(() -> keyed.task.terminated().isDone(), MAX_STEPS);
            assertThat("failures", keyed.failures, empty());
            for (KeyedTask.Key key : keyed.keys) {
                assertThat("key " + key.key, key.log, equalTo(program.expected.get(key.key)));
                assertThat("key " + key.key, key.state(), equalTo(program.stateAtEnd.get(key.key)));
            }
            assertThat("derived", keyed.derivedDone, equalTo(keyed.derivedAdmitted));
            assertThat("last watermark", keyed.lastReleased().time(), equalTo(Long.MAX_VALUE));
            assertThat("stopped", keyed.workersStopped, equalTo(keyed.workersStarted));
            assertThat("threads", keyed.workersStarted, lessThanOrEqualTo(program.maxParked + 1));
            simulation.run(() -> simulation.liveThreads() == 0, MAX_STEPS);
            AsyncMetrics metrics = keyed.task.metrics();
            assertThat("in flight", metrics.inFlight(), equalTo(0));
            assertThat("weight", metrics.inFlightBytes(), equalTo(0L));
            assertThat("blocked", metrics.blocked(), equalTo(0));
            assertThat("parked", metrics.parked(), equalTo(0));
            handOvers += metrics.handOvers();
            drains += metrics.drains();
            swaps += metrics.swaps();
            boundWaits += metrics.boundWaits();
            errands += metrics.errands();
            refused += metrics.threadStartFailures();
            return simulation.steps();
        }
    }

    record SimulatedWorld(Simulation simulation) implements World {
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
    }
}
