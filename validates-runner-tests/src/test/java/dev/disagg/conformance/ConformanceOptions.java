// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What to run and how.
 *
 * @param runner simple name of the runner, as in {@code --runner=}
 * @param selection which tests
 * @param configuration which options the pipelines get
 * @param seed of the delays, where they are wanted
 * @param jvms how many child JVMs share the tests
 * @param limitSeconds how long one test may take before its JVM is ended; more when the machine has other work
 * @param heap the heap of each child JVM, as in {@code -Xmx}
 * @param directory where results and logs are written
 * @param pipelineOptions options handed to every pipeline, beside the runner and those of the configuration
 */
record ConformanceOptions(
        String runner,
        Selection selection,
        Configuration configuration,
        long seed,
        int jvms,
        long limitSeconds,
        String heap,
        Path directory,
        List<String> pipelineOptions) {

    /** The runner of this project, under test. */
    static final String OWN_RUNNER = "TestDisaggRunner";

    static final String USAGE = "options: --runner=NAME --suite=NAME[,NAME] --tests=REGEX --category=NAME[,NAME]"
            + " --configuration=defaults|parallel|delayed --delayed[=SEED] --jvms=N --limit=SECONDS --heap=4g;"
            + " any other --name=value goes to the pipelines";

    ConformanceOptions {
        pipelineOptions = List.copyOf(pipelineOptions);
    }

    static ConformanceOptions defaults() {
        return new ConformanceOptions(
                OWN_RUNNER, Selection.defaults(), Configuration.DEFAULTS, 1, 2, 60, "4g", Path.of("target"), List.of());
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
            case "suite" -> withSelection(selection.withSuites(Set.of(value.split(","))));
            case "tests" -> withSelection(selection.withTests(value));
            case "category" -> withSelection(selection.withCategories(Set.of(value.split(","))));
            case "configuration" -> withConfiguration(Configuration.of(value));
            case "delayed" ->
                withConfiguration(Configuration.DELAYED)
                        .withSeed(value.isEmpty() ? 1 : number(argument, value, Long.MIN_VALUE, Long.MAX_VALUE));
            case "jvms" -> withJvms((int) number(argument, value, 1, 64));
            case "limit" -> withLimitSeconds(number(argument, value, 1, 3600));
            case "heap" -> withHeap(value);
            default -> withPipelineOption(argument);
        };
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

    /** The value of Beam's system property {@code beamTestPipelineOptions}: a JSON list of strings. */
    String beamTestPipelineOptions() {
        Stream<String> delays =
                configuration == Configuration.DELAYED ? Stream.of("--delayedReads=" + seed) : Stream.empty();
        List<String> all = Stream.of(
                        Stream.of("--runner=" + runner),
                        configuration.pipelineOptions().stream(),
                        pipelineOptions.stream(),
                        delays)
                .flatMap(part -> part)
                .map(option -> '"' + option.replace("\\", "\\\\").replace("\"", "\\\"") + '"')
                .toList();
        return "[" + String.join(",", all) + "]";
    }

    ConformanceOptions withRunner(String newRunner) {
        return new ConformanceOptions(
                newRunner, selection, configuration, seed, jvms, limitSeconds, heap, directory, pipelineOptions);
    }

    ConformanceOptions withSelection(Selection newSelection) {
        return new ConformanceOptions(
                runner, newSelection, configuration, seed, jvms, limitSeconds, heap, directory, pipelineOptions);
    }

    ConformanceOptions withConfiguration(Configuration newConfiguration) {
        return new ConformanceOptions(
                runner, selection, newConfiguration, seed, jvms, limitSeconds, heap, directory, pipelineOptions);
    }

    private ConformanceOptions withSeed(long newSeed) {
        return new ConformanceOptions(
                runner, selection, configuration, newSeed, jvms, limitSeconds, heap, directory, pipelineOptions);
    }

    ConformanceOptions withJvms(int newJvms) {
        return new ConformanceOptions(
                runner, selection, configuration, seed, newJvms, limitSeconds, heap, directory, pipelineOptions);
    }

    ConformanceOptions withLimitSeconds(long newLimitSeconds) {
        return new ConformanceOptions(
                runner, selection, configuration, seed, jvms, newLimitSeconds, heap, directory, pipelineOptions);
    }

    private ConformanceOptions withHeap(String newHeap) {
        return new ConformanceOptions(
                runner, selection, configuration, seed, jvms, limitSeconds, newHeap, directory, pipelineOptions);
    }

    ConformanceOptions withDirectory(Path newDirectory) {
        return new ConformanceOptions(
                runner, selection, configuration, seed, jvms, limitSeconds, heap, newDirectory, pipelineOptions);
    }

    private ConformanceOptions withPipelineOption(String option) {
        List<String> all = new ArrayList<>(pipelineOptions);
        all.add(option);
        return new ConformanceOptions(runner, selection, configuration, seed, jvms, limitSeconds, heap, directory, all);
    }
}
