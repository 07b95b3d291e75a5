// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import dev.disagg.conformance.Outcome.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Judges a pass: good when exactly the expected tests fail and, in a delayed pass, reads really were delayed.
 *
 * @param summary the lines to print
 * @param complaints why the build fails; empty when it does not
 */
record Verdict(List<String> summary, List<String> complaints) {

    private static final double LEAST_DELAYED_PERCENT = 95;

    Verdict {
        summary = List.copyOf(summary);
        complaints = List.copyOf(complaints);
    }

    /**
     * @param whole every test there is: an expectation about a test that is not among them is a complaint
     * @param delayed whether the run had to delay its reads
     */
    static Verdict of(SuiteRun run, Suite whole, ExpectedFailures expected, String passName, boolean delayed) {
        List<String> complaints = new ArrayList<>();
        long passed = 0;
        long failed = 0;
        long failedAsExpected = 0;
        long skipped = 0;
        for (Outcome outcome : run.outcomes()) {
            boolean expectedToFail = expected.reasonFor(outcome.test()).isPresent();
            switch (outcome.status()) {
                case PASS -> passed++;
                case FAIL -> failed++;
                case SKIP -> skipped++;
            }
            if (outcome.status() == Status.FAIL && expectedToFail) {
                failedAsExpected++;
            }
            complaintAbout(outcome, expectedToFail).ifPresent(complaints::add);
        }
        List<String> names = whole.tests().stream().map(BeamTest::name).toList();
        expected.reasons().keySet().stream()
                .filter(name -> !names.contains(name))
                .sorted()
                .map(name -> "expected to fail, but there is no such test; remove its line: " + name)
                .forEach(complaints::add);

        List<String> summary = new ArrayList<>();
        summary.add("%s: %d attempted, %d passed, %d failed (%d expected), %d skipped, %d s"
                .formatted(passName, passed + failed, passed, failed, failedAsExpected, skipped, run.seconds()));
        if (delayed) {
            DelayCounters sum = DelayCounters.sum(run.counters());
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
