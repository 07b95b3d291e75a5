// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples.faults;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThan;
import static org.hamcrest.Matchers.notNullValue;
import static org.hamcrest.Matchers.nullValue;

import dev.disagg.examples.FlightRuns;
import dev.disagg.runner.DisaggPipelineResult;
import dev.disagg.runner.engine.EmbeddedJob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.beam.sdk.PipelineResult;
import org.joda.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** FlightDelays writes the same whatever the options of the runner, and whatever they were before a restore. */
class FlightDelaysOptionsTest {
    private static final int RECORDS = Boolean.getBoolean("disagg.night") ? 50_000 : 6000;
    private static final List<String> EXAMPLE =
            List.of("--maxRecords=" + RECORDS, "--historyDays=1", "--reportDays=1", "--joinWindow=3h");
    private static Map<String, String> expected;

    @TempDir
    Path directory;

    @BeforeAll
    static void compute() {
        expected = FlightRuns.expected(EXAMPLE.toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--parallelism=1",
                "--parallelism=2",
                "--parallelism=4",
                "--parallelism=2 --stateBackend=heap",
                "--parallelism=2 --maxInFlightComputations=1",
                "--parallelism=2 --maxParkedComputations=1 --stateLatency=1ms",
                "--parallelism=2 --asyncState=off",
                "--parallelism=2 --stateLatency=5ms",
                "--parallelism=2 --checkpointInterval=off --copyElements=true",
                "--parallelism=2 --maxBundleElements=1"
            })
    void noOptionChangesTheResults(String options) throws IOException {
        List<String> args = new ArrayList<>(List.of("--checkpointInterval=300ms"));
        for (String option : options.split(" ")) {
            args.removeIf(given -> given.startsWith(option.substring(0, option.indexOf('='))));
            args.add(option);
        }
        PipelineResult result = start("results", "state", args);
        assertThat(result.waitUntilFinish(), is(PipelineResult.State.DONE));
        check("results");
    }

    @Test
    void checkpointRestoresWithAnotherParallelismAndBackend() throws Exception {
        for (String backend : List.of("disagg", "heap")) {
            String origin = "state-" + backend;
            stopInTheMiddle(origin, "--parallelism=2", "--stateBackend=" + backend);
            String other = backend.equals("heap") ? "disagg" : "heap";
            for (String options :
                    List.of("--parallelism=4 --stateBackend=" + backend, "--parallelism=1 --stateBackend=" + other)) {
                String name = backend + options.replaceAll("[^a-z0-9]+", "-");
                copy(directory.resolve(origin), directory.resolve("state-" + name));
                copy(directory.resolve("results-" + origin), directory.resolve(name));
                List<String> args = new ArrayList<>(List.of(options.split(" ")));
                args.add("--restore=latest");
                args.add("--checkpointInterval=300ms");
                assertThat(name, start(name, "state-" + name, args).waitUntilFinish(), is(PipelineResult.State.DONE));
                check(name);
            }
        }
    }

    /** 2, then 4, then 1, then 3: what one restore moved is moved again. */
    @Test
    void checkpointsOfRescaledJobsRestoreAgain() throws Exception {
        stopInTheMiddle("state", "--parallelism=2");
        for (int parallelism : new int[] {4, 1}) {
            DisaggPipelineResult result = start(
                    "results-state",
                    "state",
                    List.of("--parallelism=" + parallelism, "--restore=latest", "--checkpointInterval=1h"));
            result.checkpoint().get(120, TimeUnit.SECONDS);
            result.cancel();
        }
        List<String> last = List.of("--parallelism=3", "--restore=latest", "--checkpointInterval=300ms");
        assertThat(start("results-state", "state", last).waitUntilFinish(), is(PipelineResult.State.DONE));
        check("results-state");
    }

    /** Runs until some of the input is taken, with a checkpoint of that moment, and stops without finishing. */
    private void stopInTheMiddle(String state, String... args) throws Exception {
        List<String> all = new ArrayList<>(List.of(args));
        // Limited, so that the middle is not missed: the input lasts for two seconds at least.
        all.addAll(List.of("--recordsPerSecond=" + RECORDS / 2, "--checkpointInterval=1h"));
        DisaggPipelineResult result = start("results-" + state, state, all);
        while (progress(result).records() < RECORDS / 3) {
            assertThat("still runs", result.waitUntilFinish(Duration.millis(10)), is(nullValue()));
        }
        assertThat(progress(result).records(), is(lessThan((long) RECORDS)));
        result.checkpoint().get(120, TimeUnit.SECONDS);
        result.cancel();
        assertThat(progress(result).checkpoints(), is(greaterThan(0L)));
    }

    private static EmbeddedJob.Progress progress(DisaggPipelineResult result) {
        EmbeddedJob.Progress progress = result.progress();
        assertThat(progress, is(notNullValue()));
        return progress;
    }

    private DisaggPipelineResult start(String output, String state, List<String> options) {
        List<String> args = new ArrayList<>(EXAMPLE);
        args.addAll(List.of(
                "--runner=DisaggRunner",
                "--output=" + directory.resolve(output),
                "--stateUri=" + directory.resolve(state),
                "--jobName=flights",
                "--stateMemory=8MB"));
        args.addAll(options);
        return (DisaggPipelineResult) FlightRuns.start(args.toArray(String[]::new));
    }

    private void check(String output) throws IOException {
        String different = FlightRuns.difference(FlightRuns.files(directory.resolve(output)), expected);
        assertThat(output + ": " + different, different, is(""));
    }

    private static void copy(Path from, Path to) throws IOException {
        if (Files.notExists(from)) {
            return;
        }
        try (Stream<Path> paths = Files.walk(from)) {
            for (Path path : paths.toList()) {
                Files.copy(path, to.resolve(from.relativize(path).toString()));
            }
        }
    }
}
