// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.anyOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.hasSize;

import dev.disagg.async.SimulatedProgramTest.SimulatedWorld;
import dev.disagg.async.sim.Simulation;
import org.junit.jupiter.api.Test;

/** Random programs that fail, or are closed, at a random moment: always told once, always to the end, no thread left. */
class SimulatedFailureTest {
    private static final int PROGRAMS = 400;
    private static final Long ONE_SEED = Long.getLong("async.seed");
    private static final long MAX_STEPS = 500_000;

    private int abandonedWhileParked;

    @Test
    void aTaskThatFailsOrIsClosedEndsAllItsThreads() {
        for (long seed = ONE_SEED == null ? 1 : ONE_SEED; seed <= (ONE_SEED == null ? PROGRAMS : ONE_SEED); seed++) {
            try {
                runProgram(seed);
            } catch (Throwable t) {
                throw new AssertionError(
                        "program " + seed + " failed; replay: mvn -pl async-exec test"
                                + " -Dtest=SimulatedFailureTest -Dasync.seed=" + seed,
                        t);
            }
        }
        assertThat("parked at the end", abandonedWhileParked, greaterThan(ONE_SEED == null ? PROGRAMS / 10 : -1));
    }

    private void runProgram(long seed) {
        KeyedProgram program = new KeyedProgram(seed);
        try (Simulation simulation = Simulation.unruly(seed)) {
            KeyedTask keyed = new KeyedTask(program, new SimulatedWorld(simulation));
            boolean closes = seed % 4 == 0;
            boolean failsFromOutside = seed % 4 == 1;
            boolean failsReading = seed % 4 == 2;
            int at = 1 + simulation.random().nextInt(program.items.size());
            if (failsReading) {
                keyed.failAtRead = at;
            } else if (!closes && !failsFromOutside) {
                keyed.failAtBody = at;
            }
            keyed.task.start();
            simulation.run(
                    () -> (failsReading ? keyed.reads : keyed.bodies) >= at
                            || keyed.task.terminated().isDone(),
                    MAX_STEPS);
            if (closes) {
                keyed.task.close();
            } else if (failsFromOutside) {
                keyed.task.fail(new IllegalStateException("as the test wants it"));
            }
            if (keyed.task.metrics().parked() > 0) {
                abandonedWhileParked++;
            }
            simulation.run(() -> keyed.task.terminated().isDone(), MAX_STEPS);
            simulation.run(() -> simulation.liveThreads() == 0, MAX_STEPS);
            if (closes) {
                assertThat("told", keyed.failures, empty());
                assertThat("ended by failure", keyed.task.terminated().isCompletedExceptionally(), equalTo(false));
            } else if (keyed.task.terminated().isCompletedExceptionally()) {
                assertThat("told", keyed.failures, hasSize(1));
                String message = keyed.failures.get(0).getMessage();
                assertThat(message, containsString("as the test wants it"));
                assertThat(
                        message,
                        anyOf(
                                containsString("of key "),
                                equalTo("task program: failed: "
                                        + "java.lang.IllegalStateException: as the test wants it")));
            } else {
                assertThat("told", keyed.failures, empty());
            }
            assertThat("stopped", keyed.workersStopped, equalTo(keyed.workersStarted));
        }
    }
}
