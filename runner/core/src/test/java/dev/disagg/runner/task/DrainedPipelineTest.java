// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.is;

import dev.disagg.runner.DisaggPipelineResult;
import dev.disagg.runner.testing.Drain;
import dev.disagg.runner.testing.Feed;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.PipelineResult.State;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.io.range.OffsetRange;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.TimeDomain;
import org.apache.beam.sdk.state.Timer;
import org.apache.beam.sdk.state.TimerSpec;
import org.apache.beam.sdk.state.TimerSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.Count;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.WithKeys;
import org.apache.beam.sdk.transforms.splittabledofn.RestrictionTracker;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.CausedByDrain;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.joda.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A drained pipeline reads no more, and finishes what it has read. */
class DrainedPipelineTest {
    private static final AtomicLong JOBS = new AtomicLong();

    private final Feed feed = new Feed();
    private final Drain drain = new Drain();
    private final String stateUri = "memory://drained-" + JOBS.incrementAndGet();
    private @Nullable DisaggPipelineResult job;

    private Pipeline pipeline() {
        return pipeline("auto");
    }

    private Pipeline pipeline(String restore) {
        return Pipeline.create(PipelineOptionsFactory.fromArgs(
                        "--runner=DisaggRunner",
                        "--jobName=drained",
                        "--stateUri=" + stateUri,
                        "--restore=" + restore,
                        "--keepState",
                        "--checkpointInterval=1h",
                        "--parallelism=2")
                .create());
    }

    private DisaggPipelineResult run(Pipeline pipeline) {
        DisaggPipelineResult running = (DisaggPipelineResult) pipeline.run();
        job = running;
        return running;
    }

    @AfterEach
    void stop() throws Exception {
        if (job != null) {
            job.cancel();
        }
    }

    private PCollection<KV<String, String>> keyed(Pipeline pipeline) {
        return pipeline.apply(feed.read())
                .apply(WithKeys.<String, String>of(element -> element.substring(0, 1))
                        .withKeyType(TypeDescriptors.strings()))
                .setCoder(KvCoder.of(StringUtf8Coder.of(), StringUtf8Coder.of()));
    }

    private static final class Expiring extends DoFn<KV<String, String>, String> {
        private static final long serialVersionUID = 1;

        @StateId("last")
        private final StateSpec<ValueState<String>> last = StateSpecs.value(StringUtf8Coder.of());

        @ProcessElement
        public void process(
                @Element KV<String, String> element,
                @StateId("last") ValueState<String> last,
                OutputReceiver<String> out) {
            last.write(element.getValue());
            out.output(element.getValue());
        }

        @OnWindowExpiration
        public void expire(@StateId("last") ValueState<String> last, OutputReceiver<String> out) {
            out.output("last " + last.read());
        }
    }

    @Test
    void eachKeyOfTheGlobalWindowExpiresOnce() throws Exception {
        Pipeline pipeline = pipeline();
        drain.from(keyed(pipeline).apply(ParDo.of(new Expiring())));
        DisaggPipelineResult running = run(pipeline);
        feed.give("a1", 1).give("b1", 2).give("a2", 3);
        List<String> came = new ArrayList<>(List.of(drain.next(), drain.next(), drain.next()));
        assertThat(came, containsInAnyOrder("a1", "b1", "a2"));
        running.drain();
        assertThat(running.waitUntilFinish(), is(State.DONE));
        assertThat(drain.rest(), containsInAnyOrder("last a2", "last b1"));
    }

    /** Sets its own timer again, for ever. */
    private static final class Looping extends DoFn<KV<String, String>, String> {
        private static final long serialVersionUID = 1;

        @TimerId("loop")
        private final TimerSpec loop = TimerSpecs.timer(TimeDomain.PROCESSING_TIME);

        @ProcessElement
        public void process(
                @Element KV<String, String> element, @TimerId("loop") Timer loop, OutputReceiver<String> out) {
            loop.offset(Duration.standardHours(1)).setRelative();
            out.output(element.getValue());
        }

        @OnTimer("loop")
        public void again(@TimerId("loop") Timer loop, CausedByDrain cause, OutputReceiver<String> out) {
            loop.offset(Duration.standardHours(1)).setRelative();
            out.output(cause.name());
        }
    }

    @Test
    void aLoopingProcessingTimeTimerFiresOnceMoreAndEnds() throws Exception {
        Pipeline pipeline = pipeline();
        drain.from(keyed(pipeline).apply(ParDo.of(new Looping())));
        DisaggPipelineResult running = run(pipeline);
        feed.give("a1", 1);
        assertThat(drain.next(), is("a1"));
        running.drain();
        assertThat(running.waitUntilFinish(), is(State.DONE));
        assertThat(drain.rest(), is(List.of("CAUSED_BY_DRAIN")));
    }

    @Test
    void openWindowsClose() throws Exception {
        Pipeline pipeline = pipeline();
        drain.from(keyed(pipeline)
                .apply(Window.into(FixedWindows.of(Duration.standardDays(1))))
                .apply(Count.perKey())
                .apply(MapElements.into(TypeDescriptors.strings()).via(KV::toString)));
        Drain read = new Drain();
        read.from(keyed(pipeline)
                .apply(MapElements.into(TypeDescriptors.strings()).via(KV::getValue)));
        DisaggPipelineResult running = run(pipeline);
        feed.give("a1", 1).give("a2", 2);
        // Both sources read the same feed; what is not read when the drain begins is not read at all.
        while (running.progress().records() < 4) {
            running.checkpoint().get(60, TimeUnit.SECONDS);
        }
        running.drain();
        assertThat(running.waitUntilFinish(), is(State.DONE));
        assertThat(drain.rest(), is(List.of("KV{a, 2}")));
    }

    /** Endless; truncated to ten more than it had done. */
    @DoFn.UnboundedPerElement
    private static final class Ticks extends DoFn<String, String> {
        private static final long serialVersionUID = 1;
        private final boolean truncates;

        Ticks(boolean truncates) {
            this.truncates = truncates;
        }

        @GetInitialRestriction
        public OffsetRange all() {
            return new OffsetRange(0, Long.MAX_VALUE);
        }

        @ProcessElement
        public ProcessContinuation process(RestrictionTracker<OffsetRange, Long> tracker, OutputReceiver<String> out) {
            OffsetRange range = tracker.currentRestriction();
            for (long i = range.getFrom(); i < range.getFrom() + 5; i++) {
                if (!tracker.tryClaim(i)) {
                    return ProcessContinuation.stop();
                }
                out.output(Long.toString(i));
            }
            return ProcessContinuation.resume().withResumeDelay(Duration.standardHours(range.getFrom() > 0 ? 1 : 0));
        }

        @TruncateRestriction
        public RestrictionTracker.@Nullable TruncateResult<OffsetRange> truncate(@Restriction OffsetRange range) {
            return truncates
                    ? RestrictionTracker.TruncateResult.of(new OffsetRange(range.getFrom(), range.getFrom() + 10))
                    : null;
        }
    }

    private static void ten(Drain from) throws InterruptedException {
        for (int i = 0; i < 10; i++) {
            assertThat(from.next(), is(Integer.toString(i)));
        }
    }

    @Test
    void anEndlessRestrictionIsDropped() throws Exception {
        Pipeline pipeline = pipeline();
        drain.from(pipeline.apply(Create.of("go")).apply(ParDo.of(new Ticks(false))));
        DisaggPipelineResult running = run(pipeline);
        ten(drain);
        running.drain();
        assertThat(running.waitUntilFinish(), is(State.DONE));
        assertThat(drain.rest().size(), is(0));
    }

    @Test
    void aTruncatedRestrictionIsFinished() throws Exception {
        Pipeline pipeline = pipeline();
        drain.from(pipeline.apply(Create.of("go")).apply(ParDo.of(new Ticks(true))));
        DisaggPipelineResult running = run(pipeline);
        ten(drain);
        running.drain();
        assertThat(running.waitUntilFinish(), is(State.DONE));
        assertThat(drain.rest(), is(List.of("10", "11", "12", "13", "14", "15", "16", "17", "18", "19")));
    }

    @Test
    void aDrainThatWasBegunGoesOnAfterARestart() throws Exception {
        Pipeline first = pipeline();
        drain.from(keyed(first).apply(ParDo.of(new Expiring())));
        DisaggPipelineResult running = run(first);
        feed.give("a1", 1);
        assertThat(drain.next(), is("a1"));
        running.drain();
        // Some time after the drain has begun; the job may be done by then, or not.
        running.checkpoint().exceptionally(failure -> null).get(60, TimeUnit.SECONDS);
        running.cancel();
        List<String> came = new ArrayList<>(drain.rest());
        Pipeline second = pipeline("latest");
        drain.from(keyed(second).apply(ParDo.of(new Expiring())));
        feed.give("a2", 5);
        assertThat(run(second).waitUntilFinish(), is(State.DONE));
        came.addAll(drain.rest());
        assertThat("nothing that came after the drain is read", Set.copyOf(came), is(Set.of("last a1")));
    }
}
