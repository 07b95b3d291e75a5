// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.lessons;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.startsWith;

import dev.disagg.runner.testing.Drain;
import dev.disagg.runner.testing.Feed;
import dev.disagg.runner.testing.Mode;
import dev.disagg.runner.testing.Restarts;
import java.util.UUID;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.Count;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.joda.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Lesson 27: {@code @RequiresStableInput}. What a DoFn with it does happens after the commit of the checkpoint that has its
 * input, so that whatever is random upstream is the same when it happens again. Of timers: {@code StableInputTest}.
 */
class Lesson27StableInputTest {
    /** Not the same twice. */
    static final class WithRandomId extends DoFn<String, String> {
        private static final long serialVersionUID = 1L;

        @ProcessElement
        public void process(@Element String element, OutputReceiver<String> out) {
            out.output(element + "#" + UUID.randomUUID());
        }
    }

    /** The effect is that the element goes into the test's hands. */
    static final class Effect extends DoFn<String, String> {
        private static final long serialVersionUID = 1L;

        @ProcessElement
        @RequiresStableInput
        public void process(@Element String element, OutputReceiver<String> out) {
            out.output(element);
        }
    }

    private final Feed feed = new Feed();
    private final Drain before = new Drain();
    private final Drain effects = new Drain();

    private void elements(Pipeline pipeline) {
        var ids = pipeline.apply("Read", feed.read()).apply("Ids", ParDo.of(new WithRandomId()));
        before.from(ids);
        effects.from(ids.apply("Effect", ParDo.of(new Effect())));
    }

    @Test
    void effectsComeAfterTheCommitAndAgainWithTheSameIds() throws Exception {
        try (Restarts job = new Restarts(this::elements)) {
            job.start("--parallelism=2");
            feed.give("one", 1);
            assertThat(before.next(), startsWith("one#"));
            assertThat("effects before the commit", effects.rest(), is(empty()));
            job.checkpoint();
            String one = effects.next();
            // The effect has happened, and no checkpoint says so: it happens again, and is the same.
            job.kill();
            job.start("--parallelism=3");
            assertThat(effects.next(), is(one));
            job.checkpoint();
            job.kill();
            job.start("--parallelism=1");
            feed.give("two", 2);
            assertThat(before.next(), startsWith("two#"));
            job.checkpoint();
            assertThat(
                    "what a committed checkpoint has behind it does not come again",
                    effects.next(),
                    startsWith("two#"));
            feed.close();
            job.finish();
            assertThat(effects.rest(), is(empty()));
        }
    }

    /** What waits holds the watermark, also after a restore: its output is not late. */
    @Test
    void whatWaitsHoldsTheWatermarkAcrossACheckpoint() throws Exception {
        try (Restarts job = new Restarts(pipeline -> {
            var ids = pipeline.apply("Read", feed.read()).apply("Ids", ParDo.of(new WithRandomId()));
            before.from(ids);
            effects.from(ids.apply("Effect", ParDo.of(new Effect()))
                    .apply(
                            "Windows",
                            Window.<String>into(FixedWindows.of(Duration.millis(10)))
                                    .withAllowedLateness(Duration.ZERO)
                                    .discardingFiredPanes())
                    .apply("Name", MapElements.into(TypeDescriptors.strings()).via(id -> id.split("#")[0]))
                    .apply("Count", Count.perElement())
                    .apply(
                            "Text",
                            MapElements.into(TypeDescriptors.strings())
                                    .via(count -> count.getKey() + "=" + count.getValue())));
        })) {
            job.start("--parallelism=2");
            feed.give("one", 5).give("one", 6).watermark(1000);
            before.next();
            before.next();
            job.checkpoint();
            job.kill();
            effects.rest();
            job.start("--parallelism=3");
            feed.watermark(2000);
            assertThat(effects.next(), is("one=2"));
            feed.close();
            job.finish();
            assertThat(effects.rest(), is(empty()));
        }
    }

    /** The next periodic checkpoint lets it through, although nothing else comes. */
    @Test
    void aSingleElementAndNoMoreInputIsNotStuck() throws Exception {
        try (Restarts job = new Restarts(this::elements)) {
            job.start("--parallelism=2", "--checkpointInterval=100ms");
            feed.give("one", 1);
            assertThat(effects.next(), startsWith("one#"));
            feed.close();
            job.finish();
            assertThat(effects.rest(), is(empty()));
        }
    }

    /** Bounded, without checkpoints. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "DIRECT")
    void aBoundedPipelineWithoutCheckpointsDoesNotWaitForOne(Mode mode) {
        Pipeline pipeline = mode.pipeline();
        PAssert.that(pipeline.apply(Create.of("one", "two")).apply(ParDo.of(new Effect())))
                .containsInAnyOrder("one", "two");
        Mode.run(pipeline);
    }
}
