// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What pipelines of a delayed pass did.
 *
 * <p>The runner appends one line a pipeline to the file that the system property {@code disagg.test.counters} names, for example
 * {@code {"reads":120,"delayedReads":118,"handOvers":4}}; other fields may stand beside these.
 *
 * @param reads state reads
 * @param delayedReads those of them that did not complete at once
 * @param handOvers times the thread that ran elements passed that duty on because it had to wait
 */
record DelayCounters(long reads, long delayedReads, long handOvers) {

    static final String FILE_PROPERTY = "disagg.test.counters";

    static final DelayCounters NONE = new DelayCounters(0, 0, 0);

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

    /** The sum of the lines of {@code file} from byte {@code offset} on; nothing when there is no such file. */
    static DelayCounters readFrom(Path file, long offset) throws IOException {
        if (!Files.exists(file)) {
            return NONE;
        }
        byte[] bytes;
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
            bytes = new byte[(int) (in.length() - offset)];
            in.seek(offset);
            in.readFully(bytes);
        }
        List<String> lines = new String(bytes, StandardCharsets.UTF_8).lines().toList();
        return sum(lines.stream()
                .filter(line -> !line.isBlank())
                .map(DelayCounters::parse)
                .toList());
    }

    static DelayCounters sum(Collection<DelayCounters> all) {
        return new DelayCounters(
                all.stream().mapToLong(DelayCounters::reads).sum(),
                all.stream().mapToLong(DelayCounters::delayedReads).sum(),
                all.stream().mapToLong(DelayCounters::handOvers).sum());
    }

    double delayedPercent() {
        return reads == 0 ? 0 : 100.0 * delayedReads / reads;
    }
}
