// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The tests that are known to fail, each with its reason, from files of {@code class#method TAB reason} lines; empty lines and lines that begin with {@code #} are
 * comments.
 *
 * @param reasons what the runner should do and does not
 * @param notTheRunners what no runner of this kind is asked for
 */
record ExpectedFailures(Map<String, String> reasons, Map<String, String> notTheRunners) {

    private static final String FILE = "expected-failures.tsv";
    private static final String NOT_THE_RUNNERS_FILE = "not-the-runners-business.tsv";

    /** @throws IllegalArgumentException when a test is in both */
    ExpectedFailures {
        reasons = Map.copyOf(reasons);
        notTheRunners = Map.copyOf(notTheRunners);
        for (String test : notTheRunners.keySet()) {
            if (reasons.containsKey(test)) {
                throw new IllegalArgumentException("listed in both files of expected failures: " + test);
            }
        }
    }

    /** What is expected of {@code runner}; runners other than this project's, there to validate the harness, have files of their own beside ours. */
    static ExpectedFailures of(String runner) throws IOException {
        String kind = runner.equals(ConformanceOptions.OWN_RUNNER) ? ".tsv" : "-" + runner + ".tsv";
        return new ExpectedFailures(
                read(Path.of(FILE.replace(".tsv", kind))), read(Path.of(NOT_THE_RUNNERS_FILE.replace(".tsv", kind))));
    }

    /** Reads {@code file}; one that does not exist expects nothing. */
    private static Map<String, String> read(Path file) throws IOException {
        return Files.exists(file) ? parse(Files.readAllLines(file)) : Map.of();
    }

    static Map<String, String> parse(List<String> lines) {
        Map<String, String> reasons = new TreeMap<>();
        for (String line : lines) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            String[] fields = line.split("\t", 2);
            if (fields.length != 2 || fields[1].isBlank()) {
                throw new IllegalArgumentException(
                        "expected failures: a line is 'class#method TAB reason', and the reason is not empty: " + line);
            }
            if (reasons.put(fields[0], fields[1].strip()) != null) {
                throw new IllegalArgumentException("expected failures: listed twice: " + fields[0]);
            }
        }
        return reasons;
    }

    /** Every expected failure, whoever's it is. */
    Map<String, String> all() {
        Map<String, String> all = new HashMap<>(reasons);
        all.putAll(notTheRunners);
        return all;
    }

    Optional<String> reasonFor(String test) {
        return Optional.ofNullable(all().get(test));
    }
}
