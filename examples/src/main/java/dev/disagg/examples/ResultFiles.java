// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.KV;
import org.joda.time.DateTimeZone;
import org.joda.time.Instant;
import org.joda.time.format.DateTimeFormat;
import org.joda.time.format.DateTimeFormatter;

/** The files of results: one per kind and day, {@code <kind>-<day>.csv}, each with a line of column names. */
final class ResultFiles {
    private static final Pattern NAME =
            Pattern.compile("\\.?(routes|airports|history)-\\d{4}-\\d{2}-\\d{2}\\.csv(\\.part)?");
    private static final DateTimeFormatter DAY =
            DateTimeFormat.forPattern("yyyy-MM-dd").withZone(DateTimeZone.UTC);

    private ResultFiles() {}

    static String name(String kind, Instant day) {
        return kind + "-" + DAY.print(day) + ".csv";
    }

    /** The column names of a file of {@code kind}. */
    static String columns(String kind) {
        return switch (kind) {
            case FlightDelays.ROUTES -> "origin,destination," + DelayStats.COLUMNS;
            case FlightDelays.AIRPORTS -> "airport," + DelayStats.COLUMNS;
            case RouteHistory.KIND -> RouteHistory.COLUMNS;
            default -> throw new IllegalArgumentException("no such kind of results: " + kind);
        };
    }

    /** The lines, without the column names, of all files of {@code kind} in {@code directory}. */
    static List<String> lines(Path directory, String kind) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.getFileName().toString().matches(kind + "-\\d{4}-\\d{2}-\\d{2}\\.csv"))
                    .sorted()
                    .flatMap(file -> {
                        try {
                            return Files.readAllLines(file).stream().skip(1);
                        } catch (IOException e) {
                            throw new UncheckedIOException("results cannot be read: " + file, e);
                        }
                    })
                    .toList();
        }
    }

    /** Removes the result files of an earlier run; other files stay. */
    static void clear(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return;
        }
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                if (NAME.matcher(file.getFileName().toString()).matches()) {
                    Files.delete(file);
                }
            }
        }
    }

    /**
     * Writes all lines of a file, in order, beside the file and then moves it into place: a reader sees all or nothing, and
     * writing it again, as happens when a run is restored, gives the same file.
     */
    static final class Write extends DoFn<KV<String, Iterable<String>>, String> {
        private static final long serialVersionUID = 1;

        private final String directory;

        Write(String directory) {
            this.directory = directory;
        }

        @ProcessElement
        public void process(@Element KV<String, Iterable<String>> file, OutputReceiver<String> written)
                throws IOException {
            String name = file.getKey();
            StringBuilder content = new StringBuilder();
            content.append(columns(name.substring(0, name.indexOf('-')))).append('\n');
            Iterable<String> lines = file.getValue();
            try (Stream<String> sorted =
                    StreamSupport.stream(lines.spliterator(), false).sorted()) {
                sorted.forEach(line -> content.append(line).append('\n'));
            }
            Path target = Path.of(directory, name);
            Path part = Path.of(directory, "." + name + ".part");
            Files.createDirectories(target.getParent());
            Files.writeString(part, content);
            Files.move(part, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            written.output(target.toString());
        }
    }
}
