// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.hasSize;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EndTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aBodyThatThrowsFailsTheTaskOnceAndParkedOnesThrowToo(long seed) {
        try (Script script = Script.unruly(seed)) {
            for (int key = 0; key < 5; key++) {
                script.input(() -> script.task.admit(new KeySlot(), script.resident("parks", () -> {
                    try {
                        script.task.await(new CompletableFuture<>());
                    } catch (TaskFailed e) {
                        // As a fused function that catches whatever its output throws: the next call must throw again.
                        assertThrows(TaskFailed.class, script.task::checkFailed);
                        assertThrows(TaskFailed.class, () -> script.read(1));
                        script.note("abandoned");
                    }
                })));
            }
            script.input(() -> script.task.admit(new KeySlot(), script.resident("throws", () -> {
                throw new IllegalArgumentException("boom");
            })));
            script.task.start();
            script.runUntilTerminated();
            assertThat(script.failures, hasSize(1));
            assertThat(
                    script.failures.get(0).getMessage(),
                    allOf(containsString("task script"), containsString("step of throws"), containsString("boom")));
            assertThat(script.events.stream().filter("abandoned"::equals).count(), equalTo(5L));
            assertThat(script.task.terminated().isCompletedExceptionally(), equalTo(true));
            assertThat(script.workersStopped, equalTo(script.workersStarted));
        }
    }

    @Test
    void callsAcceptedBeforeTheEndAreRunEvenAfterAFailure() {
        try (Script script = Script.orderly(options -> options)) {
            script.input(() -> {
                script.task.execute(() -> script.note("answered"));
                throw new IllegalStateException("poll fails");
            });
            script.task.start();
            script.runUntilTerminated();
            assertThat(script.events, hasItem("answered"));
            assertThat(script.failures.get(0).getMessage(), containsString("poll fails"));
        }
    }

    @Test
    void aTaskClosedBeforeItsStartEndsAtOnce() {
        try (Script script = Script.orderly(options -> options)) {
            script.task.close();
            assertThat(script.task.terminated().isDone(), equalTo(true));
            assertThrows(IllegalStateException.class, script.task::start);
        }
    }

    @Test
    void aTaskWhoseFirstThreadCannotBeStartedHasEnded() {
        try (Script script = Script.orderly(options -> options)) {
            script.simulation.refuseThreads(100);
            assertThrows(IllegalStateException.class, script.task::start);
            assertThat(script.task.terminated().isCompletedExceptionally(), equalTo(true));
            assertThrows(RejectedExecutionException.class, () -> script.task.execute(() -> {}));
        }
    }

    @Test
    void theOwnerMayWaitOutsideOfComputationsAndAFailureEndsItsWait() {
        try (Script script = Script.orderly(options -> options)) {
            script.simulation.after(500, () -> script.task.fail(new IllegalStateException("elsewhere")));
            script.input(() -> {
                script.read(100);
                script.note("waited in poll");
            });
            script.input(() -> script.read(10_000));
            script.task.start();
            script.runUntilTerminated();
            assertThat(script.events, contains("waited in poll", "failed"));
            assertThat(script.failures, hasSize(1));
            assertThat(script.simulation.nanoTime(), equalTo(500L));
        }
    }
}
