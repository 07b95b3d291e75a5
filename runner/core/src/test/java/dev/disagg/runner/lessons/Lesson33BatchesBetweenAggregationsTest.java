// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.lessons;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.is;

import dev.disagg.runner.testing.Drain;
import dev.disagg.runner.testing.Feed;
import dev.disagg.runner.testing.Restarts;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.transforms.Count;
import org.apache.beam.sdk.transforms.FlatMapElements;
import org.apache.beam.sdk.transforms.GroupIntoBatches;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.Sum;
import org.apache.beam.sdk.transforms.WithKeys;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.joda.time.Duration;
import org.junit.jupiter.api.Test;

/** Lesson 33: batches between two aggregations. */
class Lesson33BatchesBetweenAggregationsTest {
    private static PCollection<String> sums(PCollection<String> words, Duration lateness) {
        return words.apply(
                        "Windows",
                        Window.<String>into(FixedWindows.of(Duration.millis(10)))
                                .withAllowedLateness(lateness)
                                .discardingFiredPanes())
                .apply("PerWord", Count.perElement())
                .apply("OneKey", WithKeys.of("all"))
                .setCoder(KvCoder.of(StringUtf8Coder.of(), KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of())))
                .apply("Batches", GroupIntoBatches.ofSize(1000))
                .apply(
                        "Counts",
                        FlatMapElements.into(TypeDescriptors.kvs(TypeDescriptors.strings(), TypeDescriptors.longs()))
                                .via(batch -> java.util.stream.StreamSupport.stream(
                                                batch.getValue().spliterator(), false)
                                        .map(count -> KV.of("all", count.getValue()))
                                        .toList()))
                .apply("Sum", Sum.longsPerKey())
                .apply(
                        "Text",
                        MapElements.into(TypeDescriptors.strings()).via(sum -> sum.getKey() + "=" + sum.getValue()));
    }

    /** The pane of a window comes with the watermark at the window's end, and does not wait for a later one. */
    @Test
    void aPaneComesAtTheEndOfItsWindow() throws Exception {
        Feed feed = new Feed();
        Drain drain = new Drain();
        try (Restarts job =
                new Restarts(pipeline -> drain.from(sums(pipeline.apply("Read", feed.read()), Duration.ZERO)))) {
            job.start("--parallelism=2");
            feed.give("a", 1).give("b", 2).give("a", 9).watermark(10);
            assertThat(drain.next(), is("all=3"));
            feed.give("c", 11).give("c", 12).watermark(20);
            assertThat(drain.next(), is("all=2"));
            feed.close();
            job.finish();
            assertThat(drain.rest(), is(empty()));
        }
    }
}
