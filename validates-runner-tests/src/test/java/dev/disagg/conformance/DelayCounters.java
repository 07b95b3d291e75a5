// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What one pipeline of a delayed pass did.
 *
 * <p>The runner appends one line a pipeline to the file that the system property {@code disagg.test.counters} names, for example
 * {@code {"reads":120,"delayedReads":118,"handOvers":4}}; other fields may stand beside these.
 *
 * @param reads state reads
 * @param delayedReads those of them that did not complete at once
 * @param handOvers times the thread that ran elements passed that duty on because it had to wait
 */
record DelayCounters(long reads, long delayedReads, long handOvers) {

    /** The file of one lane; a replaced JVM appends to it. */
    static Path file(Path directory, int lane) {
        return directory.resolve("lane-" + lane + ".counters");
    }

    static DelayCounters parse(String line) {
        return new DelayCounters(field(line, "reads"), field(line, "delayedReads"), field(line, "handOvers"));
    }

    private static long field(String line, String name) {
        Matcher matcher =
                Pattern.compile("\"?\\b" + name + "\"?\\s*[:=]\\s*(\\d+)").matcher(line);
        if (!matcher.find()) {
            throw new IllegalArgumentException("the runner's counter line has no '" + name + "': " + line);
        }
        return Long.parseLong(matcher.group(1));
    }

    static List<DelayCounters> readAll(Path directory) throws IOException {
        List<DelayCounters> all = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.filter(path -> path.toString().endsWith(".counters"))
                    .sorted()
                    .toList()) {
                try (Stream<String> lines = Files.lines(file)) {
                    lines.filter(line -> !line.isBlank())
                            .map(DelayCounters::parse)
                            .forEach(all::add);
                }
            }
        }
        return all;
    }

    static DelayCounters sum(List<DelayCounters> all) {
        return new DelayCounters(
                all.stream().mapToLong(DelayCounters::reads).sum(),
                all.stream().mapToLong(DelayCounters::delayedReads).sum(),
                all.stream().mapToLong(DelayCounters::handOvers).sum());
    }

    double delayedPercent() {
        return reads == 0 ? 0 : 100.0 * delayedReads / reads;
    }
}
