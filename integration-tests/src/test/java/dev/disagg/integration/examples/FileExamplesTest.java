// SPDX-License-Identifier: Apache-2.0
package dev.disagg.integration.examples;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.integration.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.beam.examples.DebuggingWordCount;
import org.apache.beam.examples.WindowedWordCount;
import org.apache.beam.examples.WordCount;
import org.apache.beam.examples.complete.TfIdf;
import org.apache.beam.examples.complete.TopWikipediaSessions;
import org.apache.beam.examples.complete.game.HourlyTeamScore;
import org.apache.beam.examples.complete.game.UserScore;
import org.apache.beam.examples.cookbook.DistinctExample;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The examples that read and write files. What they write is compared as the sorted lines of all files together: which
 * line is in which shard is the runner's business.
 */
class FileExamplesTest {
    private static final List<String> DIRECT =
            List.of("--runner=DirectRunner", "--enforceImmutability=false", "--enforceEncodability=false");
    private static final List<String> DISAGG = List.of("--runner=DisaggRunner");
    private static final List<String> FINE =
            List.of("--runner=DisaggRunner", "--parallelism=4", "--maxBundleElements=1");

    private interface Main {
        void run(String[] args) throws Exception;
    }

    @TempDir
    Path directory;

    private int runs;

    /** In this process, and in one of its own, as it is run from a shell. */
    @Test
    void wordCount() throws Exception {
        String input = "--inputFile=" + Inputs.novel(directory) + "/*.txt";

        List<String> expected = compare(WordCount::main, UnaryOperator.identity(), 30, input);

        Path results = Files.createDirectory(directory.resolve("results"));
        try (ChildJvm program = ChildJvm.start(
                directory,
                "512m",
                WordCount.class.getName(),
                List.of("--runner=DisaggRunner", input, "--output=" + results.resolve("out")))) {
            assertThat(program.output(), program.exit(), is(0));
        }
        assertThat(sortedLines(results), equalTo(expected));
    }

    /** Its timestamps are random, and a range of one millisecond leaves nothing to chance: one window. */
    @Test
    void windowedWordCountInOneWindow() throws Exception {
        compare(
                WindowedWordCount::main,
                UnaryOperator.identity(),
                30,
                "--inputFile=" + Inputs.novel(directory) + "/*.txt",
                "--minTimestampMillis=1700000000000",
                "--maxTimestampMillis=1700000000001",
                "--numShards=3");
    }

    /** With windows drawn at random, what is certain is a word's count in all windows together. */
    @Test
    void windowedWordCountInManyWindows() throws Exception {
        compare(
                WindowedWordCount::main,
                FileExamplesTest::sums,
                30,
                "--inputFile=" + Inputs.novel(directory) + "/*.txt",
                "--minTimestampMillis=1700000000000",
                "--maxTimestampMillis=1700007200000",
                "--windowSize=60");
    }

    /** It writes nothing but its log, and asserts by itself what it counts: three times one word, once another. */
    @Test
    void debuggingWordCountFindsWhatItAsserts() throws Exception {
        String input = "--inputFile=" + Inputs.lear(directory, 3);

        List<String> expected = logged(DebuggingWordCount::main, DIRECT, input);
        assertThat(expected.size(), is(greaterThan(30)));
        assertThat(logged(DebuggingWordCount::main, DISAGG, input), equalTo(expected));
        assertThat(logged(DebuggingWordCount::main, FINE, input), equalTo(expected));
    }

    @Test
    void debuggingWordCountFailsWhenItsAssertionDoes() throws Exception {
        String input = "--inputFile=" + Inputs.lear(directory, 2);

        for (List<String> runner : List.of(DIRECT, DISAGG)) {
            Throwable failure = assertThrows(Throwable.class, () -> logged(DebuggingWordCount::main, runner, input));
            StringBuilder messages = new StringBuilder();
            for (Throwable at = failure; at != null; at = at.getCause()) {
                messages.append(at).append('\n');
            }
            assertThat(messages.toString(), containsString("AssertionError"));
            assertThat(messages.toString(), containsString("KV{Flourish, 2}"));
        }
    }

    @Test
    void userScore() throws Exception {
        compare(UserScore::main, UnaryOperator.identity(), 30, "--input=" + Inputs.games(directory));
    }

    @Test
    void hourlyTeamScore() throws Exception {
        compare(
                HourlyTeamScore::main,
                UnaryOperator.identity(),
                25,
                "--input=" + Inputs.games(directory),
                "--startMin=2015-11-16-02-00",
                "--stopMin=2015-11-16-10-30");
    }

    @Test
    void distinctExample() throws Exception {
        compare(
                DistinctExample::main,
                UnaryOperator.identity(),
                50,
                "--input=" + Inputs.repetitions(directory) + "/*.txt");
    }

    @Test
    void tfIdf() throws Exception {
        compare(TfIdf::main, UnaryOperator.identity(), 100, "--input=" + Inputs.novel(directory));
    }

    @Test
    void topWikipediaSessions() throws Exception {
        compare(TopWikipediaSessions::main, UnaryOperator.identity(), 3, "--wikiInput=" + Inputs.edits(directory));
    }

    /** Runs on both runners; {@code certain} keeps of the output what is not left to chance. */
    private List<String> compare(Main main, UnaryOperator<List<String>> certain, int leastLines, String... args)
            throws Exception {
        List<String> expected = certain.apply(lines(main, DIRECT, args));

        assertThat(expected.size(), is(greaterThan(leastLines)));
        assertThat(certain.apply(lines(main, DISAGG, args)), equalTo(expected));
        assertThat(certain.apply(lines(main, FINE, args)), equalTo(expected));
        return expected;
    }

    private List<String> lines(Main main, List<String> runner, String... args) throws Exception {
        Path results = Files.createDirectory(directory.resolve("results-" + runs++));
        List<String> all = new ArrayList<>(runner);
        all.addAll(List.of(args));
        all.add("--output=" + results.resolve("out"));
        main.run(all.toArray(String[]::new));
        return sortedLines(results);
    }

    private static List<String> sortedLines(Path results) throws IOException {
        List<String> lines = new ArrayList<>();
        try (Stream<Path> files = Files.list(results)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                lines.addAll(Files.readAllLines(file));
            }
        }
        return lines.stream().sorted().toList();
    }

    private static List<String> logged(Main main, List<String> runner, String... args) throws Exception {
        try (LogLines log = LogLines.open()) {
            // It requires an output, and never writes there.
            Stream<String> all = Stream.concat(runner.stream(), Stream.of(args));
            main.run(Stream.concat(all, Stream.of("--output=nowhere")).toArray(String[]::new));
            return log.sorted();
        }
    }

    /** Lines {@code word: count}, a word once. */
    private static List<String> sums(List<String> lines) {
        Map<String, Long> sums = new TreeMap<>();
        for (String line : lines) {
            int colon = line.lastIndexOf(':');
            sums.merge(line.substring(0, colon), Long.parseLong(line.substring(colon + 2)), Long::sum);
        }
        return sums.entrySet().stream()
                .map(sum -> sum.getKey() + ": " + sum.getValue())
                .toList();
    }
}
