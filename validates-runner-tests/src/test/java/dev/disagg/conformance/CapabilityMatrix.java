// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import dev.disagg.conformance.Recorded.Count;
import dev.disagg.conformance.Recorded.Key;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Makes {@code docs/capability-matrix.md} of recorded outcomes and of rows that are kept by hand. */
record CapabilityMatrix(
        Recorded recorded, List<MatrixRow> rows, OtherRunners others, Suite whole, ExpectedFailures expected) {

    static final Path PAGE = Path.of("..", "docs", "capability-matrix.md");

    private static final Map<Configuration, String> NAMES = Map.of(
            Configuration.DEFAULTS, "defaults",
            Configuration.PARALLEL, "four tasks, bundles of one element",
            Configuration.DELAYED, "every state read delayed");

    /** The page. */
    String text() {
        StringBuilder page = new StringBuilder();
        page.append("""
                # Capability matrix

                What this runner does with each part of Beam's model (Java SDK 2.73.0), and the tests that show it. This page is made by
                `./dev conformance --matrix` from recorded runs (`validates-runner-tests/recorded.tsv`) and from rows that are kept by hand
                (`validates-runner-tests/matrix/`); a test of the build fails when it is not what they make.

                ## Runs
                """);
        suites(page);
        page.append("""

                ## Rows
                The first rows of a section are those of [Beam's public matrix](https://beam.apache.org/documentation/runners/capability-matrix/), with what it says
                of other runners (its first level: yes, partly, no; empty where it says nothing; `website/www/site/data/capability_matrix.yaml` in Beam's repository, version
                06f56f51; it has no row for Java's DirectRunner). "n of n": so many tests were attempted and passed, in each configuration in which they
                ran. Tests of this project are marked with a star; the others are Beam's.
                """);
        Map<String, List<MatrixRow>> bySection = rows.stream()
                .collect(Collectors.groupingBy(MatrixRow::section, LinkedHashMap::new, Collectors.toList()));
        bySection.forEach((section, ofSection) -> section(page, section, ofSection));
        notRun(page);
        return page.toString();
    }

    private void suites(StringBuilder page) {
        line(
                page,
                "suite",
                "tests",
                "attempted",
                NAMES.get(Configuration.DEFAULTS),
                NAMES.get(Configuration.PARALLEL),
                NAMES.get(Configuration.DELAYED),
                "not the runner's business");
        line(page, "---", "---", "---", "---", "---", "---", "---");
        for (String suite : Suite.NAMES) {
            List<BeamTest> tests = whole.tests().stream()
                    .filter(test -> test.suite().equals(suite))
                    .toList();
            List<Key> keys =
                    tests.stream().map(test -> new Key(suite, test.name())).toList();
            List<String> cells = new ArrayList<>(List.of(
                    "`" + suite + "`",
                    String.valueOf(tests.size()),
                    String.valueOf(tests.stream()
                            .filter(test -> test.skipReason().isEmpty())
                            .count())));
            for (Configuration configuration : Configuration.values()) {
                Count count = recorded.count(keys, configuration);
                cells.add(count.attempted() == 0 ? "not run" : count + " pass");
            }
            cells.add(String.valueOf(tests.stream()
                    .filter(test -> expected.notTheRunners().containsKey(test.name()))
                    .count()));
            line(page, cells.toArray(String[]::new));
        }
        DelayCounters delayed = recorded.delayed();
        page.append(String.format(Locale.ROOT, """

                `validates-runner`: what Beam publishes for every runner. `needs-runner`: the other tests of Beam's core that need some runner; both together are its
                category NeedsRunner, 918 tests. `runners-core`: tests of Beam's library for runners, and its tests of state over this runner's cells and stores. `avro`: tests of
                the Avro extension that need a runner. "Every state read delayed": %.1f %% of %,d reads took the delayed way, with %,d hand-overs of a task's leadership.
                """, delayed.delayedPercent(), delayed.reads(), delayed.handOvers()));
    }

    private void section(StringBuilder page, String section, List<MatrixRow> ofSection) {
        page.append("\n### ").append(section).append('\n');
        List<String> heading = new ArrayList<>(List.of("", "this runner"));
        List<Integer> shown = shownRunners(ofSection);
        shown.forEach(runner -> heading.add(others.names().get(runner)));
        heading.addAll(List.of("notes", "tests"));
        line(page, heading.toArray(String[]::new));
        line(page, heading.stream().map(name -> "---").toArray(String[]::new));
        for (MatrixRow row : ofSection) {
            List<String> cells = new ArrayList<>(List.of(row.capability(), "**" + row.support() + "**"));
            List<String> claims = others.about(row);
            shown.forEach(runner -> cells.add(claims.get(runner)));
            cells.add(row.notes());
            cells.add(row.proofs().stream().map(this::proof).collect(Collectors.joining(", ")));
            line(page, cells.toArray(String[]::new));
        }
    }

    /** Runners of which Beam's matrix says something in these rows. */
    private List<Integer> shownRunners(List<MatrixRow> ofSection) {
        List<Integer> shown = new ArrayList<>();
        for (int runner = 0; runner < others.names().size(); runner++) {
            int index = runner;
            if (ofSection.stream().anyMatch(row -> !others.about(row).get(index).isEmpty())) {
                shown.add(runner);
            }
        }
        return shown;
    }

    private String proof(Proof proof) {
        List<Key> tests = proof.tests(recorded);
        Map<Configuration, Count> counts = new TreeMap<>();
        for (Configuration configuration : Configuration.values()) {
            Count count = recorded.count(tests, configuration);
            if (count.attempted() > 0) {
                counts.put(configuration, count);
            }
        }
        String name = "`" + proof.pattern() + "`" + (proof.isOwn() ? "\\*" : "") + " ";
        if (counts.values().stream().distinct().count() <= 1) {
            return name
                    + counts.values().stream().findAny().map(Count::toString).orElse("not run");
        }
        return name
                + counts.entrySet().stream()
                        .map(each -> each.getValue() + " (" + NAMES.get(each.getKey()) + ")")
                        .collect(Collectors.joining(", "));
    }

    private void notRun(StringBuilder page) {
        page.append("\n## Not passed, and why\n");
        line(page, "test", "reason");
        line(page, "---", "---");
        new TreeMap<>(expected.all()).forEach((test, reason) -> line(page, "`" + shortName(test) + "`", reason));
        Map<String, List<BeamTest>> skipped = whole.tests().stream()
                .filter(test -> test.skipReason().isPresent())
                .collect(Collectors.groupingBy(
                        test -> test.skipReason().orElseThrow(), TreeMap::new, Collectors.toList()));
        skipped.forEach((reason, tests) -> line(
                page,
                tests.stream()
                                .map(test -> shortName(test.className()))
                                .distinct()
                                .map(name -> "`" + name + "`")
                                .collect(Collectors.joining(", "))
                        + " (" + tests.size() + ")",
                "not attempted: " + reason));
    }

    private static String shortName(String name) {
        return name.replaceFirst("^([a-z0-9_]+\\.)*", "");
    }

    private static void line(StringBuilder page, String... cells) {
        page.append(Arrays.stream(cells).collect(Collectors.joining(" | ", "| ", " |\n")));
    }
}
