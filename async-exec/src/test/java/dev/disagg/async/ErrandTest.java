// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.instanceOf;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.sameInstance;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Errands: something done on the thread of another worker, which leads meanwhile. */
class ErrandTest {
    /** Two computations on two workers: the first parks until the second has run. */
    private static void twoWorkers(Script script, List<Worker> ran) {
        CompletableFuture<Long> second = new CompletableFuture<>();
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
    }

    /** A step outside of computations, once both have ended. */
    private static void afterwards(Script script, Runnable step) {
        script.input(() -> {
            if (script.task.inFlight() > 0) {
                afterwards(script, step);
            } else {
                step.run();
            }
        });
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void anErrandRunsOnTheThreadOfItsWorkerAsTheLeader(long seed) {
        try (Script script = Script.unruly(seed)) {
            List<Worker> ran = new ArrayList<>();
            twoWorkers(script, ran);
            afterwards(script, () -> {
                Worker self = script.task.currentWorker();
                Thread own = Thread.currentThread();
                for (int round = 0; round < 3; round++) {
                    for (Worker worker : ran) {
                        script.task.runOn(worker, () -> {
                            assertThat(script.task.currentWorker(), sameInstance(worker));
                            assertThat(worker.thread(), sameInstance(Thread.currentThread()));
                            assertThat("leads", script.task.isLeader(), equalTo(true));
                            // Holds the task: nothing is current, so there is nothing to park.
                            script.read(50);
                            script.note("errand");
                        });
                        assertThat(script.task.currentWorker(), sameInstance(self));
                        assertThat(Thread.currentThread(), sameInstance(own));
                        assertThat("leads again", script.task.isLeader(), equalTo(true));
                    }
                }
                script.task.shutdown();
            });
            script.task.start();
            script.runUntilTerminated();
            assertThat(script.failures, empty());
            assertThat(ran.get(0), not(sameInstance(ran.get(1))));
            assertThat(script.events.stream().filter("errand"::equals).count(), equalTo(6L));
            assertThat(script.workersStarted, equalTo(2));
            assertThat(script.workersStopped, equalTo(2));
        }
    }

    @Test
    void whatAnErrandThrowsReachesItsCallerAndTheTaskGoesOn() {
        try (Script script = Script.unruly(1)) {
            List<Worker> ran = new ArrayList<>();
            twoWorkers(script, ran);
            afterwards(script, () -> {
                for (Worker worker : ran) {
                    Error seen = assertThrows(
                            StackOverflowError.class,
                            () -> script.task.runOn(worker, () -> {
                                throw new StackOverflowError("thrown on " + script.task.currentWorker());
                            }));
                    assertThat(seen.getMessage(), equalTo("thrown on " + worker));
                }
                script.note("goes on");
                script.task.shutdown();
            });
            script.task.start();
            script.runUntilTerminated();
            assertThat(script.failures, empty());
            assertThat(script.events, contains("parks", "runs", "goes on"));
        }
    }

    @Test
    void anErrandThatFailsItsStepFailsTheTaskOnce() {
        try (Script script = Script.unruly(2)) {
            List<Worker> ran = new ArrayList<>();
            twoWorkers(script, ran);
            afterwards(
                    script,
                    () -> ran.forEach(worker -> script.task.runOn(worker, () -> {
                        throw new IllegalArgumentException("finish bundle");
                    })));
            script.task.start();
            script.runUntilTerminated();
            assertThat(script.failures, hasSize(1));
            assertThat(script.failures.get(0).getMessage(), containsString("finish bundle"));
            assertThat(script.workersStopped, equalTo(script.workersStarted));
        }
    }

    @Test
    void anErrandForAWorkerInsideAComputationIsRefused() {
        try (Script script = Script.unruly(3)) {
            List<Worker> parked = new ArrayList<>();
            script.input(() -> script.task.admit(new KeySlot(), script.resident("parks", () -> {
                parked.add(script.task.currentWorker());
                script.read(10_000);
            })));
            script.input(() -> {
                IllegalStateException refused = assertThrows(
                        IllegalStateException.class,
                        () -> script.task.runOn(parked.get(0), () -> script.note("never")));
                assertThat(refused.getMessage(), containsString("is no spare of task script"));
                script.note("refused");
            });
            script.runToEnd();
            assertThat(script.failures, empty());
            assertThat(script.events, contains("parks", "refused"));
        }
    }

    @Test
    void anErrandFromInsideAComputationIsRefused() {
        try (Script script = Script.unruly(4)) {
            script.input(() -> script.task.admit(new KeySlot(), script.resident("body", () -> {
                IllegalStateException refused = assertThrows(
                        IllegalStateException.class,
                        () -> script.task.runOn(script.task.currentWorker(), () -> script.note("never")));
                assertThat(refused.getMessage(), containsString("inside of step of body"));
            })));
            script.runToEnd();
            assertThat(script.failures, empty());
            assertThat(script.events, contains("body"));
        }
    }

    @Test
    void aCallerThatWaitsForItsErrandCannotBeAskedForOne() {
        try (Script script = Script.unruly(5)) {
            List<Worker> ran = new ArrayList<>();
            twoWorkers(script, ran);
            afterwards(script, () -> {
                Worker caller = script.task.currentWorker();
                Worker other = ran.get(0) == caller ? ran.get(1) : ran.get(0);
                script.task.runOn(other, () -> {
                    assertThrows(IllegalStateException.class, () -> script.task.runOn(caller, () -> {}));
                    script.task.runOn(other, () -> script.note("its own"));
                });
                script.task.shutdown();
            });
            script.task.start();
            script.runUntilTerminated();
            assertThat(script.failures, empty());
            assertThat(script.events, contains("parks", "runs", "its own"));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aTaskThatFailsOrIsClosedDuringAnErrandEndsItAndAllWorkers(long seed) {
        try (Script script = Script.unruly(seed)) {
            List<Worker> ran = new ArrayList<>();
            List<Throwable> seen = new ArrayList<>();
            twoWorkers(script, ran);
            afterwards(script, () -> {
                script.simulation.after(
                        100,
                        seed % 2 == 0
                                ? script.task::close
                                : () -> script.task.fail(new IllegalStateException("elsewhere")));
                for (Worker worker : ran) {
                    seen.add(assertThrows(
                            TaskFailed.class,
                            () -> script.task.runOn(worker, () -> script.task.await(new CompletableFuture<>()))));
                }
                // Still its leader, and what is bound to a thread can still be closed there.
                ran.forEach(worker -> script.task.runOn(worker, () -> script.note("closed on " + worker)));
            });
            script.task.start();
            script.runUntilTerminated();
            assertThat(seen, hasSize(2));
            assertThat(script.failures, hasSize(seed % 2 == 0 ? 0 : 1));
            ran.forEach(worker -> assertThat(script.events, hasItem("closed on " + worker)));
            assertThat(script.workersStopped, equalTo(script.workersStarted));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void anInterruptOfTheCallerDuringAnErrandFailsTheTaskAndIsRestored(long seed) {
        try (Script script = Script.unruly(seed)) {
            List<Worker> ran = new ArrayList<>();
            boolean[] restored = new boolean[1];
            twoWorkers(script, ran);
            afterwards(script, () -> {
                Worker self = script.task.currentWorker();
                Thread caller = Thread.currentThread();
                Worker other = ran.get(0) == self ? ran.get(1) : ran.get(0);
                assertThrows(
                        TaskFailed.class,
                        () -> script.task.runOn(other, () -> {
                            script.simulation.after(100, () -> {
                                caller.interrupt();
                                script.simulation.threads().unpark(caller);
                            });
                            script.task.await(new CompletableFuture<>());
                        }));
                restored[0] = Thread.currentThread().isInterrupted();
            });
            script.task.start();
            script.runUntilTerminated();
            assertThat(script.failures, hasSize(1));
            assertThat(script.failures.get(0).getCause(), instanceOf(InterruptedException.class));
            assertThat("flag restored", restored[0], equalTo(true));
            assertThat(script.workersStopped, equalTo(script.workersStarted));
        }
    }
}
