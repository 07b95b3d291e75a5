// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.empty;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Beam's suites in the normal test run, one counted test each: an expected failure and a test that cannot be attempted count as skipped, an unexpected pass as a
 * failure.
 *
 * <p>System properties: {@code conformance.runner} (default TestDisaggRunner), {@code conformance.jvms} (2), {@code conformance.limit} (60 seconds a test), {@code
 * conformance.suites} (all), {@code conformance.variants}: whether and how the passes beside the one on defaults run ({@code off}, {@code state}: tests of state, timers
 * and test streams, {@code all}).
 */
class BeamConformanceTest {

    @TestFactory
    List<DynamicTest> beamsOwnTestsEndAsExpected() throws IOException, InterruptedException {
        return run(options());
    }

    @TestFactory
    List<DynamicTest> beamsOwnTestsEndAsExpectedInFourTasksWithBundlesOfOneElement()
            throws IOException, InterruptedException {
        return runVariant(Configuration.PARALLEL);
    }

    @TestFactory
    List<DynamicTest> beamsOwnTestsEndAsExpectedWhenEveryStateReadIsDelayed() throws IOException, InterruptedException {
        return runVariant(Configuration.DELAYED);
    }

    private static List<DynamicTest> runVariant(Configuration configuration) throws IOException, InterruptedException {
        String variants = System.getProperty("conformance.variants", "off");
        ConformanceOptions options = options().withConfiguration(configuration);
        return switch (variants) {
            case "off" -> List.of();
            case "state" -> run(options.withSelection(options.selection().withCategories(Selection.STATE_CATEGORIES)));
            case "all" -> run(options);
            default ->
                throw new IllegalArgumentException("conformance.variants=" + variants + ": not off, state or all");
        };
    }

    private static ConformanceOptions options() {
        String suites = System.getProperty("conformance.suites", String.join(",", Suite.NAMES));
        return ConformanceOptions.defaults()
                .withRunner(System.getProperty("conformance.runner", ConformanceOptions.OWN_RUNNER))
                .withSelection(Selection.defaults().withSuites(Set.of(suites.split(","))))
                .withJvms(Integer.getInteger("conformance.jvms", 2))
                .withLimitSeconds(Long.getLong("conformance.limit", 60));
    }

    private static List<DynamicTest> run(ConformanceOptions options) throws IOException, InterruptedException {
        Conformance.requireRunner(options.runner());
        ExpectedFailures expected = ExpectedFailures.of(options.runner());
        Suite whole = Suite.whole();
        SuiteRun run = SuiteRun.run(
                whole.select(options.selection()), Needs.read(Needs.FILE), expected, options, outcome -> {});
        Verdict verdict = Verdict.of(run, whole, expected, options.configuration());
        verdict.complaints().forEach(System.out::println);
        verdict.summary().forEach(System.out::println);

        List<DynamicTest> tests = new ArrayList<>();
        for (Outcome outcome : run.outcomes()) {
            tests.add(DynamicTest.dynamicTest(outcome.test(), () -> judge(outcome, expected)));
        }
        tests.add(DynamicTest.dynamicTest(
                options.configuration().passName() + " has nothing to complain of",
                () -> assertThat(verdict.summary().toString(), verdict.complaints(), empty())));
        return tests;
    }

    private static void judge(Outcome outcome, ExpectedFailures expected) {
        String test = outcome.test();
        Verdict.complaintAbout(outcome, expected.reasonFor(test).isPresent()).ifPresent(complaint -> {
            throw new AssertionError(complaint);
        });
        expected.reasonFor(test).ifPresent(reason -> Assumptions.abort("expected failure: " + reason));
        if (outcome.status() == Outcome.Status.SKIP) {
            Assumptions.abort("skipped: " + outcome.reason());
        }
    }
}
