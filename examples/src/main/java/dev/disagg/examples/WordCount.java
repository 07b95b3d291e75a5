// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.PipelineResult;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.io.TextIO;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.transforms.Count;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.jspecify.annotations.Nullable;

/**
 * Counts the words of a novel: a bounded pipeline. A word is a run of letters, with apostrophes inside it, in lower case.
 *
 * <p>Runs with any runner: {@code WordCount --runner=DirectRunner}. The options are those of {@link WordCountOptions} and of
 * the runner.
 */
public final class WordCount {
    static final String RESOURCE = "moby-dick.txt.gz";
    static final String PREFIX = "words";
    private static final int TOP = 10;
    // A fixed number, so that the names of the files do not depend on the runner.
    private static final int SHARDS = 8;
    private static final Pattern WORD = Pattern.compile("\\p{L}+(?:['\u2019]\\p{L}+)*");

    private WordCount() {}

    /** Runs the pipeline with the options in {@code args}; exits with 2 when they cannot be used, with 1 when it fails. */
    public static void main(String[] args) throws IOException {
        PipelineOptionsFactory.register(WordCountOptions.class);
        WordCountOptions options;
        Path output;
        try {
            options = PipelineOptionsFactory.fromArgs(args).withValidation().as(WordCountOptions.class);
            output = FlightDelaysSettings.directory(options.getOutput(), "disagg-word-count");
        } catch (IllegalArgumentException e) {
            System.err.println("WordCount: " + e.getMessage());
            System.exit(2);
            return;
        }
        Pipeline pipeline = Pipeline.create(options);
        build(pipeline, options.getInput(), RESOURCE, output);
        PipelineResult.State state = pipeline.run().waitUntilFinish();
        if (state != PipelineResult.State.DONE) {
            System.err.println("WordCount ended as " + state);
            System.exit(1);
        }
        for (String line : top(output)) {
            System.out.println(line);
        }
        System.out.println("Counts are in " + output);
    }

    /** Adds the whole example to {@code pipeline}; reads {@code input}, or the packed {@code resource} when that is null. */
    static void build(Pipeline pipeline, @Nullable String input, String resource, Path output) {
        PCollection<String> lines = input == null
                ? pipeline.apply("Novel", Create.of(resource).withCoder(StringUtf8Coder.of()))
                        .apply("ReadNovel", ParDo.of(new ReadResource()))
                : pipeline.apply("ReadFiles", TextIO.read().from(input));
        lines.apply("Words", ParDo.of(new Words()))
                .apply("Count", Count.perElement())
                .apply(
                        "Format",
                        MapElements.into(TypeDescriptors.strings())
                                .via((KV<String, Long> count) -> count.getKey() + ": " + count.getValue()))
                .apply(
                        "Write",
                        TextIO.write()
                                .to(output.resolve(PREFIX).toString())
                                .withSuffix(".txt")
                                .withNumShards(SHARDS));
    }

    /** The most frequent words, {@code word: n}, equal counts in the order of the words. */
    static List<String> top(Path output) throws IOException {
        Comparator<String> byCount =
                Comparator.comparingLong(line -> -Long.parseLong(line.substring(line.indexOf(':') + 2)));
        try (Stream<Path> files = Files.list(output)) {
            List<String> counts = new ArrayList<>();
            for (Path file : files.filter(file ->
                            file.getFileName().toString().matches(PREFIX + "-\\d+-of-%05d\\.txt".formatted(SHARDS)))
                    .toList()) {
                counts.addAll(Files.readAllLines(file));
            }
            return counts.stream()
                    .sorted(byCount.thenComparing(Comparator.naturalOrder()))
                    .limit(TOP)
                    .toList();
        }
    }

    private static final class ReadResource extends DoFn<String, String> {
        private static final long serialVersionUID = 1;

        @ProcessElement
        public void process(@Element String name, OutputReceiver<String> output) throws IOException {
            try (InputStream in = WordCount.class.getResourceAsStream(name)) {
                if (in == null) {
                    throw new IllegalStateException("the resource " + name + " is not in the examples' jar");
                }
                BufferedReader reader =
                        new BufferedReader(new InputStreamReader(new GZIPInputStream(in), StandardCharsets.UTF_8));
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                    output.output(line);
                }
            }
        }
    }

    private static final class Words extends DoFn<String, String> {
        private static final long serialVersionUID = 1;

        @ProcessElement
        public void process(@Element String line, OutputReceiver<String> output) {
            Matcher matcher = WORD.matcher(line);
            while (matcher.find()) {
                output.output(matcher.group().toLowerCase(Locale.ROOT));
            }
        }
    }
}
