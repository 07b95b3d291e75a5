// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.greaterThan;

import dev.disagg.async.WorkerThreads;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The programs of {@link SimulatedJobsTest} on real threads: platform ones, virtual ones where they exist. */
@Timeout(240)
class RealThreadsJobsTest {
    private static final int PROGRAMS = Integer.getInteger("disagg.sim.real", 60);

    private long handOvers;

    @Test
    void everyKeySeesWhatASequentialRunSeesOnPlatformThreads() {
        run(WorkerThreads.platform());
    }

    @Test
    void everyKeySeesWhatASequentialRunSeesOnVirtualThreadsWhereTheyExist() {
        run(WorkerThreads.virtualIfAvailable());
    }

    private void run(WorkerThreads threads) {
        ScheduledExecutorService outside = Executors.newScheduledThreadPool(2);
        try {
            for (Variant variant : Variant.values()) {
                for (long seed = 1; seed <= PROGRAMS; seed++) {
                    run(new JobProgram(seed, variant), threads, outside);
                }
            }
        } finally {
            outside.shutdownNow();
        }
        assertThat("hand-overs", handOvers, greaterThan((long) PROGRAMS));
    }

    private void run(JobProgram program, WorkerThreads threads, ScheduledExecutorService outside) {
        try {
            JobRun run = new JobRun(program, new RealWorld(threads, outside, program.seed));
            run.run();
            Expected.check(run);
            handOvers += run.handOvers;
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(
                    "program " + program.seed + " failed (not exactly replayable: real threads): " + program, e);
        }
    }
}
