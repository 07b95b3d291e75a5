// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import dev.disagg.conformance.Outcome.Status;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Judges a pass: good when exactly the expected tests fail and, in a delayed pass, reads really were delayed.
 *
 * @param summary the lines to print, one for each suite
 * @param complaints why the build fails; empty when it does not
 */
record Verdict(List<String> summary, List<String> complaints) {

    private static final double LEAST_DELAYED_PERCENT = 95;

    Verdict {
        summary = List.copyOf(summary);
        complaints = List.copyOf(complaints);
    }

    /** @param whole every test there is: an expectation about a test that is not among them is a complaint */
    static Verdict of(SuiteRun run, Suite whole, ExpectedFailures expected, Configuration configuration) {
        List<String> complaints = new ArrayList<>();
        for (Outcome outcome : run.outcomes()) {
            complaintAbout(outcome, expected.reasonFor(outcome.test()).isPresent())
                    .ifPresent(complaints::add);
        }
        Map<String, BeamTest> byName = whole.tests().stream().collect(Collectors.toMap(BeamTest::name, test -> test));
        expected.all().keySet().stream()
                .filter(name -> !byName.containsKey(name))
                .sorted()
                .map(name -> "expected to fail, but there is no such test; remove its line: " + name)
                .forEach(complaints::add);

        Map<String, List<Outcome>> bySuite = run.outcomes().stream()
                .collect(Collectors.groupingBy(
                        outcome -> byName.get(outcome.test()).suite(), LinkedHashMap::new, Collectors.toList()));
        List<String> summary = new ArrayList<>();
        bySuite.forEach(
                (suite, outcomes) -> summary.add(configuration.passName() + ": " + counts(suite, outcomes, expected)));
        run.outcomes().stream()
                .filter(outcome ->
                        outcome.status() == Status.PASS && !outcome.reason().isEmpty())
                .map(outcome -> configuration.passName() + ": " + outcome.test() + " " + outcome.reason())
                .forEach(summary::add);
        summary.add(configuration.passName() + ": " + run.seconds() + " s");
        if (configuration == Configuration.DELAYED) {
            DelayCounters sum = DelayCounters.sum(
                    run.outcomes().stream().map(Outcome::counters).toList());
            summary.add(String.format(
                    Locale.ROOT,
                    "delayed reads: %d of %d (%.1f %%), hand-overs: %d",
                    sum.delayedReads(),
                    sum.reads(),
                    sum.delayedPercent(),
                    sum.handOvers()));
            complaintsAbout(sum, complaints);
        }
        return new Verdict(summary, complaints);
    }

    private static String counts(String suite, List<Outcome> outcomes, ExpectedFailures expected) {
        Predicate<Outcome> failed = outcome -> outcome.status() == Status.FAIL;
        long passed = count(outcomes, outcome -> outcome.status() == Status.PASS);
        return "%s: %d attempted, %d passed, %d failed (%d expected, %d not the runner's business), %d skipped"
                .formatted(
                        suite,
                        passed + count(outcomes, failed),
                        passed,
                        count(outcomes, failed),
                        count(outcomes, failed.and(outcome -> expected.reasons().containsKey(outcome.test()))),
                        count(
                                outcomes,
                                failed.and(outcome -> expected.notTheRunners().containsKey(outcome.test()))),
                        count(outcomes, outcome -> outcome.status() == Status.SKIP));
    }

    private static long count(List<Outcome> outcomes, Predicate<Outcome> predicate) {
        return outcomes.stream().filter(predicate).count();
    }

    private static void complaintsAbout(DelayCounters sum, List<String> complaints) {
        if (sum.delayedPercent() < LEAST_DELAYED_PERCENT) {
            complaints.add("fewer than " + LEAST_DELAYED_PERCENT + " % of the state reads were delayed");
        }
        if (sum.handOvers() == 0) {
            complaints.add("no hand-over happened");
        }
    }

    static Optional<String> complaintAbout(Outcome outcome, boolean expectedToFail) {
        return switch (outcome.status()) {
            case PASS ->
                expectedToFail
                        ? Optional.of(
                                "passes, but is listed as an expected failure; remove its line: " + outcome.test())
                        : Optional.empty();
            case FAIL ->
                expectedToFail ? Optional.empty() : Optional.of("fails: " + outcome.test() + ": " + outcome.reason());
            case SKIP ->
                expectedToFail
                        ? Optional.of("is never attempted, but is listed as an expected failure; remove its line: "
                                + outcome.test())
                        : Optional.empty();
        };
    }
}
