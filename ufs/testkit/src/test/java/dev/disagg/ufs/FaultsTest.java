// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;

import dev.disagg.ufs.memory.MemoryStore;
import dev.disagg.ufs.testkit.CallRecorder;
import dev.disagg.ufs.testkit.Faults;
import dev.disagg.ufs.testkit.FaultyStore;
import dev.disagg.ufs.testkit.VirtualTime;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The same history with and without faults that retries can hide ends in the same state. */
class FaultsTest {
    private static final int ATTEMPTS = 40;

    static LongStream seeds() {
        return LongStream.range(0, 30);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void refusedLostTruncatedAndLateAnswersChangeNothing(long seed) {
        MemoryStore store = MemoryStore.create(() -> 0L);
        SplittableRandom random = new SplittableRandom(seed);
        CallRecorder recorder = new CallRecorder();
        FaultyStore faulty = new FaultyStore(store, Faults.all(0.15), random, recorder);
        Retries retries = new Retries(
                VirtualTime.immediate(), random.split(), ATTEMPTS, Duration.ofMillis(1), Duration.ofSeconds(1));
        ScriptedJob.Model model = new ScriptedJob.Model();
        for (int process = 0; process < 3; process++) {
            ScriptedJob job = new ScriptedJob(faulty, retries, model, "p" + process);
            for (int i = 0; i < 7; i++) {
                job.checkpoint(i == 3);
            }
        }
        ScriptedJob.assertWhole(store, model);
        new ScriptedJob(store, Retries.none(), model, "last");
        ScriptedJob.assertWhole(store, model);
        ScriptedJob.assertNothingUnnamed(store);
        assertThat("repeated calls", retries.repeated(), greaterThan(20L));
        assertThat(
                JobLog.open(store, ScriptedJob.NAME, Retries.none(), 0).state().lastCheckpointId(), is(21L));
    }
}
