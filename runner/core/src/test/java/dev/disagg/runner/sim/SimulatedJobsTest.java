// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;

import dev.disagg.async.sim.Simulation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random keyed programs as Beam DoFns in whole tasks, in the simulation, against a sequential model. {@code ./dev sim SEED}
 * replays one.
 */
class SimulatedJobsTest {
    private static final Long ONE_SEED = Long.getLong("disagg.sim.seed");
    private static final int PROGRAMS = Integer.getInteger("disagg.sim.programs", 1700);
    private static final long MAX_STEPS = 10_000;

    private long handOvers;
    private long restores;

    @ParameterizedTest
    @EnumSource
    void everyKeySeesWhatASequentialRunSees(Variant variant) {
        if (ONE_SEED != null) {
            run(ONE_SEED, variant);
            return;
        }
        for (long seed = 1; seed <= PROGRAMS; seed++) {
            run(seed, variant);
        }
        assertThat("hand-overs", handOvers, greaterThan((long) PROGRAMS));
        assertThat("restores", restores, greaterThan(PROGRAMS / 5L));
    }

    @Test
    void theSameSeedGivesTheSameRun() {
        for (Variant variant : Variant.values()) {
            for (long seed = 1; seed <= 10; seed++) {
                assertThat("steps of seed " + seed, run(seed, variant), equalTo(run(seed, variant)));
            }
        }
    }

    private long run(long seed, Variant variant) {
        JobProgram program = new JobProgram(seed, variant);
        try (Simulation simulation = Simulation.unruly(seed)) {
            JobRun run = new JobRun(program, new SimulatedWorld(simulation));
            run.run();
            simulation.run(() -> simulation.liveThreads() == 0, MAX_STEPS);
            Expected.check(run);
            handOvers += run.handOvers;
            restores += run.restores;
            return simulation.steps();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(
                    "program " + seed + " failed, replay: ./dev sim " + seed + " (" + program + ")", e);
        }
    }
}
