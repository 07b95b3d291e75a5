// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.not;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** User code that does not return, in the simulation: named, then failed, then left behind. */
class StuckTest {
    private static final long PATIENCE_NANOS = 60_000_000_000L;
    private static final long LIMIT_NANOS = 600_000_000_000L;

    private static Script script(long seed) {
        return Script.unruly(seed, StuckTest::watched);
    }

    private static AsyncOptions watched(AsyncOptions options) {
        return options.withWatchdog(PATIENCE_NANOS, "use --synchronousTransforms=Mine")
                .withMaxBody(LIMIT_NANOS);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void aBodyThatNeverReturnsIsNamedThenFailsTheTaskAndIsLeftBehind(long seed) {
        boolean[] released = new boolean[1];
        Thread[] stuck = new Thread[1];
        try (Script script = script(seed)) {
            for (int key = 0; key < 3; key++) {
                script.input(() -> script.task.admit(new KeySlot(), script.resident("parks", () -> {
                    try {
                        script.task.await(new CompletableFuture<>());
                    } finally {
                        script.note("unwound");
                    }
                })));
            }
            script.input(() -> script.task.admit(new KeySlot(), script.resident("stuck", () -> {
                stuck[0] = Thread.currentThread();
                script.block(() -> released[0]);
                comesBack(script);
            })));
            script.task.start();
            script.runUntilTerminated();
            assertThat(script.stuck, hasSize(1));
            assertThat(
                    script.stuck.get(0),
                    allOf(
                            containsString("step of stuck has not returned from user code"),
                            containsString("leader script-3 in step of stuck"),
                            containsString("StuckTest.lambda"),
                            containsString("parked script-0 in step of parks"),
                            containsString("use --synchronousTransforms=Mine")));
            assertThat(script.failures, hasSize(1));
            assertThat(
                    script.failures.get(0).getMessage(),
                    allOf(containsString("task script: step of stuck"), containsString("has not returned")));
            assertThat(script.task.terminated().isCompletedExceptionally(), equalTo(true));
            assertThat(script.events.stream().filter("unwound"::equals).count(), equalTo(3L));
            AsyncMetrics atEnd = script.task.metrics();
            List<String> events = List.copyOf(script.events);

            released[0] = true;
            script.simulation.threads().unpark(stuck[0]);
            script.simulation.run(() -> script.simulation.liveThreads() == 0, Script.MAX_STEPS);
            assertThat("was refused everything", script.events, hasItem("came back"));
            script.events.remove("came back");
            assertThat("nothing else happened", script.events, equalTo(events));
            assertThat(script.task.metrics(), equalTo(atEnd));
        }
    }

    /** What a thread that was left behind must be refused. */
    private static void comesBack(Script script) {
        AsyncTask task = script.task;
        KeySlot slot = new KeySlot();
        assertThrows(TaskFailed.class, task::checkFailed);
        assertThrows(TaskFailed.class, () -> task.await(new CompletableFuture<>()));
        assertThrows(IllegalStateException.class, () -> task.admit(slot, script.resident("late", () -> {})));
        assertThrows(IllegalStateException.class, () -> task.seal("late", () -> EpochScan.Step.EXHAUSTED));
        assertThrows(IllegalStateException.class, task::requestDrain);
        assertThat(slot.isBusy(), equalTo(false));
        script.note("came back");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aBodyThatThrowsLongAfterItWasLeftBehindChangesNothing(long seed) {
        boolean[] released = new boolean[1];
        Thread[] stuck = new Thread[1];
        try (Script script = script(seed)) {
            script.input(() -> script.task.admit(new KeySlot(), script.resident("stuck", () -> {
                stuck[0] = Thread.currentThread();
                script.block(() -> released[0]);
                throw new IllegalArgumentException("much too late");
            })));
            script.task.start();
            script.runUntilTerminated();
            released[0] = true;
            script.simulation.threads().unpark(stuck[0]);
            script.simulation.run(() -> script.simulation.liveThreads() == 0, Script.MAX_STEPS);
            assertThat(script.failures, hasSize(1));
            assertThat(script.failures.get(0).getSuppressed().length, equalTo(0));
        }
    }

    @Test
    void aSlowBodyIsToldOnceAndGoesOn() {
        try (Script script = Script.orderly(StuckTest::watched)) {
            boolean[] over = new boolean[1];
            script.input(() -> script.task.admit(new KeySlot(), script.resident("slow", () -> {
                Thread self = Thread.currentThread();
                script.simulation.after(5 * PATIENCE_NANOS, () -> {
                    over[0] = true;
                    script.simulation.threads().unpark(self);
                });
                script.block(() -> over[0]);
                script.read(100);
                script.note("ends");
            })));
            script.runToEnd();
            assertThat(script.stuck, hasSize(1));
            assertThat(script.failures, empty());
            assertThat(script.events, contains("slow", "ends"));
        }
    }

    @Test
    void manyBodiesThatTogetherTakeLongAreNotToldOf() {
        try (Script script = Script.orderly(StuckTest::watched)) {
            for (int i = 0; i < 50; i++) {
                boolean[] over = new boolean[1];
                script.input(() -> script.task.admit(new KeySlot(), script.resident("short", () -> {
                    Thread self = Thread.currentThread();
                    script.simulation.after(PATIENCE_NANOS / 10, () -> {
                        over[0] = true;
                        script.simulation.threads().unpark(self);
                    });
                    script.block(() -> over[0]);
                })));
            }
            script.runToEnd();
            assertThat(script.stuck, empty());
            assertThat(script.failures, empty());
        }
    }

    @Test
    void aReadThatTakesLongIsNoStandstill() {
        try (Script script = Script.unruly(
                1,
                options -> options.withWatchdog(PATIENCE_NANOS, "none")
                        .withMaxBody(LIMIT_NANOS)
                        .withHandOver(false))) {
            script.input(() ->
                    script.task.admit(new KeySlot(), script.resident("reads", () -> script.read(5 * LIMIT_NANOS))));
            script.runToEnd();
            assertThat(script.stuck, empty());
            assertThat(script.failures, empty());
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void anOwnerThatNeverReturnsFailsTheTaskToo(long seed) {
        boolean[] released = new boolean[1];
        Thread[] stuck = new Thread[1];
        try (Script script = script(seed)) {
            script.input(() -> {
                stuck[0] = Thread.currentThread();
                script.block(() -> released[0]);
                comesBack(script);
            });
            script.task.start();
            script.runUntilTerminated();
            assertThat(script.failures, hasSize(1));
            assertThat(script.failures.get(0).getMessage(), containsString("its owner has not returned"));
            released[0] = true;
            script.simulation.threads().unpark(stuck[0]);
            script.simulation.run(() -> script.simulation.liveThreads() == 0, Script.MAX_STEPS);
            assertThat(script.events, contains("failed", "came back"));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void anErrandThatNeverReturnsLetsItsCallerEndTheTask(long seed) {
        boolean[] released = new boolean[1];
        Thread[] stuck = new Thread[1];
        try (Script script = script(seed)) {
            CompletableFuture<Long> second = new CompletableFuture<>();
            List<Worker> ran = new ArrayList<>();
            script.input(() -> {
                script.task.admit(new KeySlot(), script.resident("parks", () -> {
                    ran.add(script.task.currentWorker());
                    script.task.await(second);
                }));
                script.task.admit(new KeySlot(), script.resident("runs", () -> {
                    ran.add(script.task.currentWorker());
                    second.complete(1L);
                }));
            });
            Runnable[] errand = new Runnable[1];
            errand[0] = () -> {
                if (script.task.inFlight() > 0) {
                    script.input(errand[0]);
                    return;
                }
                Worker self = script.task.currentWorker();
                Worker other = ran.get(0) == self ? ran.get(1) : ran.get(0);
                assertThat(ran.get(0), not(equalTo(ran.get(1))));
                assertThrows(
                        TaskFailed.class,
                        () -> script.task.runOn(other, () -> {
                            stuck[0] = Thread.currentThread();
                            script.block(() -> released[0]);
                            comesBack(script);
                        }));
                script.note("caller goes on");
            };
            script.input(errand[0]);
            script.task.start();
            script.runUntilTerminated();
            assertThat(script.failures, hasSize(1));
            assertThat(script.events, hasItem("caller goes on"));
            released[0] = true;
            script.simulation.threads().unpark(stuck[0]);
            script.simulation.run(() -> script.simulation.liveThreads() == 0, Script.MAX_STEPS);
            assertThat(script.events, hasItem("came back"));
        }
    }

    @Test
    void aTaskThatIsClosedWhileABodyNeverReturnsEndsWithoutIt() {
        boolean[] released = new boolean[1];
        Thread[] stuck = new Thread[1];
        try (Script script = script(2)) {
            script.input(() -> script.task.admit(new KeySlot(), script.resident("stuck", () -> {
                stuck[0] = Thread.currentThread();
                script.simulation.after(100, script.task::close);
                script.block(() -> released[0]);
            })));
            script.task.start();
            script.runUntilTerminated();
            assertThat(script.failures, empty());
            assertThat("normal end", script.task.terminated().isCompletedExceptionally(), equalTo(false));
            released[0] = true;
            script.simulation.threads().unpark(stuck[0]);
            script.simulation.run(() -> script.simulation.liveThreads() == 0, Script.MAX_STEPS);
        }
    }

    @Test
    void onceLeftBehindIsEnoughWhenNoThreadCanBeStartedAtFirst() {
        boolean[] released = new boolean[1];
        Thread[] stuck = new Thread[1];
        try (Script script = script(3)) {
            script.input(() -> script.task.admit(new KeySlot(), script.resident("stuck", () -> {
                stuck[0] = Thread.currentThread();
                script.simulation.refuseThreads(100);
                script.simulation.after(3 * LIMIT_NANOS, () -> script.simulation.refuseThreads(0));
                script.block(() -> released[0]);
            })));
            script.task.start();
            script.runUntilTerminated();
            assertThat(script.failures, hasSize(1));
            released[0] = true;
            script.simulation.threads().unpark(stuck[0]);
            script.simulation.run(() -> script.simulation.liveThreads() == 0, Script.MAX_STEPS);
        }
    }
}
