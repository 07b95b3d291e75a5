// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.everyItem;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.hasItems;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.startsWith;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SuiteTest {

    @Test
    void beamHas409TestsForEveryRunnerOfWhich393AreAttempted() {
        List<BeamTest> tests = Suite.named(Suite.VALIDATES_RUNNER).tests();

        assertThat(tests, hasSize(409));
        assertThat(tests.stream().filter(test -> test.skipReason().isEmpty()).toList(), hasSize(393));
    }

    @Test
    void beamsCoreHas918TestsThatNeedARunner() {
        assertThat(
                Suite.named(Suite.VALIDATES_RUNNER).tests().size()
                        + Suite.named(Suite.NEEDS_RUNNER).tests().size(),
                equalTo(918));
    }

    @Test
    void noTestIsInTwoSuites() {
        List<BeamTest> tests = Suite.whole().tests();

        assertThat(tests.stream().map(BeamTest::name).distinct().toList(), hasSize(tests.size()));
    }

    @Test
    void onlyTestsThatAreThereNeedMoreOrReadNoState() throws IOException {
        List<String> names = Suite.whole().tests().stream().map(BeamTest::name).toList();

        assertThat(names, hasItems(Needs.read(Needs.FILE).byTest().keySet().toArray(String[]::new)));
        assertThat(
                names,
                hasItems(ExpectedFailures.parse(Files.readAllLines(HandOvers.FILE))
                        .keySet()
                        .toArray(String[]::new)));
    }

    @Test
    void needWithoutAReasonOrOfAnUnknownKindIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> Needs.parse(List.of("a#x\tlimit=3")));
        assertThrows(IllegalArgumentException.class, () -> Needs.parse(List.of("a#x\tluck\tmuch")));
        assertThrows(IllegalArgumentException.class, () -> Needs.parse(List.of("a#x\tlimit=3\tr", "a#x\tlimit=4\tr")));
    }

    @Test
    void categoryChoosesItsSubcategoriesToo() {
        List<String> chosen = names("--category=UsesStatefulParDo");

        assertThat(chosen, hasItem(containsString("#testMapState")));
        assertThat(
                names("--category=UsesTestStream").size(),
                equalTo(names("--category=UsesTestStream,UsesTestStreamWithProcessingTime")
                        .size()));
    }

    @Test
    void regexChoosesByClassOrMethod() {
        assertThat(names("--tests=ReshuffleTest#"), everyItem(containsString("ReshuffleTest#")));
        assertThat(names("--tests=no such test"), hasSize(0));
    }

    @Test
    void configurationGivesThePipelinesItsOptions() {
        assertThat(
                ConformanceOptions.defaults()
                        .with(List.of("--configuration=parallel"))
                        .beamTestPipelineOptions(),
                equalTo("[\"--runner=TestDisaggRunner\",\"--parallelism=4\",\"--maxBundleElements=1\"]"));
    }

    @Test
    void otherOptionsGoToThePipelinesAsJson() {
        ConformanceOptions options = ConformanceOptions.defaults()
                .with(List.of("--stateLatency=5ms", "--parallelism=4", "--delayed=7", "--x=a\"b"));

        assertThat(
                options.beamTestPipelineOptions(),
                equalTo(
                        "[\"--runner=TestDisaggRunner\",\"--stateLatency=5ms\",\"--parallelism=4\",\"--x=a\\\"b\",\"--delayedReads=7\"]"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--tests=(",
                "--category=UsesMagic",
                "--suite=none",
                "--configuration=odd",
                "--jvms=0",
                "--limit=soon",
                "--delayed=x",
                "PipelineTest"
            })
    void wrongOptionIsRefusedByName(String argument) {
        IllegalArgumentException refused = assertThrows(
                IllegalArgumentException.class,
                () -> ConformanceOptions.defaults().with(List.of(argument)));

        assertThat(refused.getMessage(), containsString(argument.substring(argument.indexOf('=') + 1)));
    }

    @Test
    void reasonIsOneShortLine() {
        Outcome outcome = new Outcome("a#b", Outcome.Status.FAIL, 3, "x\n\ty ".repeat(1000));

        assertThat(outcome.toLine(), startsWith("a#b\tFAIL\t3\tx y x y"));
        assertThat(outcome.reason().length(), equalTo(400));
        assertThat(Outcome.parse(outcome.toLine()), equalTo(outcome));
    }

    private static List<String> names(String option) {
        return Suite.whole()
                .select(ConformanceOptions.defaults().with(List.of(option)).selection())
                .tests()
                .stream()
                .map(BeamTest::name)
                .toList();
    }
}
