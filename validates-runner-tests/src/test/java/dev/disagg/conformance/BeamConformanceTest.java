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
 * Beam's suite in the normal test run, one counted test each: an expected failure and a test that cannot be attempted count as skipped, an unexpected pass as a failure.
 *
 * <p>System properties: {@code conformance.runner} (default TestDisaggRunner), {@code conformance.jvms} (2), {@code
 * conformance.limit} (60 seconds a test), {@code conformance.delayed}: whether and how the second
 * pass runs ({@code off}, {@code state}: tests of state, timers and test streams, {@code all}).
 */
class BeamConformanceTest {

    @TestFactory
    List<DynamicTest> beamsOwnTestsEndAsExpected() throws IOException, InterruptedException {
        return run(options());
    }

    @TestFactory
    List<DynamicTest> beamsOwnTestsEndAsExpectedWhenEveryStateReadIsDelayed() throws IOException, InterruptedException {
        String delayed = System.getProperty("conformance.delayed", "off");
        ConformanceOptions options = options().withDelayedSeed(1);
        return switch (delayed) {
            case "off" -> List.of();
            case "state" -> run(options.withCategories(ConformanceOptions.STATE_CATEGORIES));
            case "all" -> run(options.withCategories(Set.of()));
            default -> throw new IllegalArgumentException("conformance.delayed=" + delayed + ": not off, state or all");
        };
    }

    private static ConformanceOptions options() {
        return ConformanceOptions.defaults()
                .withRunner(System.getProperty("conformance.runner", "TestDisaggRunner"))
                .withJvms(Integer.getInteger("conformance.jvms", 2))
                .withLimitSeconds(Long.getLong("conformance.limit", 60));
    }

    private static List<DynamicTest> run(ConformanceOptions options) throws IOException, InterruptedException {
        Conformance.requireRunner(options.runner());
        ExpectedFailures expected = ExpectedFailures.read(ExpectedFailures.fileFor(options.runner()));
        Suite whole = Suite.beam();
        SuiteRun run = SuiteRun.run(whole.select(options), options, outcome -> {});
        Verdict verdict = Verdict.of(
                run, whole, expected, options.passName(), options.delayedSeed().isPresent());
        verdict.complaints().forEach(System.out::println);
        verdict.summary().forEach(System.out::println);

        List<DynamicTest> tests = new ArrayList<>();
        for (Outcome outcome : run.outcomes()) {
            tests.add(DynamicTest.dynamicTest(outcome.test(), () -> judge(outcome, expected)));
        }
        tests.add(DynamicTest.dynamicTest(
                options.passName() + " has nothing to complain of",
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
