// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Stream;

/**
 * What to run and how.
 *
 * @param runner simple name of the runner, as in {@code --runner=}
 * @param tests a test runs when this is found in its {@code class#method}
 * @param categories a test runs when it is in one of these or of their subcategories; empty means all
 * @param jvms how many child JVMs share the tests
 * @param limitSeconds how long one test may take before its JVM is ended; more when the machine has other work
 * @param heap the heap of each child JVM, as in {@code -Xmx}
 * @param delayedSeed when present, every state read is delayed, in an order that this seed chooses
 * @param directory where results and logs are written
 * @param pipelineOptions options handed to every pipeline, beside the runner
 */
record ConformanceOptions(
        String runner,
        Pattern tests,
        Set<String> categories,
        int jvms,
        long limitSeconds,
        String heap,
        OptionalLong delayedSeed,
        Path directory,
        List<String> pipelineOptions) {

    /** What a delayed pass looks at when it is not run in full: state, timers and test streams. */
    static final Set<String> STATE_CATEGORIES = Set.of(
            "UsesStatefulParDo",
            "UsesOrderedListState",
            "UsesTimersInParDo",
            "UsesProcessingTimeTimers",
            "UsesOnWindowExpiration",
            "UsesTestStream");

    static final String USAGE =
            "options: --runner=NAME --tests=REGEX --category=NAME[,NAME] --jvms=N --limit=SECONDS --heap=4g"
                    + " --delayed[=SEED]; any other --name=value goes to the pipelines";

    ConformanceOptions {
        categories = Set.copyOf(categories);
        pipelineOptions = List.copyOf(pipelineOptions);
    }

    static ConformanceOptions defaults() {
        return new ConformanceOptions(
                "TestDisaggRunner",
                Pattern.compile(""),
                Set.of(),
                2,
                60,
                "4g",
                OptionalLong.empty(),
                Path.of("target"),
                List.of());
    }

    /**
     * Reads a command line over these options.
     *
     * @throws IllegalArgumentException naming the argument and what it should be
     */
    ConformanceOptions with(List<String> arguments) {
        ConformanceOptions result = this;
        for (String argument : arguments) {
            result = result.with(argument);
        }
        return result;
    }

    private ConformanceOptions with(String argument) {
        if (!argument.startsWith("--")) {
            throw new IllegalArgumentException("'" + argument + "' is not an option; " + USAGE);
        }
        int equals = argument.indexOf('=');
        String name = argument.substring(2, equals < 0 ? argument.length() : equals);
        String value = equals < 0 ? "" : argument.substring(equals + 1);
        return switch (name) {
            case "runner" -> withRunner(value);
            case "tests" -> withTests(value);
            case "category" -> withCategories(known(Set.of(value.split(","))));
            case "jvms" -> withJvms((int) number(argument, value, 1, 64));
            case "limit" -> withLimitSeconds(number(argument, value, 1, 3600));
            case "heap" -> withHeap(value);
            case "delayed" ->
                withDelayedSeed(value.isEmpty() ? 1 : number(argument, value, Long.MIN_VALUE, Long.MAX_VALUE));
            default -> withPipelineOption(argument);
        };
    }

    private static Set<String> known(Set<String> names) {
        names.forEach(BeamTest::category);
        return names;
    }

    private static long number(String argument, String value, long least, long most) {
        try {
            long number = Long.parseLong(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // The message below says it for both cases.
        }
        throw new IllegalArgumentException(
                argument + ": not a whole number from " + least + " to " + most + "; " + USAGE);
    }

    boolean selects(BeamTest test) {
        return test.isInAny(categories) && tests.matcher(test.name()).find();
    }

    /** The name of the pass, which its files carry: {@code conformance} or {@code conformance-delayed}. */
    String passName() {
        return delayedSeed.isPresent() ? "conformance-delayed" : "conformance";
    }

    /** The value of Beam's system property {@code beamTestPipelineOptions}: a JSON list of strings. */
    String beamTestPipelineOptions() {
        Stream<String> delayed = delayedSeed.stream().mapToObj(seed -> "--delayedReads=" + seed);
        List<String> all = Stream.of(Stream.of("--runner=" + runner), pipelineOptions.stream(), delayed)
                .flatMap(part -> part)
                .map(option -> '"' + option.replace("\\", "\\\\").replace("\"", "\\\"") + '"')
                .toList();
        return "[" + String.join(",", all) + "]";
    }

    ConformanceOptions withRunner(String newRunner) {
        return new ConformanceOptions(
                newRunner, tests, categories, jvms, limitSeconds, heap, delayedSeed, directory, pipelineOptions);
    }

    private ConformanceOptions withTests(String regex) {
        try {
            return new ConformanceOptions(
                    runner,
                    Pattern.compile(regex),
                    categories,
                    jvms,
                    limitSeconds,
                    heap,
                    delayedSeed,
                    directory,
                    pipelineOptions);
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException(
                    "--tests=" + regex + ": not a regular expression: " + e.getDescription(), e);
        }
    }

    ConformanceOptions withCategories(Set<String> newCategories) {
        return new ConformanceOptions(
                runner, tests, newCategories, jvms, limitSeconds, heap, delayedSeed, directory, pipelineOptions);
    }

    ConformanceOptions withJvms(int newJvms) {
        return new ConformanceOptions(
                runner, tests, categories, newJvms, limitSeconds, heap, delayedSeed, directory, pipelineOptions);
    }

    ConformanceOptions withLimitSeconds(long newLimitSeconds) {
        return new ConformanceOptions(
                runner, tests, categories, jvms, newLimitSeconds, heap, delayedSeed, directory, pipelineOptions);
    }

    ConformanceOptions withHeap(String newHeap) {
        return new ConformanceOptions(
                runner, tests, categories, jvms, limitSeconds, newHeap, delayedSeed, directory, pipelineOptions);
    }

    ConformanceOptions withDelayedSeed(long seed) {
        return new ConformanceOptions(
                runner, tests, categories, jvms, limitSeconds, heap, OptionalLong.of(seed), directory, pipelineOptions);
    }

    ConformanceOptions withDirectory(Path newDirectory) {
        return new ConformanceOptions(
                runner, tests, categories, jvms, limitSeconds, heap, delayedSeed, newDirectory, pipelineOptions);
    }

    private ConformanceOptions withPipelineOption(String option) {
        List<String> all = new ArrayList<>(pipelineOptions);
        all.add(option);
        return new ConformanceOptions(runner, tests, categories, jvms, limitSeconds, heap, delayedSeed, directory, all);
    }
}
