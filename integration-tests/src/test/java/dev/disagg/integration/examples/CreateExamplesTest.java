// SPDX-License-Identifier: Apache-2.0
package dev.disagg.integration.examples;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.nullValue;
import static org.hamcrest.Matchers.startsWith;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The examples that make their own input and log their output. They take no options, so the runner is the one that
 * Beam takes by default: DirectRunner, or what stands in its place.
 */
class CreateExamplesTest {
    private static final String PACKAGE = "org.apache.beam.examples.";
    private static final ClassLoader DISAGG = InPlaceOfDirectRunner.loader();
    private static final Pattern BETWEEN_WORDS = Pattern.compile("[^A-Za-z0-9]+");

    /** These log groups of values, whose order is not defined: a line is compared as the words that are in it. */
    private static final Set<String> ANY_ORDER_IN_A_LINE =
            Set.of("CoGroupByKeyExample", "GroupIntoBatchesExample", "SampleExample");

    static List<String> examples() {
        return Examples.CREATE;
    }

    @ParameterizedTest
    @MethodSource("examples")
    void logsWhatItLogsWithDirectRunner(String example) throws Exception {
        List<String> expected =
                certain(example, logged(example, Thread.currentThread().getContextClassLoader()));
        assertThat(expected, is(not(empty())));
        assertThat(System.getProperty(InPlaceOfDirectRunner.RAN), is(nullValue()));

        for (String options : List.of("", "--parallelism=4 --maxBundleElements=1")) {
            System.setProperty(InPlaceOfDirectRunner.OPTIONS, options);
            try {
                List<String> lines = logged(example, DISAGG);
                assertThat(options, certain(example, lines), equalTo(expected));
                assertThat(System.getProperty(InPlaceOfDirectRunner.RAN), startsWith(example.toLowerCase(Locale.ROOT)));
            } finally {
                System.clearProperty(InPlaceOfDirectRunner.RAN);
                System.clearProperty(InPlaceOfDirectRunner.OPTIONS);
            }
        }
    }

    private static List<String> logged(String example, ClassLoader runners) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(runners);
        try (LogLines log = LogLines.open()) {
            Class.forName(PACKAGE + example).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
            return log.sorted();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static List<String> certain(String example, List<String> lines) {
        if (example.equals("LatestExample")) {
            // Without timestamps, any of the elements is the latest.
            assertThat(lines, hasSize(2));
            return lines.stream()
                    .map(line -> line.replaceAll("\\(without timestamps\\): [1-5]$", "(without timestamps): one"))
                    .toList();
        }
        if (ANY_ORDER_IN_A_LINE.contains(example)) {
            return lines.stream()
                    .map(line ->
                            Arrays.stream(BETWEEN_WORDS.split(line)).sorted().collect(Collectors.joining(" ")))
                    .sorted()
                    .toList();
        }
        return lines;
    }
}
