// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.PipelineResult;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.junit.jupiter.params.provider.Arguments;

/** The runners that the examples are tested with, and what their tests share. A runner is added in one line. */
final class PipelineRuns {
    /**
     * How many records of the flights are compared. DirectRunner takes about a millisecond for each, and more than that for
     * each key and bundle.
     */
    static final int SLICE_RECORDS = Integer.getInteger("examples.slice", 20_000);

    // The file sinks tell of every file. Held here, since a logger that nobody holds forgets its level.
    private static final Logger BEAM = Logger.getLogger("org.apache.beam");

    static {
        BEAM.setLevel(Level.WARNING);
    }

    private PipelineRuns() {}

    /** Whether {@code runner} is compared on whole inputs; the others are, on them, with {@code -Dexamples.whole=true}. */
    static boolean takesWholeInputs(String runner) {
        return Boolean.getBoolean("examples.whole") || !runner.equals("DirectRunner");
    }

    /** Names of runners, each with the options that it needs in tests. */
    static Stream<Arguments> runners() {
        return Stream.of(
                Arguments.of(
                        "DirectRunner",
                        "--enforceImmutability=false --enforceEncodability=false --targetParallelism=2"),
                Arguments.of("DisaggRunner", "--parallelism=2 --stateMemory=8MB"),
                Arguments.of("DisaggRunner", "--parallelism=3 --stateBackend=heap --checkpointInterval=500ms"));
    }

    /** Options of an example for a run with {@code runner}. */
    static <T extends PipelineOptions> T options(
            Class<T> type, String runner, String runnerOptions, String... exampleOptions) {
        String[] args = Stream.of(
                        Stream.of("--runner=" + runner), Stream.of(runnerOptions.split(" ")), Stream.of(exampleOptions))
                .flatMap(part -> part)
                .filter(argument -> !argument.isEmpty())
                .toArray(String[]::new);
        return PipelineOptionsFactory.fromArgs(args).withValidation().as(type);
    }

    static void run(Pipeline pipeline) {
        assertThat(pipeline.run().waitUntilFinish(), is(PipelineResult.State.DONE));
    }

    /** Contents by name of all files in {@code directory}. */
    static Map<String, String> files(Path directory) throws IOException {
        Map<String, String> files = new TreeMap<>();
        try (Stream<Path> paths = Files.list(directory)) {
            for (Path path : paths.toList()) {
                files.put(path.getFileName().toString(), Files.readString(path));
            }
        }
        return files;
    }
}
