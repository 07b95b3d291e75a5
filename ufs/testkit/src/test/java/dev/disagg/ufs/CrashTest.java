// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.ufs.memory.MemoryStore;
import dev.disagg.ufs.testkit.FaultyStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A process dies at every call of a scripted history, or is taken over there and wakes up again. */
class CrashTest {
    /** Two processes one after the other, a savepoint, a pin of another job, expiry, and the sweep after each commit. */
    private static void history(ObjectStore store, ScriptedJob.Model model) {
        ScriptedJob first = new ScriptedJob(store, Retries.none(), model, "p1");
        for (int i = 0; i < 4; i++) {
            first.checkpoint(i == 1);
        }
        JobLog other = JobLog.open(store, ScriptedJob.NAME, Retries.none(), 77);
        other.pin("other-job", other.state().newest().orElseThrow().id());
        ScriptedJob second = new ScriptedJob(store, Retries.none(), model, "p2");
        for (int i = 0; i < 20; i++) {
            second.checkpoint(false);
        }
        other.unpin("other-job", 4);
        second.log.expire(List.of(2L));
        second.checkpoint(false);
        second.checkpoint(false);
    }

    @Test
    void crashOnAFileStoreKeepsEveryCommittedCheckpointAndLeavesNothingUnnamed(@TempDir Path directory)
            throws Exception {
        int calls = callsOfTheHistory();
        SplittableRandom random = new SplittableRandom(14);
        for (int run = 0; run < 8; run++) {
            int at = random.nextInt(calls);
            Path root = Files.createTempDirectory(directory, "store");
            try (ObjectStore store = ObjectStores.open(root.toString())) {
                ScriptedJob.Model model = new ScriptedJob.Model();
                FaultyStore dying = FaultyStore.crashing(store).crashAt(at, random.nextBoolean());
                assertThrows(Failed.class, () -> history(dying, model), "crash at call " + at);
                ScriptedJob.assertWhole(store, model);
                new ScriptedJob(store, Retries.none(), model, "p3").checkpoint(false);
                ScriptedJob.assertWhole(store, model);
                ScriptedJob.assertNothingUnnamed(store);
            }
        }
    }

    private static int callsOfTheHistory() {
        MemoryStore store = MemoryStore.create(() -> 0L);
        FaultyStore counted = FaultyStore.crashing(store);
        ScriptedJob.Model model = new ScriptedJob.Model();
        history(counted, model);
        ScriptedJob.assertWhole(store, model);
        ScriptedJob.assertNothingUnnamed(store);
        return counted.recorder().size();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void crashAtAnyCallKeepsEveryCommittedCheckpointAndLeavesNothingUnnamed(boolean afterEffect) {
        int calls = callsOfTheHistory();
        assertThat(calls, greaterThan(100));
        for (int at = 0; at < calls; at++) {
            MemoryStore store = MemoryStore.create(() -> 0L);
            FaultyStore dying = FaultyStore.crashing(store).crashAt(at, afterEffect);
            ScriptedJob.Model model = new ScriptedJob.Model();
            try {
                assertThrows(Failed.class, () -> history(dying, model));
                ScriptedJob.assertWhole(store, model);
                ScriptedJob recovered = new ScriptedJob(store, Retries.none(), model, "p3");
                ScriptedJob.assertWhole(store, model);
                ScriptedJob.assertNothingUnnamed(store);
                recovered.checkpoint(false);
                recovered.checkpoint(false);
                ScriptedJob.assertWhole(store, model);
                ScriptedJob.assertNothingUnnamed(store);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(
                        "crash at call " + at + (afterEffect ? " after" : " before") + " its effect: "
                                + dying.recorder().calls().get(at),
                        e);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 20})
    void zombieThatWakesAtAnyCallNeitherCommitsNorDeletes(int successorCheckpoints) {
        for (int at = 0; ; at++) {
            MemoryStore store = MemoryStore.create(() -> 0L);
            ScriptedJob.Model model = new ScriptedJob.Model();
            ScriptedJob[] successor = new ScriptedJob[1];
            FaultyStore watched = FaultyStore.crashing(store).beforeCall(at, () -> {
                successor[0] = new ScriptedJob(store, Retries.none(), model, "successor");
                for (int i = 0; i < successorCheckpoints; i++) {
                    successor[0].checkpoint(false);
                }
            });
            try {
                boolean fenced = zombieIsFenced(watched, model, successor);
                if (successor[0] == null) {
                    break; // the history has fewer calls
                }
                if (fenced) {
                    long successors = successor[0].log.state().lastCheckpointId();
                    JobLog log = JobLog.open(store, ScriptedJob.NAME, Retries.none(), 0);
                    assertThat("last checkpoint", log.state().lastCheckpointId(), is(successors));
                    assertThat(log.state().epoch(), is(successor[0].log.epoch()));
                }
                ScriptedJob.assertWhole(store, model);
                new ScriptedJob(store, Retries.none(), model, "last");
                ScriptedJob.assertWhole(store, model);
                ScriptedJob.assertNothingUnnamed(store);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(
                        "taken over before call " + at + ": "
                                + watched.recorder().calls().get(at),
                        e);
            }
        }
    }

    /** Runs the process that is taken over; one that began its epoch after the other is the successor itself. */
    private static boolean zombieIsFenced(ObjectStore store, ScriptedJob.Model model, ScriptedJob[] successor) {
        try {
            ScriptedJob zombie = new ScriptedJob(store, Retries.none(), model, "zombie");
            for (int i = 0; i < 6; i++) {
                boolean over = successor[0] != null && successor[0].log.epoch() > zombie.log.epoch();
                zombie.checkpoint(false);
                assertThat("committed after it was taken over", over, is(false));
            }
            return false;
        } catch (Fenced e) {
            return true;
        }
    }
}
