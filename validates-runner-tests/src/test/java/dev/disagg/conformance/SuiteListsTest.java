// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The lists of tests are what Beam's jars hold. {@code -Dsuites.rewrite=true} writes them anew, to be looked at in the diff.
 */
class SuiteListsTest {

    private static final Path LISTS = Path.of("src", "test", "resources", "dev", "disagg", "conformance", "suites");
    private static final Set<String> EVERY_RUNNER = Set.of("ValidatesRunner");
    private static final Set<String> SOME_RUNNER = Set.of("NeedsRunner");

    @Test
    void validatesRunner() throws IOException {
        assertListIs(Suite.VALIDATES_RUNNER, core(Suite.VALIDATES_RUNNER).filter(test -> test.isInAny(EVERY_RUNNER)));
    }

    @Test
    void needsRunner() throws IOException {
        assertListIs(
                Suite.NEEDS_RUNNER,
                core(Suite.NEEDS_RUNNER).filter(test -> test.isInAny(SOME_RUNNER) && !test.isInAny(EVERY_RUNNER)));
    }

    @Test
    void runnersCoreAndTheStateOfThisRunner() throws IOException {
        String suite = Suite.RUNNERS_CORE;
        Stream<BeamTest> ofTheJar = JarListing.of(suite, JarListing.testsJarOf("beam-runners-core-java")).stream()
                .filter(test -> test.isInAny(SOME_RUNNER));
        Stream<BeamTest> ofState = Stream.of(StateOverStore.OnHeap.class, StateOverStore.OnObjects.class)
                .flatMap(each -> JarListing.of(suite, each).stream());
        assertListIs(suite, Stream.concat(ofTheJar, ofState));
    }

    /** {@code runners-core-classes.tsv} says of each class whether it concerns a runner. */
    @Test
    void everyTestClassOfRunnersCoreIsAccountedFor() throws IOException {
        List<String[]> table = Files.readAllLines(Path.of("runners-core-classes.tsv")).stream()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split("\t"))
                .toList();

        assertThat(
                table.stream().map(fields -> fields[0]).toList(),
                is(JarListing.of(Suite.RUNNERS_CORE, JarListing.testsJarOf("beam-runners-core-java")).stream()
                        .map(BeamTest::className)
                        .distinct()
                        .sorted()
                        .toList()));
        assertThat(
                table.stream()
                        .filter(fields -> fields[1].equals("suite"))
                        .map(fields -> fields[0])
                        .toList(),
                is(Suite.named(Suite.RUNNERS_CORE).tests().stream()
                        .map(BeamTest::className)
                        .filter(name -> name.startsWith("org.apache.beam."))
                        .distinct()
                        .toList()));
    }

    @Test
    void avro() throws IOException {
        assertListIs(
                Suite.AVRO,
                JarListing.of(Suite.AVRO, JarListing.testsJarOf("beam-sdks-java-extensions-avro")).stream()
                        .filter(test -> test.isInAny(SOME_RUNNER)));
    }

    private static Stream<BeamTest> core(String suite) throws IOException {
        return JarListing.of(suite, JarListing.testsJarOf("beam-sdks-java-core")).stream();
    }

    private static void assertListIs(String suite, Stream<BeamTest> tests) throws IOException {
        List<String> lines = new ArrayList<>(List.of("class#method\tcategories\tignored"));
        tests.map(JarListing::line).forEach(lines::add);
        Path file = LISTS.resolve(suite + ".tsv");
        if (Boolean.getBoolean("suites.rewrite")) {
            Files.write(file, lines);
        }
        assertThat(
                suite + " (-Dsuites.rewrite=true writes it anew)",
                lines.stream().collect(Collectors.joining("\n", "", "\n")),
                is(Files.readString(file)));
    }
}
