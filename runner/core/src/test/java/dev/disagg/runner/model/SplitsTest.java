// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.model;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.is;

import dev.disagg.runner.testing.Drain;
import dev.disagg.runner.testing.Feeds;
import dev.disagg.runner.testing.Restarts;
import java.util.List;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.transforms.Count;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.joda.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Unbounded sources of several splits: the watermark is that of the slowest, whoever reads it. */
class SplitsTest {
    private static void countsPerWindow(Pipeline pipeline, Feeds feeds, Drain drain) {
        drain.from(pipeline.apply("Read", feeds.read())
                .apply(
                        "Windows",
                        Window.<String>into(FixedWindows.of(Duration.millis(10)))
                                .withAllowedLateness(Duration.ZERO)
                                .discardingFiredPanes())
                .apply("Count", Count.perElement())
                .apply(
                        "Text",
                        MapElements.into(TypeDescriptors.strings())
                                .via(count -> count.getKey() + "=" + count.getValue())));
    }

    /** Three splits, read by fewer tasks and by more; some tasks have none. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void theSlowestSplitHoldsTheWatermark(int parallelism) throws Exception {
        Feeds feeds = new Feeds(3);
        Drain drain = new Drain();
        try (Restarts job = new Restarts(pipeline -> countsPerWindow(pipeline, feeds, drain))) {
            job.start("--parallelism=" + parallelism);
            // Far ahead, at the next window, and nothing at all but a watermark in the first window.
            feeds.feed(0).give("a", 1).give("a", 100).watermark(100);
            feeds.feed(1).give("a", 2).give("b", 12).watermark(12);
            feeds.feed(2).watermark(9);
            job.checkpoint();
            job.checkpoint();
            assertThat("before the slowest has passed", drain.rest(), is(empty()));
            feeds.feed(2).watermark(10);
            assertThat(drain.next(), is("a=2"));
            // An idle split goes on by its watermark alone; one that has ended no longer counts.
            feeds.feed(2).watermark(1000);
            feeds.feed(1).close();
            assertThat(drain.next(), is("b=1"));
            feeds.feed(0).watermark(110);
            assertThat(drain.next(), is("a=1"));
            feeds.close();
            job.finish();
            assertThat(drain.rest(), is(empty()));
        }
    }

    /** What each split had said is kept across a restart, also that one has ended, and watermarks never go back. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void watermarksOfSplitsAreKeptAcrossARestart(int parallelismAfter) throws Exception {
        Feeds feeds = new Feeds(3);
        Drain drain = new Drain();
        try (Restarts job = new Restarts(pipeline -> countsPerWindow(pipeline, feeds, drain))) {
            job.start("--parallelism=2");
            feeds.feed(0).give("a", 1).watermark(10);
            feeds.feed(1).give("a", 2).close();
            feeds.feed(2).give("a", 3).watermark(10);
            assertThat(drain.next(), is("a=3"));
            feeds.feed(0).give("c", 15);
            feeds.feed(2).give("c", 16);
            job.checkpoint();
            job.kill();
            job.start("--parallelism=" + parallelismAfter);
            feeds.feed(0).give("c", 17).watermark(20);
            feeds.feed(2).watermark(20);
            assertThat(drain.next(), is("c=3"));
            feeds.close();
            job.finish();
            assertThat(drain.rest(), is(List.of()));
        }
    }
}
