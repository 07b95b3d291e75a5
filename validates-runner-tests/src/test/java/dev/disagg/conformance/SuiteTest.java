// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.everyItem;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.startsWith;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SuiteTest {

    @Test
    void beamHas409TestsOfWhich393AreAttempted() {
        List<BeamTest> tests = Suite.beam().tests();

        assertThat(tests, hasSize(409));
        assertThat(tests.stream().filter(test -> test.skipReason().isEmpty()).toList(), hasSize(393));
        assertThat(tests.stream().map(BeamTest::name).distinct().toList(), hasSize(409));
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
            strings = {"--tests=(", "--category=UsesMagic", "--jvms=0", "--limit=soon", "--delayed=x", "PipelineTest"})
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
        return Suite.beam().select(ConformanceOptions.defaults().with(List.of(option))).tests().stream()
                .map(BeamTest::name)
                .toList();
    }
}
