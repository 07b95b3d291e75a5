// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples.faults;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.startsWith;

import dev.disagg.examples.FlightRuns;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDBException;

/** FlightDelays in processes that are killed, and started again each time, writes what it writes undisturbed. */
class FlightDelaysKillTest {
    private static final boolean NIGHT = Boolean.getBoolean("disagg.night");
    private static final long SEED = Long.getLong("disagg.test.seed", NIGHT ? System.nanoTime() : 20);
    /** Points that jobs may end without having come to, before that counts as a fault of the test. */
    private static final int MAX_MISSED = 20;

    private static final Pattern RESTORED =
            Pattern.compile("restored checkpoint (\\d+) with (\\d+) requests, (\\d+) bytes read");

    @TempDir
    Path directory;

    private final List<String> example = List.of(
            "--maxRecords=" + (NIGHT ? 100_000 : 20_000),
            "--recordsPerSecond=2500",
            "--historyDays=1",
            "--reportDays=1",
            "--joinWindow=3h");

    private int restores;
    private int mostRuns;

    /** Twenty points, in a seeded order; at least three of each kind. */
    private static List<FatalPoint> points(Random random) {
        List<FatalPoint> points = new ArrayList<>();
        int each = NIGHT ? 12 : 4;
        for (int i = 0; i < each; i++) {
            points.add(new FatalPoint(FatalPoint.Kind.UPLOAD, 3 + random.nextInt(12)));
            points.add(new FatalPoint(FatalPoint.Kind.BEFORE_COMMIT, 1 + random.nextInt(3)));
            points.add(new FatalPoint(FatalPoint.Kind.EXPIRY, 1));
            points.add(new FatalPoint(FatalPoint.Kind.PARKED, 5 + random.nextInt(60)));
            points.add(
                    i % 2 == 0
                            ? new FatalPoint(FatalPoint.Kind.AFTER_COMMIT, 1 + random.nextInt(3))
                            : new FatalPoint(FatalPoint.Kind.MOMENT, 500 + random.nextInt(2500)));
        }
        Collections.shuffle(points, random);
        return points;
    }

    @Test
    void killedAtTwentyPointsWritesWhatAnUndisturbedRunWrites() throws Exception {
        Map<String, String> expected = FlightRuns.expected(example.toArray(String[]::new));
        List<FatalPoint> points = new ArrayList<>(points(new Random(SEED)));
        int job = 0;
        int missed = 0;
        while (!points.isEmpty()) {
            // One job takes as many kills as come before its end; then the next begins.
            String name = "job-" + job++;
            boolean ended = false;
            while (!ended) {
                FatalPoint point = points.isEmpty() ? null : points.get(0);
                ended = !killed(name, point);
                if (!ended) {
                    points.remove(0);
                    verifyTables(name);
                } else if (point != null) {
                    missed++;
                    assertThat(
                            "seed " + SEED + ": jobs end before " + points, missed, is(Math.min(missed, MAX_MISSED)));
                }
            }
            String different = FlightRuns.difference(FlightRuns.files(directory.resolve(name)), expected);
            assertThat("seed " + SEED + ", " + name + ": " + different, different, is(""));
            verifyTables(name);
        }
        assertThat("restores that were logged", restores, is(greaterThan(10)));
        assertThat("runs of one family of one task", mostRuns, is(greaterThanOrEqualTo(3)));
    }

    /** Every table that the newest checkpoint names, as the kill left it, is accepted by RocksDB. */
    private void verifyTables(String job) throws IOException, RocksDBException {
        Optional<CommittedTables> tables =
                CommittedTables.verify("file://" + directory.resolve("state"), job, directory);
        mostRuns = Math.max(mostRuns, tables.map(CommittedTables::runs).orElse(0));
    }

    /** Runs the job to the point, or to its end; true when it was killed. */
    private boolean killed(String job, FatalPoint point) throws IOException, InterruptedException {
        Path evidence = directory.resolve("evidence");
        Files.deleteIfExists(evidence);
        List<String> properties = point == null
                ? List.of()
                : List.of(FatalPoint.PROPERTY + "=" + point, FatalPoint.EVIDENCE + "=" + evidence);
        List<String> args = Stream.of(
                        example.stream(),
                        Stream.of(
                                "--output=" + directory.resolve(job),
                                "--stateUri=fatal+file://" + directory.resolve("state"),
                                "--jobName=" + job,
                                "--restore=auto",
                                "--keepState=true",
                                "--checkpointInterval=300ms",
                                "--stateMemory=8MB",
                                "--parallelism=2",
                                "--maxInFlightComputations=200"),
                        point != null && point.kind() == FatalPoint.Kind.PARKED
                                ? Stream.of("--stateLatency=5ms")
                                : Stream.<String>of())
                .flatMap(part -> part)
                .toList();
        try (FlightProcess process = FlightProcess.start(properties, args)) {
            int exit = process.exit();
            String output = process.output();
            noteRestore(output);
            if (exit == 0) {
                System.out.println("faults: " + job + " came to its end" + (point == null ? "" : " before " + point));
                return false;
            }
            assertThat("seed " + SEED + ", " + point + ":\n" + output, exit, is(FlightProcess.KILLED));
            String seen = Files.readString(evidence).strip();
            System.out.println("faults: " + job + " was killed at " + seen);
            assertThat(seen, startsWith(point + " "));
            return true;
        }
    }

    private void noteRestore(String output) {
        Matcher restored = RESTORED.matcher(output);
        if (restored.find()) {
            restores++;
            assertThat(restored.group(), Long.parseLong(restored.group(2)), is(greaterThan(0L)));
            assertThat(restored.group(), Long.parseLong(restored.group(3)), is(greaterThan(0L)));
            System.out.println("faults: " + restored.group());
        }
    }
}
