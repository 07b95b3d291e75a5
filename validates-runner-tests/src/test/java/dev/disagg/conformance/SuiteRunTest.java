// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.startsWith;

import dev.disagg.conformance.Outcome.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SuiteRunTest {

    private static final String PLAIN = TroubleSuite.Plain.class.getName();
    private static final String PARAMETERS = TroubleSuite.Parameters.class.getName();

    private static final Needs NOTHING = new Needs(Map.of());
    private static final ExpectedFailures NONE = new ExpectedFailures(Map.of(), Map.of());

    @TempDir
    Path directory;

    @Test
    void testThatHangsOrEndsItsJvmFailsAndTheNextOnesStillRun() throws Exception {
        SuiteRun run = run(1, PLAIN, "hangs", "passes", "endsItsJvm", "isIgnoredNot");

        assertThat(statuses(run), contains(Status.FAIL, Status.PASS, Status.FAIL, Status.PASS));
        assertThat(run.outcomes().get(0).reason(), containsString("s; its thread is at " + PLAIN + ".hangs"));
        assertThat(run.outcomes().get(2).reason(), containsString("the JVM ended with code 5"));
        assertThat(Files.readString(directory.resolve("conformance/lane-1.log")), containsString("\"main\" WAITING"));
    }

    @Test
    void failureIsOneLineWithItsMessage() throws Exception {
        SuiteRun run = run(1, PLAIN, "fails");

        assertThat(run.outcomes().get(0).reason(), containsString("first line second line"));
    }

    @Test
    void testThatDoesNotRunIsAFailureAndNotAPass() throws Exception {
        SuiteRun run = run(1, PLAIN, "isIgnored", "isGone");

        assertThat(statuses(run), contains(Status.FAIL, Status.FAIL));
        assertThat(run.outcomes().get(0).reason(), containsString("ignored 1"));
    }

    @Test
    void classThatIsGoneIsAFailure() throws Exception {
        SuiteRun run = run(1, "org.apache.beam.Gone", "test");

        assertThat(run.outcomes().get(0).reason(), containsString("cannot load the test class"));
    }

    @Test
    void parameterisedMethodIsOneTestThatFailsWithAnyOfItsParameters() throws Exception {
        SuiteRun run = run(1, PARAMETERS, "odd", "oddOrEven");

        assertThat(statuses(run), contains(Status.FAIL, Status.PASS));
    }

    @Test
    void lanesShareTheTestsWhatFailedRunsAgainAloneAndTheTableIsInTheOrderOfTheSuite() throws Exception {
        SuiteRun run = run(2, PLAIN, "passes", "fails", "isIgnoredNot");

        List<String> table = Files.readAllLines(directory.resolve("conformance.tsv"));
        assertThat(
                table.stream().map(line -> line.split("\t")[0]).toList(),
                contains("test", PLAIN + "#passes", PLAIN + "#fails", PLAIN + "#isIgnoredNot"));
        assertThat(run.outcomes().stream().map(Outcome::toLine).toList(), equalTo(table.subList(1, table.size())));
        try (Stream<Path> files = Files.list(directory.resolve("conformance"))) {
            assertThat(
                    files.map(file -> file.getFileName().toString())
                            .filter(name -> name.endsWith(".log"))
                            .toList(),
                    containsInAnyOrder("lane-1.log", "lane-2.log", "lane-101.log", "lane-102.log"));
        }
    }

    @Test
    void whatFailedRunsAgainInAJvmThatIsWarm() throws Exception {
        run(1, PLAIN, "passes", "fails", "isIgnoredNot");

        assertThat(
                Files.readString(directory.resolve("conformance/lane-101.log"))
                        .lines()
                        .filter(line -> line.startsWith("======== "))
                        .toList(),
                contains(
                        "======== " + PLAIN + "#passes",
                        "======== " + PLAIN + "#isIgnoredNot",
                        "======== " + PLAIN + "#fails"));
    }

    @Test
    void testOfRealTimeRunsBehindAllOthersInAJvmThatHasRunItAndSaysWhatFailedFirst() throws Exception {
        List<String> order = new ArrayList<>();

        SuiteRun run = SuiteRun.run(
                suite(PLAIN, "passesTheThirdTime", "passes", "isIgnoredNot"),
                realTime("passesTheThirdTime"),
                NONE,
                options(2),
                outcome -> order.add(outcome.test()));

        assertThat(statuses(run), contains(Status.PASS, Status.PASS, Status.PASS));
        assertThat(order.indexOf(PLAIN + "#passesTheThirdTime"), is(2));
        assertThat(
                run.outcomes().get(0).reason(),
                startsWith("passed at attempt 2 of 5; failed first: warm-up: java.lang.AssertionError: run 1; "
                        + "attempt 1: java.lang.AssertionError: run 2"));
        assertThat(begun(201), contains("passesTheThirdTime", "passesTheThirdTime", "passesTheThirdTime"));
        assertThat(Files.readString(directory.resolve("conformance.tsv")), containsString("attempt 1: java.lang"));
    }

    @Test
    void testOfRealTimeThatPassesRunsOnceBeforeItCountsAndHasNothingToSay() throws Exception {
        SuiteRun run = SuiteRun.run(suite(PLAIN, "passes"), realTime("passes"), NONE, options(1), outcome -> {});

        assertThat(statuses(run), contains(Status.PASS));
        assertThat(run.outcomes().get(0).reason(), is(""));
        assertThat(begun(201), contains("passes", "passes"));
    }

    @Test
    void testOfRealTimeThatFailsFiveTimesFails() throws Exception {
        SuiteRun run = SuiteRun.run(suite(PLAIN, "fails"), realTime("fails"), NONE, options(1), outcome -> {});

        assertThat(statuses(run), contains(Status.FAIL));
        assertThat(
                run.outcomes().get(0).reason(),
                startsWith("failed at all 5 attempts; warm-up, attempt 1, attempt 2, attempt 3, attempt 4, attempt 5: "
                        + "org.junit.ComparisonFailure: expected:<[first line second line]>"));
        assertThat(begun(201).size(), is(6));
    }

    @Test
    void testOfRealTimeThatHangsIsNotTriedAgain() throws Exception {
        SuiteRun run = SuiteRun.run(suite(PLAIN, "hangs"), realTime("hangs"), NONE, options(1), outcome -> {});

        assertThat(statuses(run), contains(Status.FAIL));
        assertThat(run.outcomes().get(0).reason(), startsWith("the JVM was lost; warm-up: timed out"));
        assertThat(begun(201), contains("hangs"));
    }

    @Test
    void testOfRealTimeThatIsExpectedToFailRunsOnce() throws Exception {
        ExpectedFailures expected = new ExpectedFailures(Map.of(PLAIN + "#fails", "it does"), Map.of());

        SuiteRun.run(suite(PLAIN, "fails"), realTime("fails"), expected, options(1), outcome -> {});

        assertThat(begun(1), contains("fails"));
        assertThat(Files.exists(directory.resolve("conformance/lane-201.log")), is(false));
    }

    @Test
    void whatIsExpectedToFailRunsOnce() throws Exception {
        ExpectedFailures expected = new ExpectedFailures(Map.of(PLAIN + "#fails", "it does"), Map.of());

        SuiteRun.run(suite(PLAIN, "fails"), NOTHING, expected, options(1), outcome -> {});

        assertThat(Files.exists(directory.resolve("conformance/lane-1.log")), is(true));
        assertThat(Files.exists(directory.resolve("conformance/lane-101.log")), is(false));
    }

    @Test
    void eachOutcomeIsInTheFileBeforeItIsReported() throws Exception {
        List<Boolean> seen = new ArrayList<>();

        SuiteRun.run(
                suite(PLAIN, "passes", "isIgnoredNot"),
                NOTHING,
                NONE,
                options(1),
                outcome -> seen.add(inTable(outcome)));

        assertThat(seen, contains(true, true));
    }

    @Test
    void testsThatNeedAnotherLanguageAreSkippedWithTheReason() throws Exception {
        BeamTest test = new BeamTest("suite", PLAIN, "fails", Set.of("UsesPythonExpansionService"), false);

        SuiteRun run = SuiteRun.run(new Suite(List.of(test)), NOTHING, NONE, options(1), outcome -> {});

        assertThat(statuses(run), contains(Status.SKIP));
        assertThat(run.outcomes().get(0).reason().isEmpty(), is(false));
    }

    @Test
    void testWithALaneOfItsOwnAndALongerLimitPassesWhereOthersHang() throws Exception {
        Needs needs = Needs.parse(List.of(PLAIN + "#sleepsForThreeSeconds\tlimit=60 lane=own\tsleeps"));

        SuiteRun run = SuiteRun.run(
                suite(PLAIN, "passes", "sleepsForThreeSeconds", "isIgnoredNot"),
                needs,
                NONE,
                options(1),
                outcome -> {});

        assertThat(statuses(run), contains(Status.PASS, Status.PASS, Status.PASS));
        assertThat(
                Files.readString(directory.resolve("conformance/lane-1.log"))
                        .lines()
                        .toList(),
                contains("======== " + PLAIN + "#sleepsForThreeSeconds"));
    }

    @Test
    void testGetsTheOptionsThatItNeedsAndTheNextOneDoesNot() throws Exception {
        Needs needs = Needs.parse(List.of(PLAIN + "#needsAnOption\toption=--wanted=yes\twants it"));

        SuiteRun run = SuiteRun.run(
                suite(PLAIN, "needsNoOption", "needsAnOption", "needsNoOption"),
                needs,
                NONE,
                options(1),
                outcome -> {});

        assertThat(statuses(run), contains(Status.PASS, Status.PASS, Status.PASS));
    }

    @Test
    void countersOfATestsPipelinesAreItsOwn() throws Exception {
        SuiteRun run = run(1, PLAIN, "countsTwice", "passes", "countsTwice");

        assertThat(
                run.outcomes().stream().map(Outcome::counters).toList(),
                contains(new DelayCounters(5, 4, 1), DelayCounters.NONE, new DelayCounters(5, 4, 1)));
    }

    private static Needs realTime(String method) {
        return Needs.parse(List.of(PLAIN + "#" + method + "\treal-time\tas one of real time"));
    }

    /** The methods that a lane has begun, in order. */
    private List<String> begun(int lane) throws IOException {
        return Files.readAllLines(directory.resolve("conformance/lane-" + lane + ".log")).stream()
                .filter(line -> line.startsWith("======== "))
                .map(line -> line.substring(line.indexOf('#') + 1))
                .toList();
    }

    private boolean inTable(Outcome outcome) {
        try {
            return Files.readAllLines(directory.resolve("conformance.tsv")).contains(outcome.toLine());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static List<Status> statuses(SuiteRun run) {
        return run.outcomes().stream().map(Outcome::status).toList();
    }

    private SuiteRun run(int jvms, String className, String... methods) throws IOException, InterruptedException {
        return SuiteRun.run(suite(className, methods), NOTHING, NONE, options(jvms), outcome -> {});
    }

    private static Suite suite(String className, String... methods) {
        return new Suite(Arrays.stream(methods)
                .map(method -> new BeamTest("suite", className, method, Set.of("ValidatesRunner"), false))
                .toList());
    }

    private ConformanceOptions options(int jvms) {
        return ConformanceOptions.defaults()
                .with(List.of("--jvms=" + jvms, "--limit=2", "--heap=128m"))
                .withDirectory(directory);
    }
}
