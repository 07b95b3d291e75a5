// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;

import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The random programs of {@link SimulatedProgramTest} on real threads: platform ones, virtual ones where they exist. */
@Timeout(120)
class RealThreadsTest {
    private static final int PROGRAMS = 150;
    private static final Long ONE_SEED = Long.getLong("async.seed");

    private long handOvers;

    @Test
    void everyKeySeesWhatASequentialRunSeesOnPlatformThreads() throws Exception {
        runPrograms(WorkerThreads.platform());
    }

    @Test
    void everyKeySeesWhatASequentialRunSeesOnVirtualThreadsWhereTheyExist() throws Exception {
        runPrograms(WorkerThreads.virtualIfAvailable());
    }

    private void runPrograms(WorkerThreads threads) throws Exception {
        ScheduledExecutorService outside = Executors.newScheduledThreadPool(2);
        try {
            for (long seed = ONE_SEED == null ? 1 : ONE_SEED;
                    seed <= (ONE_SEED == null ? PROGRAMS : ONE_SEED);
                    seed++) {
                runProgram(seed, threads, outside);
            }
        } finally {
            outside.shutdownNow();
        }
        assertThat("hand-overs", handOvers, greaterThan(ONE_SEED == null ? (long) PROGRAMS : -1L));
    }

    private void runProgram(long seed, WorkerThreads threads, ScheduledExecutorService outside) throws Exception {
        KeyedProgram program = new KeyedProgram(seed);
        KeyedTask keyed = new KeyedTask(program, new RealWorld(threads, outside, new SplittableRandom(seed)));
        String which = "seed " + seed + " (not exactly replayable: real threads), ";
        keyed.task.start();
        keyed.task.terminated().handle((done, failure) -> done).get(60, TimeUnit.SECONDS);
        assertThat(which + "failures", keyed.failures, empty());
        for (KeyedTask.Key key : keyed.keys) {
            assertThat(which + "key " + key.key, key.state(), equalTo(program.stateAtEnd.get(key.key)));
        }
        assertThat(which + "derived", keyed.derivedDone, equalTo(keyed.derivedAdmitted));
        assertThat(which + "stopped", keyed.workersStopped, equalTo(keyed.workersStarted));
        handOvers += keyed.task.metrics().handOvers();
    }

    private record RealWorld(WorkerThreads threads, ScheduledExecutorService outside, RandomGenerator random)
            implements World {
        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public void after(long nanos, Runnable event) {
            outside.schedule(event, nanos * 20, TimeUnit.NANOSECONDS);
        }
    }
}
