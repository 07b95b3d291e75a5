// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.apache.beam.sdk.Pipeline;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class WordCountTest {
    @TempDir
    Path directory;

    static Stream<Arguments> runners() {
        return PipelineRuns.runners();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("runners")
    void countsOfTheShippedTextAreThoseOfPlainLoops(String runner, String runnerOptions) throws IOException {
        boolean whole = PipelineRuns.takesWholeInputs(runner);
        String resource = whole ? WordCount.RESOURCE : "loomings.txt.gz";
        List<String> counts = run(runner, runnerOptions, resource);
        assertThat(counts, is(count(text(resource))));
        assertThat(WordCount.top(directory.resolve("counts")).get(0), is(whole ? "the: 14528" : "the: 124"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("runners")
    void countsOfAFileAreThoseOfPlainLoops(String runner, String runnerOptions) throws IOException {
        String text = "It’s a whale; it’s THE whale's tail.\n\n 'Tis—ay, 2 whales!\n";
        Path input = directory.resolve("text.txt");
        Files.writeString(input, text);
        assertThat(
                run(runner, runnerOptions, "none", "--input=" + input),
                is(List.of(
                        "a: 1",
                        "ay: 1",
                        "it’s: 2",
                        "tail: 1",
                        "the: 1",
                        "tis: 1",
                        "whale's: 1",
                        "whale: 1",
                        "whales: 1")));
    }

    @Test
    void novelHasMoreThanAHundredThousandWords() throws IOException {
        assertThat(
                count(text(WordCount.RESOURCE)).stream()
                        .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(' ') + 1)))
                        .sum(),
                is(greaterThan(100_000L)));
    }

    private List<String> run(String runner, String runnerOptions, String resource, String... exampleOptions)
            throws IOException {
        Path output = directory.resolve("counts");
        WordCountOptions options = PipelineRuns.options(WordCountOptions.class, runner, runnerOptions, exampleOptions);
        Pipeline pipeline = Pipeline.create(options);
        WordCount.build(pipeline, options.getInput(), resource, output);
        PipelineRuns.run(pipeline);
        List<String> lines = new ArrayList<>();
        PipelineRuns.files(output).values().forEach(content -> content.lines().forEach(lines::add));
        Collections.sort(lines);
        return lines;
    }

    /** Character by character, without a regular expression. */
    private static List<String> count(String text) {
        Map<String, Integer> counts = new TreeMap<>();
        StringBuilder word = new StringBuilder();
        for (int i = 0; i <= text.length(); i++) {
            char character = i < text.length() ? text.charAt(i) : ' ';
            boolean apostrophe = (character == '\'' || character == '’')
                    && !word.isEmpty()
                    && i + 1 < text.length()
                    && Character.isLetter(text.charAt(i + 1));
            if (Character.isLetter(character) || apostrophe) {
                word.append(Character.toLowerCase(character));
            } else if (!word.isEmpty()) {
                counts.merge(word.toString(), 1, Integer::sum);
                word.setLength(0);
            }
        }
        List<String> lines = new ArrayList<>();
        counts.forEach((key, count) -> lines.add(key + ": " + count));
        Collections.sort(lines);
        return lines;
    }

    private static String text(String resource) throws IOException {
        try (InputStream in = Objects.requireNonNull(WordCountTest.class.getResourceAsStream(resource))) {
            return new String(new GZIPInputStream(in).readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
