// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DrainTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void everythingStartedAndDerivedEndsBeforeTheDrainAndNothingRunsAfterIt(long seed) {
        try (Script script = Script.unruly(seed)) {
            KeySlot slot = new KeySlot();
            Computation derived = script.fetched("derived", 200, () -> {
                script.read(200);
                script.note("derived ends");
            });
            script.input(() -> script.task.admit(slot, script.fetched("started", 200, () -> {
                        script.read(200);
                        script.task.admit(slot, derived);
                    })))
                    .input(script.task::requestDrain)
                    .input(() -> script.task.admit(slot, script.resident("behind the barrier", () -> {})));
            script.task.start();
            script.simulation.run(() -> script.events.contains("drained"), Script.MAX_STEPS);
            assertThat(script.events, contains("started", "derived", "derived ends", "drained"));
            script.simulation.after(
                    5000,
                    () -> script.task.execute(() -> {
                        script.note("opened");
                        script.task.resumeInput();
                    }));
            script.input(script.task::shutdown).runUntilTerminated();
            assertThat(
                    script.events,
                    contains("started", "derived", "derived ends", "drained", "opened", "behind the barrier"));
        }
    }

    @Test
    void aDrainIsBoundedByWhatIsInFlightHoweverManyTimersAreDue() {
        try (Script script = Script.orderly(options -> options)) {
            int[] admitted = new int[1];
            int[] atDrain = {-1};
            List<Epoch> sealed = new ArrayList<>();
            EpochScan millionTimers = () -> {
                if (admitted[0] == 1_000_000) {
                    return EpochScan.Step.EXHAUSTED;
                }
                admitted[0]++;
                script.task.admitTo(sealed.get(0), new KeySlot(), script.resident("fire", () -> {
                    if (admitted[0] == 10 && atDrain[0] < 0) {
                        atDrain[0] = admitted[0];
                        script.task.requestDrain();
                    }
                }));
                return EpochScan.Step.MORE;
            };
            script.input(() -> sealed.add(script.task.seal("W1", millionTimers)));
            script.task.start();
            script.simulation.run(() -> script.events.contains("drained"), Script.MAX_STEPS);
            assertThat(admitted[0], equalTo(10));
            assertThat("W1 is not released", script.events.contains("released W1"), equalTo(false));
        }
    }

    @Test
    void aScanThatWaitedDuringADrainGoesOnAfterIt() {
        try (Script script = Script.orderly(options -> options)) {
            int[] steps = new int[1];
            EpochScan scan = () -> {
                steps[0]++;
                if (steps[0] == 1) {
                    script.simulation.after(100, script.task::scanReady);
                    return EpochScan.Step.WAITING;
                }
                return EpochScan.Step.EXHAUSTED;
            };
            script.input(() -> script.task.seal("W1", scan)).input(script.task::requestDrain);
            script.simulation.after(1000, () -> script.task.execute(script.task::resumeInput));
            script.runToEnd();
            assertThat(script.events, contains("drained", "released W1"));
        }
    }

    @Test
    void admissionWhileDrainingIsRefusedBecauseTheSnapshotWouldMissIt() {
        try (Script script = Script.orderly(options -> options)) {
            script.input(() -> {
                        script.task.requestDrain();
                        script.task.admit(new KeySlot(), script.resident("late", () -> {}));
                    })
                    .runToEnd();
            assertThat(script.failures, hasSize(1));
            assertThat(script.failures.get(0).getMessage(), containsString("cannot admit step of late while draining"));
        }
    }

    @Test
    void drainTimeIsMeasuredInTheTasksClock() {
        try (Script script = Script.orderly(options -> options)) {
            for (long latencyNanos : new long[] {23_000_000, 5_000_000}) {
                script.input(() -> {
                    script.task.admit(new KeySlot(), script.fetched("slow", latencyNanos, () -> {}));
                    script.task.requestDrain();
                });
            }
            script.simulation.after(30_000_000, () -> script.task.execute(script.task::resumeInput));
            script.simulation.after(40_000_000, () -> script.task.execute(script.task::resumeInput));
            script.runToEnd();
            AsyncMetrics metrics = script.task.metrics();
            assertThat(metrics.drains(), equalTo(2L));
            assertThat(metrics.drainNanos(), equalTo(28_000_000L));
            assertThat(metrics.lastDrainNanos(), equalTo(5_000_000L));
            assertThat(metrics.maxDrainNanos(), equalTo(23_000_000L));
        }
    }
}
