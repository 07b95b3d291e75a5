// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.hasItem;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.conformance.Outcome.Status;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class VerdictTest {

    @Test
    void expectedFailureIsNoComplaintAndIsCounted() {
        Verdict verdict = judge("a#x\tnot there yet", pass("a#y"), fail("a#x"));

        assertThat(verdict.complaints(), empty());
        assertThat(
                verdict.summary(),
                contains(
                        "conformance: suite: 2 attempted, 1 passed, 1 failed (1 expected, 0 not the runner's business), 0 skipped",
                        "conformance: 7 s"));
    }

    @Test
    void unexpectedFailureIsComplainedOfWithItsReason() {
        Verdict verdict = judge("", fail("a#x"));

        assertThat(verdict.complaints(), contains("fails: a#x: wrong sum"));
    }

    @Test
    void passThatNeededSeveralAttemptsIsNamedWithWhatFailedFirst() {
        Outcome warmUp = fail("a#x");
        Attempts attempts = new Attempts(List.of(warmUp, warmUp, fail("a#x"), pass("a#x")));

        Verdict verdict = judge("", attempts.outcome());

        assertThat(verdict.complaints(), empty());
        assertThat(
                verdict.summary(),
                hasItem(
                        "conformance: a#x passed at attempt 3 of 5; failed first: warm-up, attempt 1, attempt 2: wrong sum"));
    }

    @Test
    void unexpectedPassAsksToRemoveTheLine() {
        Verdict verdict = judge("a#x\tnot there yet", pass("a#x"));

        assertThat(verdict.complaints(), contains(containsString("remove its line: a#x")));
    }

    @Test
    void expectationAboutATestThatIsNotThereOrNeverAttemptedIsComplainedOf() {
        Verdict verdict = judge("a#gone\told\na#x\tnever", new Outcome("a#x", Status.SKIP, 0, "xlang"));

        assertThat(
                verdict.complaints(),
                contains(containsString("never attempted"), containsString("no such test; remove its line: a#gone")));
    }

    @Test
    void expectationAboutATestThatWasNotChosenIsLeftAlone() {
        Verdict verdict = Verdict.of(
                new SuiteRun(List.of(pass("a#y")), 7),
                suite("a#x", "a#y"),
                expected("a#x\tnot there yet"),
                Configuration.DEFAULTS);

        assertThat(verdict.complaints(), empty());
    }

    @Test
    void failureThatIsNotTheRunnersBusinessIsCountedApartAndItsPassComplainedOf() {
        ExpectedFailures expected =
                new ExpectedFailures(Map.of(), Map.of("a#x", "needs a cloud", "a#y", "needs a cloud"));

        Verdict verdict = Verdict.of(
                new SuiteRun(List.of(fail("a#x"), pass("a#y")), 7),
                suite("a#x", "a#y"),
                expected,
                Configuration.DEFAULTS);

        assertThat(verdict.complaints(), contains(containsString("remove its line: a#y")));
        assertThat(verdict.summary().get(0), containsString("(0 expected, 1 not the runner's business)"));
    }

    @Test
    void testInBothFilesIsRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> new ExpectedFailures(Map.of("a#x", "not there yet"), Map.of("a#x", "needs a cloud")));
    }

    @Test
    void delayedPassReportsItsCountersAndFailsUnder95PercentOrWithoutHandOvers() {
        Verdict good = judgeDelayed(new DelayCounters(60, 60, 1), new DelayCounters(40, 35, 0));

        assertThat(good.summary().get(2), containsString("delayed reads: 95 of 100 (95.0 %), hand-overs: 1"));
        assertThat(good.complaints(), empty());
        assertThat(
                judgeDelayed(new DelayCounters(1000, 949, 0)).complaints(),
                contains(containsString("fewer than 95.0 %"), containsString("no hand-over")));
        assertThat(
                judgeDelayed().complaints(),
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

    private static Verdict judge(String expected, Outcome... outcomes) {
        return Verdict.of(
                new SuiteRun(Arrays.asList(outcomes), 7),
                suite(Arrays.stream(outcomes).map(Outcome::test).toArray(String[]::new)),
                expected(expected),
                Configuration.DEFAULTS);
    }

    /** Passed tests, one for each of {@code counters}. */
    private static Verdict judgeDelayed(DelayCounters... counters) {
        List<Outcome> outcomes = new ArrayList<>();
        for (DelayCounters each : counters) {
            outcomes.add(new Outcome("a#x" + outcomes.size(), Status.PASS, 1, "", each));
        }
        return Verdict.of(
                new SuiteRun(outcomes, 7),
                suite(outcomes.stream().map(Outcome::test).toArray(String[]::new)),
                expected(""),
                Configuration.DELAYED);
    }

    private static ExpectedFailures expected(String lines) {
        return new ExpectedFailures(ExpectedFailures.parse(List.of(lines.split("\n"))), Map.of());
    }

    private static Suite suite(String... names) {
        return new Suite(Arrays.stream(names)
                .map(name -> name.split("#"))
                .map(parts -> new BeamTest("suite", parts[0], parts[1], Set.of("ValidatesRunner"), false))
                .toList());
    }
}
