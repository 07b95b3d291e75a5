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
 * A list of Beam's tests, in the order in which they run and are reported.
 *
 * <p>The lists are copies of the facts in Beam's {@code tests} jars (a line a test: name, categories, ignored), so that a test that disappears from a jar with a new
 * Beam version is a failure and not a smaller number. {@link JarListing} makes them.
 */
record Suite(List<BeamTest> tests) {

    /** What Beam publishes for every runner. */
    static final String VALIDATES_RUNNER = "validates-runner";

    /** Tests of Beam's core that need some runner. With those for every runner, which Beam counts among them, they are 918. */
    static final String NEEDS_RUNNER = "needs-runner";

    /** Tests of Beam's library for runners that run on a runner, or over a runner's state. */
    static final String RUNNERS_CORE = "runners-core";

    /** Tests of Beam's Avro extension that need some runner. */
    static final String AVRO = "avro";

    /** The suites there are, in the order in which they run. */
    static final List<String> NAMES = List.of(VALIDATES_RUNNER, NEEDS_RUNNER, RUNNERS_CORE, AVRO);

    Suite {
        tests = List.copyOf(tests);
    }

    /** The tests of all suites. */
    static Suite whole() {
        return new Suite(
                NAMES.stream().flatMap(name -> named(name).tests().stream()).toList());
    }

    static Suite named(String name) {
        try (InputStream in = Objects.requireNonNull(
                        Suite.class.getResourceAsStream("suites/" + name + ".tsv"), () -> "there is no suite " + name);
                BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            return parse(name, reader.lines().toList());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the list of tests of " + name, e);
        }
    }

    /** Reads lines of {@code class#method TAB category,category TAB ignored} below one heading line. */
    static Suite parse(String name, List<String> lines) {
        List<BeamTest> tests = new ArrayList<>();
        for (String line : lines.subList(1, lines.size())) {
            String[] fields = line.split("\t", -1);
            int hash = fields[0].indexOf('#');
            if (fields.length != 3 || hash < 0) {
                throw new IllegalArgumentException(
                        "suite " + name + ": not 'class#method TAB categories TAB ignored': " + line);
            }
            tests.add(new BeamTest(
                    name,
                    fields[0].substring(0, hash),
                    fields[0].substring(hash + 1),
                    Set.of(fields[1].split(",")),
                    Boolean.parseBoolean(fields[2])));
        }
        return new Suite(tests);
    }

    /** The tests that {@code selection} chooses; their order stays. */
    Suite select(Selection selection) {
        return new Suite(tests.stream().filter(selection::selects).toList());
    }
}
