// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.startsWith;

import dev.disagg.runner.DisaggPipelineResult;
import dev.disagg.runner.engine.EmbeddedJob;
import dev.disagg.runner.testing.Drain;
import dev.disagg.runner.testing.Feed;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.PipelineResult;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.TimeDomain;
import org.apache.beam.sdk.state.Timer;
import org.apache.beam.sdk.state.TimerSpec;
import org.apache.beam.sdk.state.TimerSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.testing.TestStream;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.TimestampedValue;
import org.joda.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a step with {@code @RequiresStableInput} sees comes again, the same, after any failure. */
class StableInputTest {
    private static final AtomicLong NUMBERS = new AtomicLong();
    private static final long LIMIT_SECONDS = 60;

    private final Feed feed = new Feed();
    private final Drain drain = new Drain();
    private final String stateUri = "memory://stable-" + NUMBERS.incrementAndGet();
    private @Nullable DisaggPipelineResult job;

    /** Gives each element a number that is another one each time the element is processed. */
    private static final class Number extends DoFn<String, KV<String, String>> {
        private static final long serialVersionUID = 1;

        @ProcessElement
        public void process(@Element String element, OutputReceiver<KV<String, String>> out) {
            out.output(KV.of(element, element + "#" + NUMBERS.incrementAndGet()));
        }
    }

    private static final class Stable extends DoFn<KV<String, String>, String> {
        private static final long serialVersionUID = 1;

        @ProcessElement
        @RequiresStableInput
        public void process(@Element KV<String, String> element, OutputReceiver<String> out) {
            out.output(element.getValue());
        }
    }

    /** Joins the values of a key, and sends them by a timer. */
    private static final class StableTimer extends DoFn<KV<String, String>, String> {
        private static final long serialVersionUID = 1;

        @StateId("last")
        private final StateSpec<ValueState<String>> last = StateSpecs.value(StringUtf8Coder.of());

        @TimerId("end")
        private final TimerSpec end;

        private final boolean eventTime;

        StableTimer(TimeDomain domain) {
            end = TimerSpecs.timer(domain);
            eventTime = domain == TimeDomain.EVENT_TIME;
        }

        @ProcessElement
        public void process(
                @Element KV<String, String> element,
                @StateId("last") ValueState<String> last,
                @TimerId("end") Timer end) {
            String before = last.read();
            // Another one each time, here as well as before.
            last.write((before == null ? "" : before + "+") + element.getValue() + "~" + NUMBERS.incrementAndGet());
            if (eventTime) {
                end.set(new Instant(10));
            } else {
                end.offset(org.joda.time.Duration.millis(1)).setRelative();
            }
        }

        @OnTimer("end")
        @RequiresStableInput
        public void end(@StateId("last") ValueState<String> last, OutputReceiver<String> out) {
            out.output(last.read());
        }
    }

    /** Adds the newest checkpoint at the time when an element comes out: it contains what the element was made from. */
    private static final class Stamp extends DoFn<String, String> {
        private static final long serialVersionUID = 1;
        static final Map<String, DisaggPipelineResult> JOBS = new ConcurrentHashMap<>();

        private final String job;

        Stamp(String job) {
            this.job = job;
        }

        @ProcessElement
        public void process(@Element String element, OutputReceiver<String> out) {
            DisaggPipelineResult running = JOBS.get(job);
            EmbeddedJob.Progress progress = running == null ? null : running.progress();
            out.output(element + "@" + (progress == null ? 0 : progress.lastCheckpoint()));
        }
    }

    private static final class Plain extends DoFn<KV<String, String>, String> {
        private static final long serialVersionUID = 1;

        @ProcessElement
        public void process(@Element KV<String, String> element, OutputReceiver<String> out) {
            out.output(element.getValue());
        }
    }

    private static Pipeline pipeline(String... arguments) {
        List<String> all = new ArrayList<>(List.of("--runner=DisaggRunner", "--parallelism=2"));
        all.addAll(List.of(arguments));
        return Pipeline.create(
                PipelineOptionsFactory.fromArgs(all.toArray(String[]::new)).create());
    }

    private void start(
            PTransform<? super PCollection<KV<String, String>>, PCollection<String>> stable, String... more) {
        List<String> all = new ArrayList<>(List.of("--jobName=stable", "--stateUri=" + stateUri));
        all.add("--retainedCheckpoints=1000");
        all.addAll(List.of(more));
        Pipeline pipeline = pipeline(all.toArray(String[]::new));
        drain.from(pipeline.apply(feed.read())
                .apply("Number", ParDo.of(new Number()))
                .setCoder(KvCoder.of(StringUtf8Coder.of(), StringUtf8Coder.of()))
                .apply("Stable", stable)
                .apply("Stamp", ParDo.of(new Stamp(stateUri))));
        job = (DisaggPipelineResult) pipeline.run();
        Stamp.JOBS.put(stateUri, job);
    }

    /** Runs the job again from the checkpoint that {@code element} is stamped with. */
    private void restart(
            String element, PTransform<? super PCollection<KV<String, String>>, PCollection<String>> stable)
            throws Exception {
        job().cancel();
        start(stable, "--checkpointInterval=1h", "--restore=" + element.substring(element.indexOf('@') + 1));
    }

    private static String unstamped(String element) {
        return element.substring(0, element.indexOf('@'));
    }

    private DisaggPipelineResult job() {
        DisaggPipelineResult running = job;
        if (running == null) {
            throw new IllegalStateException("nothing runs");
        }
        return running;
    }

    @AfterEach
    void stop() throws Exception {
        if (job != null) {
            job.cancel();
        }
    }

    /** Takes checkpoints until something comes out. */
    private String nextAfterCheckpoints() throws Exception {
        for (int tries = 0; tries < 1000; tries++) {
            job().checkpoint().get(LIMIT_SECONDS, TimeUnit.SECONDS);
            List<String> came = drain.rest();
            if (!came.isEmpty()) {
                assertThat(came.toString(), came.size(), is(1));
                return came.get(0);
            }
        }
        throw new AssertionError("nothing came out after 1000 checkpoints");
    }

    @Test
    void theSameElementComesAgainAfterAFailure() throws Exception {
        start(ParDo.of(new Stable()), "--checkpointInterval=1h");
        feed.give("a", 1);
        String first = nextAfterCheckpoints();
        assertThat(first, startsWith("a#"));
        restart(first, ParDo.of(new Stable()));
        assertThat("what the committed checkpoint contains", unstamped(drain.next()), is(unstamped(first)));
    }

    @Test
    void anElementThatNoCheckpointContainsWasNotSeen() throws Exception {
        start(ParDo.of(new Stable()), "--checkpointInterval=1h");
        feed.give("a", 1).give("b", 2);
        job().cancel();
        assertThat(drain.rest(), is(empty()));
        start(ParDo.of(new Stable()), "--checkpointInterval=100ms", "--restore=auto");
        assertThat(List.of(drain.next().substring(0, 1), drain.next().substring(0, 1)), containsInAnyOrder("a", "b"));
    }

    @Test
    @Tag("lesson-27")
    void anEventTimeTimerSeesTheSameStateAgain() throws Exception {
        start(ParDo.of(new StableTimer(TimeDomain.EVENT_TIME)), "--checkpointInterval=1h");
        feed.give("a", 1).give("a", 2).watermark(20);
        String first = nextAfterCheckpoints();
        assertThat(first.split("[+]").length, is(2));
        feed.give("a", 21).watermark(30);
        restart(first, ParDo.of(new StableTimer(TimeDomain.EVENT_TIME)));
        assertThat(unstamped(drain.next()), is(unstamped(first)));
    }

    @Test
    @Tag("lesson-27")
    void aProcessingTimeTimerSeesTheSameStateAgain() throws Exception {
        start(ParDo.of(new StableTimer(TimeDomain.PROCESSING_TIME)), "--checkpointInterval=1h");
        feed.give("a", 1);
        String first = nextAfterCheckpoints();
        restart(first, ParDo.of(new StableTimer(TimeDomain.PROCESSING_TIME)));
        assertThat(unstamped(drain.next()), is(unstamped(first)));
    }

    @Test
    void withoutStableInputItWouldBeAnother() throws Exception {
        start(ParDo.of(new Plain()), "--checkpointInterval=1h");
        feed.give("a", 1);
        String first = drain.next();
        job().cancel();
        start(ParDo.of(new Plain()), "--checkpointInterval=1h", "--restore=auto");
        assertThat(unstamped(drain.next()), is(not(unstamped(first))));
    }

    @Test
    void aPipelineThatTakesNoCheckpointsByItselfIsNotStuck() {
        Pipeline pipeline = pipeline();
        drain.from(pipeline.apply(Create.of("a", "b"))
                .apply(ParDo.of(new Number()))
                .setCoder(KvCoder.of(StringUtf8Coder.of(), StringUtf8Coder.of()))
                .apply(ParDo.of(new Stable())));
        assertThat(pipeline.run().waitUntilFinish(), is(PipelineResult.State.DONE));
        assertThat(drain.rest().stream().map(each -> each.substring(0, 1)).toList(), containsInAnyOrder("a", "b"));
    }

    @Test
    void aPeriodOfAnHourDoesNotHoldTheEndUp() {
        Pipeline pipeline = pipeline("--checkpointInterval=1h");
        drain.from(pipeline.apply(Create.of("a", "b"))
                .apply(ParDo.of(new Number()))
                .setCoder(KvCoder.of(StringUtf8Coder.of(), StringUtf8Coder.of()))
                .apply(ParDo.of(new StableTimer(TimeDomain.PROCESSING_TIME))));
        assertThat(pipeline.run().waitUntilFinish(), is(PipelineResult.State.DONE));
        assertThat(drain.rest().size(), is(2));
    }

    @Test
    void underAScriptEachEventIsOverBeforeTheNext() {
        TestStream<String> script = TestStream.create(StringUtf8Coder.of())
                .addElements(TimestampedValue.of("a", new Instant(1)))
                .advanceWatermarkTo(new Instant(20))
                .addElements(TimestampedValue.of("a", new Instant(21)))
                .advanceWatermarkToInfinity();
        Pipeline pipeline = pipeline();
        drain.from(pipeline.apply(script)
                .apply(ParDo.of(new Number()))
                .setCoder(KvCoder.of(StringUtf8Coder.of(), StringUtf8Coder.of()))
                .apply(ParDo.of(new StableTimer(TimeDomain.EVENT_TIME))));
        assertThat(pipeline.run().waitUntilFinish(), is(PipelineResult.State.DONE));
        List<String> came = drain.rest();
        assertThat(
                came.toString(),
                came.stream().map(each -> each.split("[+]").length).toList(),
                is(List.of(1, 2)));
    }
}
