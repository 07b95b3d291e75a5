// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.closeTo;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;

import org.junit.jupiter.api.Test;

class MetricsTest {
    @Test
    void figuresOfAMomentTellWhereEveryComputationIs() {
        try (Script script = Script.orderly(options -> options.withMaxInFlight(5))) {
            KeySlot busy = new KeySlot();
            AsyncMetrics[] seen = new AsyncMetrics[1];
            script.input(() -> {
                script.task.admit(new KeySlot(), script.resident("parks", () -> script.read(1000)));
                script.task.admit(new KeySlot(), script.fetched("fetches", 1000, () -> {}));
                script.task.admit(busy, script.fetched("first of its key", 1000, () -> {}));
                script.task.admit(busy, script.resident("second of its key", () -> {}));
                script.task.admit(new KeySlot(), script.resident("inline", () -> {}));
                script.task.seal("W1", () -> EpochScan.Step.EXHAUSTED);
                script.task.admit(new KeySlot(), script.fetched("of the next epoch", 1000, () -> {}));
            });
            script.simulation.after(500, () -> seen[0] = script.task.metrics());
            script.runToEnd();
            AsyncMetrics at = seen[0];
            assertThat(script.failures, empty());
            assertThat("in flight", at.inFlight(), equalTo(5));
            assertThat("parked", at.parked(), equalTo(1));
            assertThat("fetching", at.fetching(), equalTo(3));
            assertThat("blocked", at.blocked(), equalTo(1));
            assertThat("callbacks waiting", at.callbacksWaiting(), equalTo(0));
            assertThat("epochs open", at.epochsOpen(), equalTo(2));
            assertThat("finished", at.finished(), equalTo(1L));
            assertThat("hand-overs", at.handOvers(), equalTo(1L));
            assertThat("stalls", at.admissionStalls(), equalTo(1L));
            assertThat("workers", at.workers(), equalTo(2));
            AsyncMetrics end = script.task.metrics();
            assertThat("finished", end.finished(), equalTo(6L));
            assertThat("inline", end.inline(), equalTo(2L));
            assertThat("inline ratio", end.inlineRatio(), closeTo(1.0 / 3, 1e-9));
            assertThat("resumed", end.resumedFetches(), equalTo(3L));
        }
    }

    @Test
    void aTaskThatHasDoneNothingHasWaitedForNothing() {
        try (Script script = Script.orderly(options -> options)) {
            assertThat(script.task.metrics().inlineRatio(), equalTo(1.0));
        }
    }
}
