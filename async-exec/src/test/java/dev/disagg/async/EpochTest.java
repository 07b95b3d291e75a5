// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.sameInstance;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EpochTest {
    private static final EpochScan NOTHING = () -> EpochScan.Step.EXHAUSTED;

    @Test
    void watermarkOfAnEmptyEpochIsReleasedExactlyOnce() {
        try (Script script = Script.unruly(1)) {
            script.input(() -> script.task.seal("W1", NOTHING)).runToEnd();
            assertThat(script.events, contains("released W1"));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void watermarkWaitsForTheReadsOfItsTimers(long seed) {
        try (Script script = Script.unruly(seed)) {
            KeySlot slot = new KeySlot();
            List<Epoch> sealed = new ArrayList<>();
            boolean[] admitted = new boolean[1];
            EpochScan scan = () -> {
                if (admitted[0]) {
                    return EpochScan.Step.EXHAUSTED;
                }
                admitted[0] = true;
                Computation fire = script.fetched("fire", 500, () -> {
                    script.read(500);
                    script.note("fired");
                });
                script.task.admitTo(sealed.get(0), slot, fire);
                return EpochScan.Step.MORE;
            };
            script.input(() -> sealed.add(script.task.seal("W1", scan))).runToEnd();
            assertThat(script.events, contains("fire", "fired", "released W1"));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void derivedWorkBelongsToTheEpochOfItsParent(long seed) {
        try (Script script = Script.unruly(seed)) {
            KeySlot parentKey = new KeySlot();
            KeySlot childKey = new KeySlot();
            Computation grandchild = script.fetched("grandchild", 300, () -> {});
            Computation child = script.fetched("child", 300, () -> script.task.admit(new KeySlot(), grandchild));
            Computation parent = script.fetched("parent", 300, () -> script.task.admit(childKey, child));
            script.input(() -> script.task.admit(parentKey, parent))
                    .input(() -> script.task.seal("W1", NOTHING))
                    .input(() -> script.task.admit(new KeySlot(), script.resident("later", () -> {})))
                    .input(() -> script.task.seal("W2", NOTHING))
                    .runToEnd();
            script.events.remove("later");
            assertThat(script.events, contains("parent", "child", "grandchild", "released W1", "released W2"));
        }
    }

    @Test
    void laterEpochsRunWhileAnEarlierOneWaitsButAreReleasedAfterIt() {
        try (Script script = Script.orderly(options -> options)) {
            script.input(() -> script.task.admit(new KeySlot(), script.fetched("slow", 1000, () -> {})))
                    .input(() -> script.task.seal("W1", NOTHING))
                    .input(() -> script.task.admit(new KeySlot(), script.resident("fast", () -> {})))
                    .input(() -> script.task.seal("W2", NOTHING))
                    .runToEnd();
            assertThat(script.events, contains("fast", "slow", "released W1", "released W2"));
        }
    }

    @Test
    void timersSetWithATimeAlreadyPassedFireBeforeTheWatermarkIsReleased() {
        try (Script script = Script.unruly(3)) {
            KeySlot slot = new KeySlot();
            int[] left = {5};
            Runnable[] fire = new Runnable[1];
            fire[0] = () -> {
                script.read(100);
                if (left[0]-- > 0) {
                    script.task.admitTo(
                            script.task.current().epoch(), slot, script.resident("fire " + left[0], fire[0]));
                }
            };
            script.input(() -> script.task.admit(slot, script.resident("element", fire[0])))
                    .input(() -> script.task.seal("W1", NOTHING))
                    .runToEnd();
            assertThat(
                    script.events,
                    contains("element", "fire 4", "fire 3", "fire 2", "fire 1", "fire 0", "released W1"));
        }
    }

    @Test
    void anEpochBehindTheHeadStillTakesTimersSetByEarlierEpochs() {
        try (Script script = Script.orderly(options -> options)) {
            KeySlot slot = new KeySlot();
            List<Epoch> sealed = new ArrayList<>();
            Computation element = script.fetched(
                    "element of epoch 0",
                    1000,
                    () -> script.task.admitTo(sealed.get(1), slot, script.fetched("fire of W2", 100, () -> {})));
            script.input(() -> script.task.admit(slot, element))
                    .input(() -> sealed.add(script.task.seal("W1", NOTHING)))
                    .input(() -> script.task.admit(new KeySlot(), script.resident("other", () -> {})))
                    .input(() -> sealed.add(script.task.seal("W2", NOTHING)))
                    .runToEnd();
            assertThat(
                    script.events, contains("other", "element of epoch 0", "released W1", "fire of W2", "released W2"));
        }
    }

    @Test
    void anEpochWhoseTimersALaterComputationFiresIsHeldByIt() {
        try (Script script = Script.orderly(options -> options)) {
            List<Epoch> sealed = new ArrayList<>();
            Computation later = script.resident("later element", () -> {
                script.task.holdEpoch(script.task.oldestEpoch());
                script.read(1000);
                script.note("timer of W1 fired");
            });
            boolean[] started = new boolean[1];
            EpochScan scan = () -> {
                if (!started[0]) {
                    started[0] = true;
                    return EpochScan.Step.WAITING;
                }
                return EpochScan.Step.EXHAUSTED;
            };
            script.input(() -> sealed.add(script.task.seal("W1", scan)))
                    .input(() -> script.task.admit(new KeySlot(), later))
                    .input(script.task::scanReady)
                    .runToEnd();
            assertThat(script.events, contains("later element", "timer of W1 fired", "released W1"));
        }
    }

    @Test
    void emptyEpochsSealedInARowAreMerged() {
        try (Script script = Script.orderly(options -> options.withMaxOpenEpochs(3))) {
            script.input(() -> script.task.admit(new KeySlot(), script.fetched("slow", 1000, () -> {})))
                    .input(() -> script.task.seal("W0", NOTHING))
                    .input(() -> {
                        Epoch first = script.task.seal("W1", NOTHING);
                        for (int i = 2; i <= 10_000; i++) {
                            assertThat("can seal", script.task.canSeal(), equalTo(true));
                            assertThat(script.task.seal("W" + i, NOTHING), sameInstance(first));
                        }
                    })
                    .runToEnd();
            assertThat(script.failures, empty());
            assertThat(script.events, contains("slow", "released W0", "released W10000"));
        }
    }

    @Test
    void sealingStopsAtTheBoundOfOpenEpochs() {
        try (Script script = Script.orderly(options -> options.withMaxOpenEpochs(3))) {
            script.input(() -> {
                        for (int i = 0; script.task.canSeal(); i++) {
                            script.task.admit(new KeySlot(), script.fetched("slow", 1000, () -> {}));
                            script.task.seal("W" + i, NOTHING);
                        }
                        script.task.admit(new KeySlot(), script.fetched("slow", 1000, () -> {}));
                        IllegalStateException refused =
                                assertThrows(IllegalStateException.class, () -> script.task.seal("too many", NOTHING));
                        assertThat(refused.getMessage(), containsString("the bound is 3"));
                    })
                    .runToEnd();
            assertThat(script.failures, empty());
            assertThat(script.events, contains("slow", "released W0", "slow", "released W1", "slow"));
        }
    }

    @Test
    void aFinishedEpochTakesNothing() {
        try (Script script = Script.orderly(options -> options)) {
            List<Epoch> sealed = new ArrayList<>();
            script.input(() -> sealed.add(script.task.seal("W1", NOTHING)))
                    .input(() ->
                            script.task.admitTo(sealed.get(0), new KeySlot(), script.resident("too late", () -> {})))
                    .runToEnd();
            assertThat(script.failures, hasSize(1));
            assertThat(script.failures.get(0).getMessage(), containsString("cannot admit step of too late"));
        }
    }

    /** A scan that met its timer took it out and let it wait for the busy key would fire a cleared timer. */
    @Test
    void aDueTimerClearedWhileItWaitsForItsBusyKeyDoesNotFire() {
        try (Script script = Script.orderly(options -> options)) {
            KeySlot slot = new KeySlot();
            boolean[] timerSet = {true};
            List<Epoch> sealed = new ArrayList<>();
            boolean[] scanned = new boolean[1];
            EpochScan scan = () -> {
                if (scanned[0]) {
                    return EpochScan.Step.EXHAUSTED;
                }
                scanned[0] = true;
                script.task.admitTo(sealed.get(0), slot, script.resident("fire", () -> {
                    if (timerSet[0]) {
                        script.note("fired");
                    }
                }));
                return EpochScan.Step.MORE;
            };
            script.input(() -> script.task.admit(
                            slot, script.fetched("clears the timer", 1000, () -> timerSet[0] = false)))
                    .input(() -> sealed.add(script.task.seal("W1", scan)))
                    .runToEnd();
            assertThat(script.events, contains("clears the timer", "fire", "released W1"));
        }
    }
}
