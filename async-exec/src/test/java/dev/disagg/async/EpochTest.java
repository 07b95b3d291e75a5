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

class EpochTest {
    private static final EpochScan NOTHING = () -> EpochScan.Step.EXHAUSTED;

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
}
