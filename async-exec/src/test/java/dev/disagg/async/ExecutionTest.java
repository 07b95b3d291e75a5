// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.hasSize;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExecutionTest {
    private static final long LATENCY_NANOS = 23_000_000;

    @Test
    void aHundredColdReadsTakeOneLatency() {
        try (Script script = Script.orderly(options -> options)) {
            for (int key = 0; key < 100; key++) {
                Computation reads = script.resident("read", () -> script.read(LATENCY_NANOS));
                script.input(() -> script.task.admit(new KeySlot(), reads));
            }
            script.runToEnd();
            assertThat(script.events, hasSize(100));
            assertThat(script.simulation.nanoTime(), equalTo(LATENCY_NANOS));
            assertThat(script.task.metrics().handOvers(), equalTo(100L));
        }
    }

    @Test
    void withHandOverOffColdReadsTakeTurns() {
        try (Script script = Script.orderly(options -> options.withHandOver(false))) {
            for (int key = 0; key < 10; key++) {
                Computation reads = script.resident("read", () -> script.read(LATENCY_NANOS));
                script.input(() -> script.task.admit(new KeySlot(), reads));
            }
            script.runToEnd();
            assertThat(script.simulation.nanoTime(), equalTo(10 * LATENCY_NANOS));
            assertThat(script.workersStarted, equalTo(1));
        }
    }

    @Test
    void atTheParkedBoundWaitingComputationsSwapAndThreadsStayBounded() {
        try (Script script = Script.orderly(options -> options.withMaxParked(4))) {
            for (int key = 0; key < 50; key++) {
                Computation reads = script.resident("read", () -> {
                    script.read(LATENCY_NANOS);
                    script.read(LATENCY_NANOS);
                });
                script.input(() -> script.task.admit(new KeySlot(), reads));
            }
            script.runToEnd();
            assertThat(script.workersStarted, equalTo(5));
            assertThat("five at a time", script.simulation.nanoTime(), equalTo(50L * 2 / 5 * LATENCY_NANOS));
            assertThat(script.task.metrics().swaps(), greaterThan(0L));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aKeyRunsItsComputationsInOrderOfAdmissionOneAtATime(long seed) {
        try (Script script = Script.unruly(seed)) {
            KeySlot slot = new KeySlot();
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                String name = "c" + i;
                Computation computation = script.fetched(name, 1 + (i * 7919L) % 50, () -> {
                    script.read(20);
                    script.note(name + " ends");
                });
                script.input(() -> script.task.admit(slot, computation));
                expected.add(name);
                expected.add(name + " ends");
            }
            script.runToEnd();
            assertThat(script.events, equalTo(expected));
            assertThat("busy", slot.isBusy(), equalTo(false));
        }
    }

    @Test
    void fetchedStateIsServedBeforeNewInput() {
        try (Script script = Script.orderly(options -> options)) {
            Computation fetched = script.fetched("callback", 100, () -> {});
            script.input(() -> script.task.admit(new KeySlot(), fetched))
                    .input(() -> {
                        script.task.ready(fetched);
                        script.note("input 1");
                    })
                    .input(() -> script.note("input 2"))
                    .runToEnd();
            assertThat(script.events, contains("input 1", "callback", "input 2"));
        }
    }

    @Test
    void mailIsServedBetweenTwoAdmittedComputations() {
        try (Script script = Script.orderly(options -> options)) {
            script.input(() -> {
                        script.task.admit(
                                new KeySlot(),
                                script.resident("first", () -> script.task.execute(() -> script.note("call"))));
                        script.task.admit(new KeySlot(), script.resident("second", () -> {}));
                    })
                    .runToEnd();
            assertThat(script.events, contains("first", "call", "second"));
        }
    }

    @Test
    void inputStopsAtTheBoundOfBytes() {
        try (Script script = Script.orderly(options -> options.withMaxInFlightBytes(100))) {
            int[] mostInFlight = new int[1];
            for (int i = 0; i < 20; i++) {
                Computation heavy = new Computation() {
                    private boolean asked;

                    @Override
                    protected boolean prepare() {
                        mostInFlight[0] = Math.max(mostInFlight[0], script.task.inFlight());
                        if (!asked) {
                            asked = true;
                            script.simulation.after(1000, () -> script.task.ready(this));
                            return false;
                        }
                        return true;
                    }

                    @Override
                    protected void run() {
                        script.note("heavy");
                    }

                    @Override
                    protected long weightBytes() {
                        return 40;
                    }

                    @Override
                    protected String describe() {
                        return "heavy";
                    }
                };
                script.input(() -> script.task.admit(new KeySlot(), heavy));
            }
            script.runToEnd();
            assertThat(script.events, hasSize(20));
            assertThat("the third passes the bound", mostInFlight[0], equalTo(3));
            assertThat(script.task.metrics().inFlightBytes(), equalTo(0L));
        }
    }

    @Test
    void aFailedReadReachesItsReaderAndNobodyElse() {
        try (Script script = Script.orderly(options -> options)) {
            CompletableFuture<Long> broken = new CompletableFuture<>();
            script.simulation.after(100, () -> broken.completeExceptionally(new IllegalArgumentException("broken")));
            script.input(() -> script.task.admit(new KeySlot(), script.resident("unlucky", () -> {
                        IllegalArgumentException seen =
                                assertThrows(IllegalArgumentException.class, () -> script.task.await(broken));
                        script.note(seen.getMessage());
                    })))
                    .input(() -> script.task.admit(new KeySlot(), script.resident("lucky", () -> {
                        script.read(200);
                        script.note("has its value");
                    })))
                    .runToEnd();
            assertThat(script.failures, empty());
            assertThat(script.events, contains("unlucky", "lucky", "broken", "has its value"));
        }
    }

    @Test
    void fetchRoundsAreBoundedAndThenTheBodyRuns() {
        try (Script script = Script.orderly(options -> options)) {
            int[] asked = new int[1];
            Computation never = new Computation() {
                @Override
                protected boolean prepare() {
                    asked[0]++;
                    script.simulation.after(10, () -> script.task.ready(this));
                    return false;
                }

                @Override
                protected void run() {
                    script.note("ran");
                }

                @Override
                protected String describe() {
                    return "never resident";
                }
            };
            script.input(() -> script.task.admit(new KeySlot(), never)).runToEnd();
            assertThat(script.events, contains("ran"));
            assertThat(asked[0], equalTo(AsyncTask.MAX_FETCH_ROUNDS));
        }
    }

    @Test
    void aComputationInFlightCannotBeAdmittedAgainAndAFinishedOneCan() {
        try (Script script = Script.orderly(options -> options)) {
            Computation slow = script.fetched("slow", 100, () -> {});
            script.input(() -> {
                        script.task.admit(new KeySlot(), slow);
                        IllegalStateException refused =
                                assertThrows(IllegalStateException.class, () -> script.task.admit(new KeySlot(), slow));
                        assertThat(refused.getMessage(), containsString("step of slow is in flight already"));
                        script.task.requestDrain();
                    })
                    .input(() -> script.task.admit(new KeySlot(), slow));
            script.simulation.after(500, () -> script.task.execute(script.task::resumeInput));
            script.runToEnd();
            assertThat(script.failures, empty());
            assertThat(script.events, contains("slow", "drained", "slow"));
        }
    }

    @Test
    void admitNextRunsBeforeWhatWaitsForTheKey() {
        try (Script script = Script.orderly(options -> options)) {
            KeySlot slot = new KeySlot();
            Computation urgent = script.resident("urgent", () -> {});
            script.input(() -> {
                        script.task.admit(slot, script.resident("first", () -> script.task.admitNext(urgent)));
                        script.task.admit(slot, script.resident("second", () -> {}));
                    })
                    .runToEnd();
            assertThat(script.events, contains("first", "urgent", "second"));
        }
    }
}
