// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples.faults;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;

import dev.disagg.examples.FlightRuns;
import dev.disagg.ufs.Checkpoint;
import dev.disagg.ufs.ObjectStore;
import dev.disagg.ufs.ObjectStores;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What processes of one job do to each other, and what a signal to end does. */
class FlightDelaysProcessesTest {
    private static final List<String> EXAMPLE = List.of(
            "--maxRecords=12000", "--recordsPerSecond=1000", "--historyDays=1", "--reportDays=1", "--joinWindow=3h");

    @TempDir
    Path directory;

    @Test
    void secondProcessOfAJobFencesTheFirst() throws Exception {
        try (FlightProcess first = start("--checkpointInterval=200ms", "--progressInterval=100ms")) {
            first.awaitLine(line -> line.contains(" took "));
            try (FlightProcess second = start("--checkpointInterval=200ms")) {
                assertThat(first.output(), first.exit(), is(1));
                assertThat(first.output(), containsString("Fenced"));
                // The clear message: who took it over, and what to do.
                assertThat(first.output(), containsString("job 'flights'"));
                assertThat(second.output(), second.exit(), is(0));
                assertThat(second.output(), containsString("restored checkpoint "));
            }
        }
        // No checkpoint of the first followed the second's beginning: else the second could not have committed.
        assertThat(newest().orElseThrow().epoch(), is(2L));
        checkResults();
    }

    @Test
    void signalToEndTakesAFinalCheckpoint() throws Exception {
        try (FlightProcess process = start("--checkpointInterval=1h", "--progressInterval=100ms")) {
            process.awaitLine(line -> line.matches("[1-9][0-9,]* records.*no checkpoint yet.*"));
            process.terminate();
            assertThat(process.output(), process.exit(), is(FlightProcess.TERMINATED));
        }
        assertThat(newest().isPresent(), is(true));
        try (FlightProcess process = start("--checkpointInterval=300ms")) {
            assertThat(process.output(), process.exit(), is(0));
            assertThat(process.output(), containsString("restored checkpoint 1 "));
        }
        checkResults();
    }

    /** Without checkpoints there is nothing to go on from, and nothing to wait for. */
    @Test
    void signalToEndWithoutCheckpointsEndsAtOnce() throws Exception {
        try (FlightProcess process = start("--checkpointInterval=off", "--progressInterval=100ms")) {
            process.awaitLine(line -> line.matches("[1-9][0-9,]* records.*"));
            process.terminate();
            assertThat(process.output(), process.exit(), is(FlightProcess.TERMINATED));
            assertThat(process.output(), not(containsString("final checkpoint")));
        }
        assertThat(newest(), is(Optional.empty()));
    }

    private FlightProcess start(String... options) throws IOException {
        return FlightProcess.start(
                List.of(),
                Stream.of(
                                EXAMPLE.stream(),
                                Stream.of(
                                        "--output=" + directory.resolve("results"),
                                        "--stateUri=" + directory.resolve("state"),
                                        "--jobName=flights",
                                        "--restore=auto",
                                        "--keepState=true",
                                        "--stateMemory=8MB",
                                        "--parallelism=2",
                                        "--maxInFlightComputations=200"),
                                Stream.of(options))
                        .flatMap(part -> part)
                        .toList());
    }

    private Optional<Checkpoint> newest() {
        try (ObjectStore store = ObjectStores.open(directory.resolve("state").toString())) {
            return CommittedTables.newest(store, "flights");
        }
    }

    private void checkResults() throws IOException {
        Map<String, String> expected = FlightRuns.expected(EXAMPLE.toArray(String[]::new));
        String different = FlightRuns.difference(FlightRuns.files(directory.resolve("results")), expected);
        assertThat(different, different, is(""));
    }
}
