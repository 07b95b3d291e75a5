// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class FlightDelaysTest {
    // Reports and expiries within the few days of a slice.
    private static final String[] SHORT_HISTORY = {"--historyDays=1", "--reportDays=1"};

    @TempDir
    Path directory;

    static Stream<Arguments> runners() {
        return PipelineRuns.runners();
    }

    /** All input is there before the first timer fires: every timer fires late, and in a row. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("runners")
    void boundedSliceGivesTheResultsOfPlainLoops(String runner, String runnerOptions) throws IOException {
        check(
                runner,
                runnerOptions,
                "--maxRecords=" + PipelineRuns.SLICE_RECORDS,
                "--bounded",
                "--reportDays=2",
                "--joinEvery=24h",
                "--hoursPerHistory=24");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("runners")
    void streamedSliceGivesTheResultsOfPlainLoopsWithAnySplits(String runner, String runnerOptions) throws IOException {
        check(runner, runnerOptions, "--maxRecords=250", "--sourceSplits=1");
        Map<String, String> oneSplit = PipelineRuns.files(directory.resolve("results"));
        ResultFiles.clear(directory.resolve("results"));
        check(runner, runnerOptions, "--maxRecords=250", "--sourceSplits=3", "--joinEvery=2h");
        assertThat(PipelineRuns.files(directory.resolve("results")), is(oneSplit));
    }

    /** Flights of three airports over months: histories roll, medians change, and idle keys expire. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("runners")
    void monthsOfFewAirportsGiveTheResultsOfPlainLoops(String runner, String runnerOptions) throws IOException {
        Path input = directory.resolve("few.bin");
        List<Flight> few = new ArrayList<>();
        for (Flight flight : FlightFileTest.first(400_000)) {
            if (List.of("ITO", "OGG", "LIH").containsAll(List.of(flight.origin(), flight.destination()))
                    || flight.origin().equals("ANC") && flight.destination().equals("ADQ")) {
                few.add(flight);
            }
        }
        Files.write(input, FlightFilePacker.pack(few, 100));
        check(
                runner,
                runnerOptions,
                few,
                "--input=" + input,
                "--historyDays=3",
                "--reportDays=2",
                "--joinWindow=12h",
                "--minimumConnection=0m",
                "--onwardFlights=2",
                "--hoursPerHistory=12",
                "--joinEvery=3h",
                "--bounded");
    }

    @Test
    void tableNamesTheRoutesWithTheLongestMeanDelay() throws IOException {
        Files.writeString(
                directory.resolve("routes-2001-01-01.csv"),
                "columns\nATL,BOS,2,40,20.00,1,0,3\nBOS,ATL,1,-5,-5.00,0,0,0\n");
        Files.writeString(directory.resolve("routes-2001-01-02.csv"), "columns\nATL,BOS,1,-10,-10.00,0,0,0\n");
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        DelayTable.print(directory, new PrintStream(printed, true, StandardCharsets.UTF_8));
        assertThat(printed.toString(StandardCharsets.UTF_8), containsString("4 flights on 2 routes"));
        assertThat(
                printed.toString(StandardCharsets.UTF_8),
                containsString("     10.00        3        3  ATL-BOS  Atlanta to Boston"));
    }

    @Test
    void onlyResultFilesAreCleared() throws IOException {
        for (String name :
                List.of("routes-2001-01-01.csv", ".history-2001-01-01.csv.part", "mine.csv", "notes-2001-01-01.csv")) {
            Files.writeString(directory.resolve(name), "x");
        }
        ResultFiles.clear(directory);
        assertThat(PipelineRuns.files(directory).keySet(), is(Set.of("mine.csv", "notes-2001-01-01.csv")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--joinWindow=6",
                "--joinWindow=0h",
                "--joinWindow=49h",
                "--minimumConnection=6h",
                "--joinEvery=90m",
                "--joinEvery=25h",
                "--hoursPerHistory=5",
                "--maxRecords=-1",
                "--recordsPerSecond=-1",
                "--sourceSplits=2000",
                "--onwardFlights=101",
                "--historyDays=0",
                "--reportDays=366",
                "--input=/no/such/file"
            })
    void optionThatCannotBeUsedIsNamed(String argument) {
        FlightDelaysOptions options = PipelineOptionsFactory.fromArgs(argument).as(FlightDelaysOptions.class);
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> FlightDelaysSettings.of(options));
        assertThat(refused.getMessage(), containsString(argument.substring(0, argument.indexOf('='))));
    }

    private void check(String runner, String runnerOptions, String... exampleOptions) throws IOException {
        FlightDelaysOptions options = options(runner, runnerOptions, exampleOptions);
        check(options, FlightFileTest.first((int) options.getMaxRecords()));
    }

    private void check(String runner, String runnerOptions, List<Flight> flights, String... exampleOptions)
            throws IOException {
        check(options(runner, runnerOptions, exampleOptions), flights);
    }

    private void check(FlightDelaysOptions options, List<Flight> flights) throws IOException {
        FlightDelaysSettings settings = FlightDelaysSettings.of(options);
        Pipeline pipeline = Pipeline.create(options);
        FlightDelays.build(pipeline, settings);
        PipelineRuns.run(pipeline);
        assertSameFiles(PipelineRuns.files(Path.of(settings.output())), FlightReference.files(flights, settings));
    }

    private FlightDelaysOptions options(String runner, String runnerOptions, String... exampleOptions) {
        String[] arguments = Stream.of(
                        Stream.of("--output=" + directory.resolve("results")),
                        Stream.of(SHORT_HISTORY).filter(argument -> !overridden(argument, exampleOptions)),
                        Stream.of(exampleOptions))
                .flatMap(part -> part)
                .toArray(String[]::new);
        return PipelineRuns.options(FlightDelaysOptions.class, runner, runnerOptions, arguments);
    }

    private static boolean overridden(String argument, String[] by) {
        return Stream.of(by).anyMatch(other -> other.startsWith(argument.substring(0, argument.indexOf('=') + 1)));
    }

    /** First the names, then line by line: a difference between whole files could not be read. */
    private static void assertSameFiles(Map<String, String> actual, Map<String, String> expected) {
        assertThat(new TreeMap<>(actual).keySet(), is(new TreeMap<>(expected).keySet()));
        expected.forEach((name, content) -> {
            List<String> expectedLines = content.lines().toList();
            List<String> actualLines = actual.get(name).lines().toList();
            for (int i = 0; i < Math.min(expectedLines.size(), actualLines.size()); i++) {
                assertThat(name + " line " + (i + 1), actualLines.get(i), is(expectedLines.get(i)));
            }
            assertThat(name, actual.get(name), is(content));
        });
    }
}
