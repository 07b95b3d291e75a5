// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;

import dev.disagg.conformance.Outcome.Status;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class HandOversTest {

    private static final BeamTest STATEFUL = new BeamTest("suite", "a", "x", Set.of("UsesMapState"), false);
    private static final BeamTest PLAIN = new BeamTest("suite", "a", "x", Set.of("NeedsRunner"), false);

    private final HandOvers asked = new HandOvers(Map.of());
    private final HandOvers excused = new HandOvers(Map.of("a#x", "has no state"));

    @Test
    void testOfStateFailsWithoutAHandOver() {
        assertThat(asked.judged(STATEFUL, passed(7, 1)).status(), is(Status.PASS));
        assertThat(asked.judged(STATEFUL, passed(7, 0)).status(), is(Status.FAIL));
        assertThat(asked.judged(STATEFUL, passed(7, 0)).reason(), containsString("no task was handed over in 7 reads"));
    }

    @Test
    void otherTestsNeedNone() {
        assertThat(asked.judged(PLAIN, passed(0, 0)).status(), is(Status.PASS));
    }

    @Test
    void testThatReadsStateAfterAllIsNotExcused() {
        assertThat(excused.judged(STATEFUL, passed(0, 0)).status(), is(Status.PASS));
        assertThat(excused.judged(STATEFUL, passed(3, 2)).status(), is(Status.FAIL));
    }

    @Test
    void nothingIsAskedOnDefaultsAndOfOtherRunners() throws IOException {
        for (HandOvers.Judge judge : new HandOvers.Judge[] {
            HandOvers.judge(Configuration.DEFAULTS, "TestDisaggRunner"),
            HandOvers.judge(Configuration.DELAYED, "DirectRunner")
        }) {
            assertThat(judge.judged(STATEFUL, passed(0, 0)).status(), is(Status.PASS));
        }
    }

    private static Outcome passed(long reads, long handOvers) {
        return new Outcome("a#x", Status.PASS, 1, "", new DelayCounters(reads, reads, handOvers));
    }
}
