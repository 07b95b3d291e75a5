// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks.async;

import dev.disagg.benchmarks.Measure;
import dev.disagg.benchmarks.jmh.Jmh;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code ./dev bench async [--rows=name,name] [--seconds=20] [--keys=1000000] [--java24=HOME] [--scratch=DIRECTORY]}: the rows
 * in the order of their names in {@link #ROWS}; a row that cannot be measured here is noted as skipped, with the reason. The scratch
 * directory needs about 8 GB; by default it is in memory (/dev/shm) where there is such a place.
 */
public final class AsyncBench {
    private static final int WARM_UP_SECONDS = 20;
    private static final int LEAST_KEYS = 1000;
    private static final Path IN_MEMORY = Path.of("/dev/shm");

    /** What a row is measured with. */
    record Setting(Bed bed, Optional<String> java24) {}

    private interface Row {
        List<Measure> measure(Setting setting) throws Exception;
    }

    private static final Map<String, Row> ROWS = new LinkedHashMap<>();

    static {
        ROWS.put("admit", setting -> Jmh.async(List.of()));
        ROWS.put("cold", setting -> ColdRows.cold(setting.bed()));
        ROWS.put("inflight", setting -> ColdRows.inFlight(setting.bed()));
        ROWS.put("misses", ColdRows::misses);
        ROWS.put("zipf", setting -> SharedMemoryRows.zipf(setting.bed()));
        ROWS.put("hot", setting -> SharedMemoryRows.hot(setting.bed()));
        ROWS.put("handover", HandOverRow::measure);
        ROWS.put("drain", setting -> ColdRows.drain(setting.bed()));
        ROWS.put("freeze", setting -> FreezeRow.measure(setting.bed()));
    }

    private AsyncBench() {}

    /** @param options as the class says */
    public static List<Measure> run(List<String> options) throws Exception {
        List<String> rows = new ArrayList<>(ROWS.keySet());
        int seconds = 20;
        int keys = 1_000_000;
        Path scratch = scratch();
        Optional<String> java24 = Optional.empty();
        for (String option : options) {
            String value = option.substring(option.indexOf('=') + 1);
            if (option.startsWith("--rows=")) {
                rows = Arrays.asList(value.split(","));
            } else if (option.matches("--seconds=[1-9][0-9]{0,3}")) {
                seconds = Integer.parseInt(value);
            } else if (option.matches("--keys=[1-9][0-9]{0,8}")) {
                keys = Integer.parseInt(value);
            } else if (option.startsWith("--scratch=")) {
                scratch = Path.of(value);
            } else if (option.startsWith("--java24=")) {
                java24 = Optional.of(value);
            } else {
                throw new IllegalArgumentException("'" + option
                        + "' is not one of --rows=NAME,NAME --seconds=N --keys=N --java24=HOME --scratch=DIRECTORY");
            }
        }
        if (keys < LEAST_KEYS) {
            throw new IllegalArgumentException("--keys=" + keys + " is less than " + LEAST_KEYS);
        }
        for (String row : rows) {
            if (!ROWS.containsKey(row)) {
                throw new IllegalArgumentException(
                        "there is no row '" + row + "'; rows: " + String.join(" ", ROWS.keySet()));
            }
        }
        return measure(rows, new Limits(scratch, keys, seconds), java24);
    }

    private record Limits(Path scratch, int keys, int seconds) {}

    private static Path scratch() {
        return Files.isWritable(IN_MEMORY) ? IN_MEMORY : Path.of(System.getProperty("java.io.tmpdir"));
    }

    private static List<Measure> measure(List<String> rows, Limits limits, Optional<String> java24) throws Exception {
        List<Measure> measures = new ArrayList<>();
        List<String> failed = new ArrayList<>();
        try (Bed bed = new Bed(limits.scratch(), limits.keys(), WARM_UP_SECONDS, limits.seconds())) {
            Setting setting = new Setting(bed, java24);
            for (String name : rows) {
                Row row = ROWS.get(name);
                try {
                    if (row != null) {
                        measures.addAll(row.measure(setting));
                    }
                } catch (IllegalStateException | IOException e) {
                    // One row that fails must not take the figures of the others along.
                    Bed.note("row " + name + " FAILED: " + e.getMessage());
                    failed.add(name);
                }
            }
        }
        if (!failed.isEmpty()) {
            measures.forEach(measure -> System.out.println(measure.line("async")));
            throw new IllegalStateException("these rows failed, see the notes: " + String.join(" ", failed));
        }
        return measures;
    }
}
