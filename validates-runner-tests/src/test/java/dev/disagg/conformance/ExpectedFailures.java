// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The tests that are known to fail, each with its reason, from a file of {@code class#method TAB reason} lines; empty lines and lines that begin with {@code #} are
 * comments.
 */
record ExpectedFailures(Map<String, String> reasons) {

    private static final String FILE = "expected-failures.tsv";

    ExpectedFailures {
        reasons = Map.copyOf(reasons);
    }

    /** The file for this project's runner; another runner, there to validate the harness, has its own beside it. */
    static Path fileFor(String runner) {
        return Path.of(runner.equals("TestDisaggRunner") ? FILE : FILE.replace(".tsv", "-" + runner + ".tsv"));
    }

    /** Reads {@code file}; one that does not exist expects nothing. */
    static ExpectedFailures read(Path file) throws IOException {
        return Files.exists(file) ? parse(Files.readAllLines(file)) : new ExpectedFailures(Map.of());
    }

    static ExpectedFailures parse(List<String> lines) {
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
        return new ExpectedFailures(reasons);
    }

    Optional<String> reasonFor(String test) {
        return Optional.ofNullable(reasons.get(test));
    }
}
