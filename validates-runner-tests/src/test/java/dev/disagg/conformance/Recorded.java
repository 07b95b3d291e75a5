// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import dev.disagg.conformance.Outcome.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * How each test ended when it last ran in each configuration: what the capability matrix is made of. Kept in a file of {@code suite TAB class#method} and one column a
 * configuration, {@code -} where it has not run.
 *
 * @param outcomes by suite and test; this project's own tests are in the suite {@link #OWN}
 * @param delayed what all pipelines of the last delayed pass did together
 */
record Recorded(Map<Key, Map<Configuration, Status>> outcomes, DelayCounters delayed) {

    static final Path FILE = Path.of("recorded.tsv");

    /** Stands for a suite: tests of this project. */
    static final String OWN = "own";

    private static final String NOT_RUN = "-";

    /** A test of a suite. */
    record Key(String suite, String test) {
        private static final Comparator<Key> ORDER = Comparator.<Key>comparingInt(
                        key -> Suite.NAMES.indexOf(key.suite()))
                .thenComparing(Key::suite)
                .thenComparing(Key::test);
    }

    /** Passed, and attempted, tests. */
    record Count(int passed, int attempted) {

        boolean isFull() {
            return passed == attempted;
        }

        @Override
        public String toString() {
            return passed + " of " + attempted;
        }
    }

    static Recorded empty() {
        return new Recorded(Map.of(), DelayCounters.NONE);
    }

    static Recorded read(Path file) throws IOException {
        return Files.exists(file) ? parse(Files.readAllLines(file)) : empty();
    }

    static Recorded parse(List<String> lines) {
        Map<Key, Map<Configuration, Status>> outcomes = new TreeMap<>(Key.ORDER);
        DelayCounters delayed = DelayCounters.NONE;
        for (String line : lines) {
            if (line.startsWith("# delayed: ")) {
                delayed = DelayCounters.parse(line);
            }
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            String[] fields = line.split("\t", -1);
            if (fields.length != 2 + Configuration.values().length) {
                throw new IllegalArgumentException("recorded outcomes: not suite, test and "
                        + Configuration.values().length + " outcomes: " + line);
            }
            Map<Configuration, Status> byConfiguration = new EnumMap<>(Configuration.class);
            for (Configuration configuration : Configuration.values()) {
                String status = fields[2 + configuration.ordinal()];
                if (!status.equals(NOT_RUN)) {
                    byConfiguration.put(configuration, Status.valueOf(status));
                }
            }
            outcomes.put(new Key(fields[0], fields[1]), byConfiguration);
        }
        return new Recorded(outcomes, delayed);
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add("# How each test ended when it last ran: suite TAB test TAB "
                + Arrays.stream(Configuration.values())
                        .map(Configuration::lowerCase)
                        .collect(Collectors.joining(" TAB "))
                + ". Written by ./dev conformance --matrix; never by hand.");
        lines.add("# delayed: reads=" + delayed.reads() + " delayedReads=" + delayed.delayedReads() + " handOvers="
                + delayed.handOvers());
        outcomes.forEach((key, byConfiguration) -> lines.add(key.suite() + "\t" + key.test() + "\t"
                + Arrays.stream(Configuration.values())
                        .map(configuration -> Optional.ofNullable(byConfiguration.get(configuration))
                                .map(Status::name)
                                .orElse(NOT_RUN))
                        .collect(Collectors.joining("\t"))));
        return lines;
    }

    /** With the outcomes of a pass, which may be one of few tests. Tests that no suite lists any more are dropped. */
    Recorded with(Configuration configuration, List<Outcome> pass, Suite whole) {
        Map<String, String> suites = whole.tests().stream().collect(Collectors.toMap(BeamTest::name, BeamTest::suite));
        Map<Key, Map<Configuration, Status>> all = new TreeMap<>(Key.ORDER);
        outcomes.forEach((key, byConfiguration) -> {
            if (key.suite().equals(OWN) || key.suite().equals(suites.get(key.test()))) {
                all.put(key, new EnumMap<>(byConfiguration));
            }
        });
        for (Outcome outcome : pass) {
            String suite = suites.get(outcome.test());
            if (suite != null) {
                all.computeIfAbsent(new Key(suite, outcome.test()), key -> new EnumMap<>(Configuration.class))
                        .put(configuration, outcome.status());
            }
        }
        boolean complete = pass.size() == whole.tests().size() && configuration == Configuration.DELAYED;
        return new Recorded(
                all,
                complete
                        ? DelayCounters.sum(pass.stream().map(Outcome::counters).toList())
                        : delayed);
    }

    /** With these outcomes of this project's own tests, and no others of them. */
    Recorded withOwn(Map<String, Status> own) {
        Map<Key, Map<Configuration, Status>> all = new TreeMap<>(Key.ORDER);
        outcomes.forEach((key, byConfiguration) -> {
            if (!key.suite().equals(OWN)) {
                all.put(key, byConfiguration);
            }
        });
        own.forEach((test, status) -> all.put(new Key(OWN, test), Map.of(Configuration.DEFAULTS, status)));
        return new Recorded(all, delayed);
    }

    List<String> tests(String suite) {
        return outcomes.keySet().stream()
                .filter(key -> key.suite().equals(suite))
                .map(Key::test)
                .toList();
    }

    Optional<Status> outcome(String suite, String test, Configuration configuration) {
        return Optional.ofNullable(
                outcomes.getOrDefault(new Key(suite, test), Map.of()).get(configuration));
    }

    /** Of {@code tests}: what ran in {@code configuration} and was not skipped. */
    Count count(List<Key> tests, Configuration configuration) {
        List<Status> ran = tests.stream()
                .map(key -> outcome(key.suite(), key.test(), configuration))
                .flatMap(Optional::stream)
                .filter(status -> status != Status.SKIP)
                .toList();
        int passed = (int) ran.stream().filter(status -> status == Status.PASS).count();
        return new Count(passed, ran.size());
    }
}
