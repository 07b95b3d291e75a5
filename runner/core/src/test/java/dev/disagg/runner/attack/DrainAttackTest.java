// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.attack;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.disagg.runner.DisaggPipelineResult;
import dev.disagg.runner.testing.Drain;
import dev.disagg.runner.testing.Feed;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.io.GenerateSequence;
import org.apache.beam.sdk.io.range.OffsetRange;
import org.apache.beam.sdk.metrics.Counter;
import org.apache.beam.sdk.metrics.Metrics;
import org.apache.beam.sdk.testing.TestStream;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.View;
import org.apache.beam.sdk.transforms.WithKeys;
import org.apache.beam.sdk.transforms.splittabledofn.GrowableOffsetRangeTracker;
import org.apache.beam.sdk.transforms.splittabledofn.RestrictionTracker;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.PCollectionView;
import org.apache.beam.sdk.values.TimestampedValue;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DrainAttackTest {
    private static final Map<String, CountDownLatch> LATCHES = new ConcurrentHashMap<>();
    private static final Map<String, CountDownLatch> ENTERED = new ConcurrentHashMap<>();

    static final class Slow extends DoFn<String, String> {
        private static final long serialVersionUID = 1;
        private final String job;

        Slow(String job) {
            this.job = job;
        }

        @ProcessElement
        public void process(@Element String element, OutputReceiver<String> out) throws Exception {
            ENTERED.get(job).countDown();
            LATCHES.get(job).await(20, TimeUnit.SECONDS);
            out.output(element);
        }
    }

    static final class N<T> extends DoFn<T, T> {
        private static final long serialVersionUID = 1;
        private final Counter n = Metrics.counter("attack", "n");

        @ProcessElement
        public void process(@Element T element, OutputReceiver<T> out) {
            n.inc();
            out.output(element);
        }
    }

    static final class Stable extends DoFn<String, String> {
        private static final long serialVersionUID = 1;

        @ProcessElement
        @RequiresStableInput
        public void process(@Element String element, OutputReceiver<String> out) {
            out.output(element);
        }
    }

    static final class Side extends DoFn<String, String> {
        private static final long serialVersionUID = 1;
        private final PCollectionView<List<String>> view;

        Side(PCollectionView<List<String>> view) {
            this.view = view;
        }

        @ProcessElement
        public void process(ProcessContext c) {
            c.output(c.element() + c.sideInput(view).size());
        }
    }

    /** Bounded, resumes for ever so often. */
    @DoFn.BoundedPerElement
    static final class Bounded extends DoFn<String, String> {
        private static final long serialVersionUID = 1;

        @GetInitialRestriction
        public OffsetRange all() {
            return new OffsetRange(0, 50);
        }

        @ProcessElement
        public ProcessContinuation process(RestrictionTracker<OffsetRange, Long> tracker, OutputReceiver<String> out) {
            long at = tracker.currentRestriction().getFrom();
            if (!tracker.tryClaim(at)) {
                return ProcessContinuation.stop();
            }
            out.output("b" + at);
            return ProcessContinuation.resume().withResumeDelay(Duration.standardSeconds(at == 10 ? 3600 : 0));
        }
    }

    @DoFn.UnboundedPerElement
    static final class Unbounded extends DoFn<String, String> {
        private static final long serialVersionUID = 1;

        @GetInitialRestriction
        public OffsetRange all() {
            return new OffsetRange(0, Long.MAX_VALUE);
        }

        @NewTracker
        public GrowableOffsetRangeTracker tracker(@Restriction OffsetRange range) {
            return new GrowableOffsetRangeTracker(range.getFrom(), () -> Long.MAX_VALUE);
        }

        @ProcessElement
        public ProcessContinuation process(RestrictionTracker<OffsetRange, Long> tracker, OutputReceiver<String> out) {
            long at = tracker.currentRestriction().getFrom();
            if (!tracker.tryClaim(at)) {
                return ProcessContinuation.stop();
            }
            return ProcessContinuation.resume().withResumeDelay(Duration.millis(1));
        }
    }

    @Test
    void whilePausedAtASlowStepAndTwiceAndDuringACheckpoint() throws Exception {
        String job = Run.name("drain");
        LATCHES.put(job, new CountDownLatch(1));
        ENTERED.put(job, new CountDownLatch(1));
        Feed feed = new Feed();
        feed.give("a", 1).give("b", 2).watermark(3);
        DisaggPipelineResult running = Run.start(
                job,
                p -> p.apply(feed.read())
                        .apply(WithKeys.<String, String>of(s -> s).withKeyType(TypeDescriptors.strings()))
                        .setCoder(KvCoder.of(StringUtf8Coder.of(), StringUtf8Coder.of()))
                        .apply(Window.into(FixedWindows.of(Duration.millis(1))))
                        .apply(GroupByKey.create())
                        .apply(org.apache.beam.sdk.transforms.Keys.create())
                        .apply(ParDo.of(new Slow(job)))
                        .apply(ParDo.of(new N<>())),
                "--checkpointInterval=1h");
        ENTERED.get(job).await(10, TimeUnit.SECONDS);
        var checkpoint = running.checkpoint();
        running.drain();
        running.drain();
        LATCHES.get(job).countDown();
        running.drain();
        checkpoint.get(20, TimeUnit.SECONDS);
        Run.done(running);
        running.drain();
        assertThat(Run.counter(running, "n", true), is(2L));
    }

    @ParameterizedTest
    @ValueSource(strings = {"off", "1h", "20ms"})
    void beforeAnythingAndSdfs(String interval) throws Exception {
        String job = Run.name("drain");
        Feed feed = new Feed();
        DisaggPipelineResult running = Run.start(
                job,
                p -> {
                    p.apply(feed.read()).apply("U", ParDo.of(new Unbounded()));
                    p.apply("C", Create.of("x")).apply("U2", ParDo.of(new Unbounded()));
                    p.apply("D", Create.of("x", "y"))
                            .apply("B", ParDo.of(new Bounded()))
                            .apply(ParDo.of(new N<>()));
                    p.apply("G", GenerateSequence.from(0)).apply("S", ParDo.of(new N<Long>()));
                },
                "--parallelism=2",
                "--checkpointInterval=" + interval);
        if (!interval.equals("1h")) {
            feed.give("a", 1);
            TimeUnit.MILLISECONDS.sleep(interval.equals("off") ? 1 : 500);
        }
        running.drain();
        Run.done(running);
    }

    @Test
    void aBoundedPipelineAndRestarts() throws Exception {
        String job = Run.name("drain");
        Consumer<Pipeline> description =
                p -> p.apply("G", GenerateSequence.from(0).to(300_000)).apply("S", ParDo.of(new N<>()));
        DisaggPipelineResult running = Run.start(job, description, "--checkpointInterval=10ms");
        TimeUnit.MILLISECONDS.sleep(30);
        running.drain();
        TimeUnit.MILLISECONDS.sleep(30);
        running.cancel();
        running = Run.start(job, description, "--checkpointInterval=10ms", "--parallelism=3");
        Run.done(running);
        assertThat(Run.counter(running, "n", true), is(300_000L));
    }

    @ParameterizedTest
    @ValueSource(strings = {"off", "1h", "50ms"})
    void withStableInputAndSideInputOfADrainedSource(String interval) throws Exception {
        String job = Run.name("drain");
        Feed main = new Feed();
        Feed other = new Feed();
        Drain drain = new Drain();
        DisaggPipelineResult running = Run.start(
                job,
                p -> {
                    PCollectionView<List<String>> view = p.apply("O", other.read())
                            .apply(Window.into(FixedWindows.of(Duration.millis(100))))
                            .apply(View.asList());
                    drain.from(p.apply("M", main.read())
                            .apply("W", Window.into(FixedWindows.of(Duration.millis(100))))
                            .apply("St", ParDo.of(new Stable()))
                            .apply("Side", ParDo.of(new Side(view)).withSideInputs(view))
                            .apply("St2", ParDo.of(new Stable())));
                },
                "--parallelism=2",
                "--checkpointInterval=" + interval);
        main.give("a", 1).give("b", 150).give("c", 250);
        other.give("x", 2).give("y", 120).give("z", 130);
        for (int i = 0; i < 1000 && running.progress().records() < 6; i++) {
            TimeUnit.MILLISECONDS.sleep(2);
        }
        running.drain();
        Run.done(running);
        assertThat(Set.copyOf(drain.rest()), is(Set.of("a1", "b2", "c0")));
    }

    @Test
    void aTestStream() throws Exception {
        Drain drain = new Drain();
        String job = Run.name("drain");
        TestStream<String> script = TestStream.create(StringUtf8Coder.of())
                .addElements(TimestampedValue.of("a", new Instant(1)))
                .advanceWatermarkTo(new Instant(20))
                .advanceProcessingTime(Duration.standardHours(1))
                .addElements(TimestampedValue.of("b", new Instant(21)))
                .advanceWatermarkToInfinity();
        for (int i = 0; i < 20; i++) {
            String name = Run.name("drain");
            DisaggPipelineResult running =
                    Run.start(name, p -> drain.from(p.apply(script).apply(ParDo.of(new Stable()))));
            TimeUnit.MILLISECONDS.sleep(i);
            running.drain();
            Run.done(running);
        }
    }

    /** Slow, and gives control back after each output. */
    @DoFn.BoundedPerElement
    static final class Patient extends DoFn<String, String> {
        private static final long serialVersionUID = 1;

        @GetInitialRestriction
        public OffsetRange all() {
            return new OffsetRange(0, 600);
        }

        @ProcessElement
        public ProcessContinuation process(RestrictionTracker<OffsetRange, Long> tracker, OutputReceiver<String> out)
                throws Exception {
            long at = tracker.currentRestriction().getFrom();
            if (!tracker.tryClaim(at)) {
                return ProcessContinuation.stop();
            }
            TimeUnit.MILLISECONDS.sleep(10);
            out.output("b" + at);
            return ProcessContinuation.resume();
        }
    }

    /** Its restriction gives control back every 10 ms, so a checkpoint needs never wait for long. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void checkpointsGoOnWhileABoundedRestrictionIsFinished(boolean drains) throws Exception {
        String job = Run.name("drain");
        DisaggPipelineResult running = Run.start(
                job,
                p -> p.apply("C", Create.of("x"))
                        .apply("P", ParDo.of(new Patient()))
                        .apply(ParDo.of(new N<>())),
                "--parallelism=1",
                "--checkpointInterval=100ms",
                "--checkpointTimeout=3s");
        TimeUnit.MILLISECONDS.sleep(500);
        if (drains) {
            running.drain();
        }
        Run.done(running);
        assertThat(Run.counter(running, "n", true), is(600L));
    }
}
