// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.model;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.disagg.runner.testing.Drain;
import dev.disagg.runner.testing.Feed;
import dev.disagg.runner.testing.Mode;
import dev.disagg.runner.testing.Restarts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.io.Compression;
import org.apache.beam.sdk.io.FileIO;
import org.apache.beam.sdk.io.TFRecordIO;
import org.apache.beam.sdk.io.TextIO;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.Contextful;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.Watch;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.joda.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reading and writing files. */
class FilesTest {
    private static List<String> lines() {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            lines.add("abc".charAt(i % 3) + "-" + i);
        }
        return lines;
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void whatIsWrittenIsReadAgain(Mode mode, @TempDir Path directory) {
        String prefix = directory.resolve("out").toString();
        Pipeline writing = mode.pipeline();
        writing.apply(Create.of(lines()))
                .apply(TextIO.write().to(prefix).withSuffix(".txt.gz").withCompression(Compression.GZIP));
        Mode.run(writing);
        Pipeline reading = mode.pipeline();
        PAssert.that(reading.apply("Read", TextIO.read().from(prefix + "*"))).containsInAnyOrder(lines());
        PAssert.that(reading.apply("Pattern", Create.of(prefix + "*"))
                        .apply("Match", FileIO.matchAll())
                        .apply("Open", FileIO.readMatches())
                        .apply("ReadFiles", TextIO.readFiles()))
                .containsInAnyOrder(lines());
        Mode.run(reading);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void eachElementGoesToItsDestination(Mode mode, @TempDir Path directory) throws Exception {
        Pipeline pipeline = mode.pipeline();
        pipeline.apply(Create.of(lines()))
                .apply(FileIO.<String, String>writeDynamic()
                        .by(line -> line.substring(0, 1))
                        .via(Contextful.fn(line -> line.substring(2)), TextIO.sink())
                        .withDestinationCoder(StringUtf8Coder.of())
                        .withNaming(name -> FileIO.Write.defaultNaming(name, ".txt"))
                        .to(directory.toString()));
        Mode.run(pipeline);
        List<String> expected =
                lines().stream().map(line -> line.replace('-', ':')).sorted().toList();
        assertThat(Lines.below(directory), is(expected));
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void recordsAreWrittenAndRead(Mode mode, @TempDir Path directory) {
        String prefix = directory.resolve("records").toString();
        Pipeline writing = mode.pipeline();
        writing.apply(Create.of(lines()))
                .apply(MapElements.into(org.apache.beam.sdk.values.TypeDescriptor.of(byte[].class))
                        .via(String::getBytes))
                .apply(TFRecordIO.write().to(prefix).withNumShards(3));
        Mode.run(writing);
        Pipeline reading = mode.pipeline();
        PAssert.that(reading.apply(TFRecordIO.read().from(prefix + "*"))
                        .apply(MapElements.into(TypeDescriptors.strings()).via(bytes -> new String(bytes))))
                .containsInAnyOrder(lines());
        Mode.run(reading);
    }

    /** Files of windows appear when their windows are over; a restart in between neither loses nor repeats lines. */
    @Test
    void windowsOfAStreamAreWrittenAcrossARestart(@TempDir Path directory) throws Exception {
        Feed feed = new Feed();
        Drain written = new Drain();
        try (Restarts job = new Restarts(pipeline -> written.from(pipeline.apply("Read", feed.read())
                .apply(
                        "Windows",
                        Window.<String>into(FixedWindows.of(Duration.millis(10)))
                                .withAllowedLateness(Duration.ZERO)
                                .discardingFiredPanes())
                .apply(
                        "Write",
                        TextIO.write()
                                .to(directory.resolve("w").toString())
                                .withWindowedWrites()
                                .withNumShards(1)
                                .withOutputFilenames())
                .getPerDestinationOutputFilenames()
                .apply("Name", MapElements.into(TypeDescriptors.strings()).via(file -> file.getValue()))))) {
            job.start("--parallelism=2");
            feed.give("one", 1).give("two", 2).give("late", 12).watermark(10);
            String first = written.next();
            assertThat(Files.readAllLines(Path.of(first)).stream().sorted().toList(), is(List.of("one", "two")));
            job.checkpoint();
            feed.give("three", 13);
            job.kill();
            job.start("--parallelism=3");
            feed.watermark(20);
            String second = written.next();
            assertThat(Files.readAllLines(Path.of(second)).stream().sorted().toList(), is(List.of("late", "three")));
            feed.close();
            job.finish();
            assertThat(Lines.below(directory).size(), is(4));
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void filesThatAppearAreFound(Mode mode, @TempDir Path directory) throws Exception {
        Files.write(directory.resolve("a-1.txt"), List.of("one"));
        Files.write(directory.resolve("a-2.txt"), List.of("two", "three"));
        Pipeline pipeline = mode.pipeline();
        PAssert.that(pipeline.apply(TextIO.read()
                        .from(directory.resolve("a-*.txt").toString())
                        .watchForNewFiles(Duration.millis(10), Watch.Growth.afterIterations(3))))
                .containsInAnyOrder("one", "two", "three");
        Mode.run(pipeline);
    }
}
