// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * The list of Beam's ValidatesRunner tests, in the order in which they run and are reported.
 *
 * <p>It is a copy of the facts in Beam's core {@code tests} jar (a line a test: name, categories, ignored), so that a test that disappears from the jar with a new
 * Beam version is a failure and not a smaller number.
 */
record Suite(List<BeamTest> tests) {

    Suite {
        tests = List.copyOf(tests);
    }

    /** Beam's suite: 409 tests. */
    static Suite beam() {
        try (InputStream in = Objects.requireNonNull(
                        Suite.class.getResourceAsStream("suite.tsv"), "suite.tsv is not on the class path");
                BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            return parse(reader.lines().toList());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the list of tests suite.tsv", e);
        }
    }

    /** Reads lines of {@code class#method TAB category,category TAB ignored} below one heading line. */
    static Suite parse(List<String> lines) {
        List<BeamTest> tests = new ArrayList<>();
        for (String line : lines.subList(1, lines.size())) {
            String[] fields = line.split("\t", -1);
            int hash = fields[0].indexOf('#');
            if (fields.length != 3 || hash < 0) {
                throw new IllegalArgumentException("suite.tsv: not 'class#method TAB categories TAB ignored': " + line);
            }
            tests.add(new BeamTest(
                    fields[0].substring(0, hash),
                    fields[0].substring(hash + 1),
                    Set.of(fields[1].split(",")),
                    Boolean.parseBoolean(fields[2])));
        }
        return new Suite(tests);
    }

    /** The tests that {@code options} choose; their order stays. */
    Suite select(ConformanceOptions options) {
        return new Suite(tests.stream().filter(options::selects).toList());
    }
}
