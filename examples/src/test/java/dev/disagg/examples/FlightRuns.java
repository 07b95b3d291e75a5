// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.PipelineResult;
import org.apache.beam.sdk.options.PipelineOptionsFactory;

/** FlightDelays for tests in other packages: run here, and computed in plain loops. */
public final class FlightRuns {
    private FlightRuns() {}

    /** Starts the pipeline in this process with these options of the example and of its runner. */
    public static PipelineResult start(String... args) {
        FlightDelaysOptions options = options(args);
        Pipeline pipeline = Pipeline.create(options);
        FlightDelays.build(pipeline, FlightDelaysSettings.of(options));
        return pipeline.run();
    }

    /** Contents by file name of what a run with these options of the example must write. */
    public static Map<String, String> expected(String... args) {
        FlightDelaysOptions options = options(args);
        return FlightReference.files(
                FlightFileTest.first(Math.toIntExact(options.getMaxRecords())), FlightDelaysSettings.of(options));
    }

    /** Contents by name of all files in {@code directory}. */
    public static Map<String, String> files(Path directory) throws IOException {
        return PipelineRuns.files(directory);
    }

    /** The first difference between two sets of files, for a message; empty when they are the same. */
    public static String difference(Map<String, String> actual, Map<String, String> expected) {
        TreeMap<String, String> names = new TreeMap<>(expected);
        names.putAll(actual);
        for (String name : names.keySet()) {
            String right = expected.get(name);
            String wrong = actual.get(name);
            if (right == null || wrong == null) {
                return name + (right == null ? " should not be there" : " is missing");
            }
            String[] rightLines = right.split("\n", -1);
            String[] wrongLines = wrong.split("\n", -1);
            for (int i = 0; i < Math.max(rightLines.length, wrongLines.length); i++) {
                String expectedLine = i < rightLines.length ? rightLines[i] : "(nothing)";
                String actualLine = i < wrongLines.length ? wrongLines[i] : "(nothing)";
                if (!expectedLine.equals(actualLine)) {
                    return name + " line " + (i + 1) + " is '" + actualLine + "', not '" + expectedLine + "'; "
                            + wrongLines.length + " lines, expected " + rightLines.length;
                }
            }
        }
        return "";
    }

    private static FlightDelaysOptions options(String... args) {
        PipelineOptionsFactory.register(FlightDelaysOptions.class);
        return PipelineOptionsFactory.fromArgs(args).withValidation().as(FlightDelaysOptions.class);
    }
}
