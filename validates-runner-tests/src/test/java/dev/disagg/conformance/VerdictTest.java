// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.conformance.Outcome.Status;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class VerdictTest {

    @Test
    void expectedFailureIsNoComplaintAndIsCounted() {
        Verdict verdict = judge("a#x\tnot there yet", List.of(), pass("a#y"), fail("a#x"));

        assertThat(verdict.complaints(), empty());
        assertThat(
                verdict.summary(),
                contains("conformance: 2 attempted, 1 passed, 1 failed (1 expected), 0 skipped, 7 s"));
    }

    @Test
    void unexpectedFailureIsComplainedOfWithItsReason() {
        Verdict verdict = judge("", List.of(), fail("a#x"));

        assertThat(verdict.complaints(), contains("fails: a#x: wrong sum"));
    }

    @Test
    void unexpectedPassAsksToRemoveTheLine() {
        Verdict verdict = judge("a#x\tnot there yet", List.of(), pass("a#x"));

        assertThat(verdict.complaints(), contains(containsString("remove its line: a#x")));
    }

    @Test
    void expectationAboutATestThatIsNotThereOrNeverAttemptedIsComplainedOf() {
        Verdict verdict = judge("a#gone\told\na#x\tnever", List.of(), new Outcome("a#x", Status.SKIP, 0, "xlang"));

        assertThat(
                verdict.complaints(),
                contains(containsString("never attempted"), containsString("no such test; remove its line: a#gone")));
    }

    @Test
    void expectationAboutATestThatWasNotChosenIsLeftAlone() {
        Verdict verdict = Verdict.of(
                new SuiteRun(List.of(pass("a#y")), 7, List.of()),
                suite("a#x", "a#y"),
                ExpectedFailures.parse(List.of("a#x\tnot there yet")),
                "conformance",
                false);

        assertThat(verdict.complaints(), empty());
    }

    @Test
    void delayedPassReportsItsCountersAndFailsUnder95PercentOrWithoutHandOvers() {
        List<String> good = List.of(
                "{\"reads\":60,\"delayedReads\":60,\"handOvers\":1}",
                "{\"reads\": 40, \"delayedReads\": 35, \"handOvers\": 0}");
        List<String> bad = List.of("{\"pipeline\":\"p\",\"reads\":1000,\"delayedReads\":949,\"handOvers\":0}");

        assertThat(
                judge("", good, pass("a#x")).summary().get(1),
                containsString("delayed reads: 95 of 100 (95.0 %), hand-overs: 1"));
        assertThat(judge("", good, pass("a#x")).complaints(), empty());
        assertThat(
                judge("", bad, pass("a#x")).complaints(),
                contains(containsString("fewer than 95.0 %"), containsString("no hand-over")));
        assertThat(
                judge("", List.of(), true, pass("a#x")).complaints(),
                contains(containsString("fewer than 95.0 %"), containsString("no hand-over")));
    }

    @Test
    void counterLineWithoutAFieldIsRefused() {
        IllegalArgumentException refused = assertThrows(
                IllegalArgumentException.class, () -> DelayCounters.parse("{\"delayedReads\":3,\"handOvers\":0}"));

        assertThat(refused.getMessage(), containsString("no 'reads'"));
    }

    @Test
    void expectedFailureWithoutAReasonIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> ExpectedFailures.parse(List.of("a#x")));
        assertThrows(IllegalArgumentException.class, () -> ExpectedFailures.parse(List.of("a#x\t ")));
        assertThrows(IllegalArgumentException.class, () -> ExpectedFailures.parse(List.of("a#x\tone", "a#x\ttwo")));
    }

    private static Outcome pass(String test) {
        return new Outcome(test, Status.PASS, 1, "");
    }

    private static Outcome fail(String test) {
        return new Outcome(test, Status.FAIL, 1, "wrong\nsum");
    }

    private static Verdict judge(String expected, List<String> counterLines, Outcome... outcomes) {
        return judge(expected, counterLines, !counterLines.isEmpty(), outcomes);
    }

    private static Verdict judge(String expected, List<String> counterLines, boolean delayed, Outcome... outcomes) {
        List<DelayCounters> counters =
                counterLines.stream().map(DelayCounters::parse).toList();
        return Verdict.of(
                new SuiteRun(Arrays.asList(outcomes), 7, counters),
                suite(Arrays.stream(outcomes).map(Outcome::test).toArray(String[]::new)),
                ExpectedFailures.parse(List.of(expected.split("\n"))),
                "conformance",
                delayed);
    }

    private static Suite suite(String... names) {
        return new Suite(Arrays.stream(names)
                .map(name -> name.split("#"))
                .map(parts -> new BeamTest(parts[0], parts[1], Set.of("ValidatesRunner"), false))
                .toList());
    }
}
