// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.conformance.Outcome.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CapabilityMatrixTest {

    private static final String ROW = "What\tParDo\tyes\tall of it\tXTest#good* own:OurTest";
    private static final Suite SUITE = new Suite(List.of(
            new BeamTest(Suite.VALIDATES_RUNNER, "a.b.XTest", "good", Set.of(), false),
            new BeamTest(Suite.VALIDATES_RUNNER, "a.b.XTest", "goodToo", Set.of(), false),
            new BeamTest(Suite.VALIDATES_RUNNER, "a.b.XTest", "bad", Set.of(), false)));

    @Test
    void pageIsWhatTheRecordedOutcomesMake() throws IOException {
        assertThat(
                "docs/capability-matrix.md (./dev conformance --matrix writes it anew)",
                Files.readString(CapabilityMatrix.PAGE),
                is(MatrixPage.read().text()));
    }

    @Test
    void everyRowIsProvenByTestsThatExistAndPass() throws IOException {
        Recorded recorded = Recorded.read(Recorded.FILE);
        List<String> sources = OwnTests.inSources(Path.of(".."));

        for (MatrixRow row : MatrixRow.read(MatrixRow.FILE)) {
            assertThat(
                    row + " has a proof",
                    row.support().equals("no") || !row.proofs().isEmpty(),
                    is(true));
            for (Proof proof : row.proofs()) {
                List<Recorded.Key> tests = proof.tests(recorded);
                assertThat(
                        proof + " of " + row + " names no recorded test: run it, then ./dev conformance --matrix",
                        tests.isEmpty(),
                        is(false));
                for (Configuration configuration : Configuration.values()) {
                    assertThat(
                            proof + " of " + row + ": " + configuration,
                            recorded.count(tests, configuration).isFull(),
                            is(true));
                }
                if (proof.isOwn()) {
                    assertThat(
                            proof + " of " + row + " is in no source",
                            tests.stream()
                                    .map(Recorded.Key::test)
                                    .map(test -> test.replaceFirst("^.*\\.", ""))
                                    .filter(test -> !sources.contains(test))
                                    .toList(),
                            empty());
                }
            }
        }
    }

    @Test
    void outcomesAreRecordedOfTheTestsThereAre() throws IOException {
        Recorded recorded = Recorded.read(Recorded.FILE);

        for (String suite : Suite.NAMES) {
            assertThat(
                    suite,
                    Set.copyOf(recorded.tests(suite)),
                    equalTo(Set.copyOf(Suite.named(suite).tests().stream()
                            .map(BeamTest::name)
                            .toList())));
        }
    }

    @Test
    void recordOfAPassKeepsWhatDidNotRunAndForgetsWhatIsGone() {
        Recorded before = Recorded.parse(List.of(
                "validates-runner\ta.b.XTest#good\tPASS\tFAIL\t-",
                "validates-runner\ta.b.XTest#gone\tPASS\tPASS\tPASS"));

        Recorded after = before.with(
                Configuration.PARALLEL, List.of(new Outcome("a.b.XTest#goodToo", Status.PASS, 1, "")), SUITE);

        assertThat(
                after.lines().subList(2, after.lines().size()),
                contains(
                        "validates-runner\ta.b.XTest#good\tPASS\tFAIL\t-",
                        "validates-runner\ta.b.XTest#goodToo\t-\tPASS\t-"));
        assertThat(Recorded.parse(after.lines()), equalTo(after));
    }

    @Test
    void proofIsCountedByConfigurationWhenTheyDiffer() {
        Recorded recorded = Recorded.parse(List.of(
                        "validates-runner\ta.b.XTest#good\tPASS\tFAIL\t-",
                        "validates-runner\ta.b.XTest#goodToo\tPASS\tPASS\t-",
                        "validates-runner\ta.b.XTest#bad\tFAIL\tFAIL\t-"))
                .withOwn(Map.of("dev.OurTest#works", Status.PASS));

        String page = new CapabilityMatrix(
                        recorded,
                        List.of(MatrixRow.parse(ROW)),
                        new OtherRunners(List.of("Other"), Map.of(List.of("What", "ParDo"), List.of("partly"))),
                        SUITE,
                        new ExpectedFailures(Map.of(), Map.of()))
                .text();

        assertThat(
                page,
                containsString(
                        "| ParDo | **yes** | partly | all of it | `XTest#good*` 2 of 2 (defaults), 1 of 2 (four tasks,"
                                + " bundles of one element), `OurTest`\\* 1 of 1 |"));
        assertThat(page, containsString("| `validates-runner` | 3 | 3 | 2 of 3 pass | 1 of 3 pass | not run | 0 |"));
    }

    @Test
    void rowWithoutAKnownSupportIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> MatrixRow.parse("What\tParDo\tsurely\t\t"));
    }
}
