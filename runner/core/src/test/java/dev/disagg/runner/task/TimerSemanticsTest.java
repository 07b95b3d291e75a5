// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.state.BagState;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.TimeDomain;
import org.apache.beam.sdk.state.Timer;
import org.apache.beam.sdk.state.TimerSpec;
import org.apache.beam.sdk.state.TimerSpecs;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.testing.TestStream;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionTuple;
import org.apache.beam.sdk.values.TimestampedValue;
import org.apache.beam.sdk.values.TupleTag;
import org.apache.beam.sdk.values.TupleTagList;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Event-time timers: small pipelines whose right answer is known. */
class TimerSemanticsTest {
    private static final KvCoder<String, String> CODER = KvCoder.of(StringUtf8Coder.of(), StringUtf8Coder.of());

    private static Pipeline pipeline(String... more) {
        String[] all = Arrays.copyOf(more, more.length + 2);
        all[more.length] = "--runner=TestDisaggRunner";
        all[more.length + 1] = "--parallelism=2";
        return Pipeline.create(PipelineOptionsFactory.fromArgs(all).create());
    }

    private static TimestampedValue<KV<String, String>> at(long millis, String what) {
        return TimestampedValue.of(KV.of("key", what), new Instant(millis));
    }

    /** {@code set} sets a timer 10 ms on, {@code clear} clears it. */
    static final class SetAndClear extends DoFn<KV<String, String>, String> {
        private static final long serialVersionUID = 1L;

        @TimerId("timer")
        private final TimerSpec spec = TimerSpecs.timer(TimeDomain.EVENT_TIME);

        @ProcessElement
        public void process(ProcessContext c, @TimerId("timer") Timer timer) {
            if (c.element().getValue().equals("set")) {
                timer.withOutputTimestamp(c.timestamp()).set(c.timestamp().plus(Duration.millis(10)));
            } else {
                timer.clear();
            }
            c.output(c.element().getValue());
        }

        @OnTimer("timer")
        public void fire(OnTimerContext c) {
            c.output("fired at " + c.fireTimestamp().getMillis());
        }
    }

    @Tag("lesson-23")
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 1000})
    void aTimerClearedBeforeItsTimeNeverFires(int bundleElements) {
        for (String mode : List.of("--asyncState=on", "--delayedReads=5")) {
            Pipeline pipeline = pipeline("--maxBundleElements=" + bundleElements, mode);
            PCollection<String> out = pipeline.apply(
                            Create.timestamped(at(0, "set"), at(3, "clear")).withCoder(CODER))
                    .apply(ParDo.of(new SetAndClear()));
            PAssert.that(out).containsInAnyOrder("set", "clear");
            pipeline.run().waitUntilFinish();
        }
    }

    @Tag("lesson-23")
    @Test
    void aTimerClearedInALaterEpochNeverFires() {
        Pipeline pipeline = pipeline();
        PCollection<String> out = pipeline.apply(TestStream.create(CODER)
                        .addElements(at(0, "set"))
                        .advanceWatermarkTo(new Instant(3))
                        .addElements(at(3, "clear"))
                        .advanceWatermarkToInfinity())
                .apply(ParDo.of(new SetAndClear()));
        PAssert.that(out).containsInAnyOrder("set", "clear");
        pipeline.run().waitUntilFinish();
    }

    @Tag("lesson-24")
    @Test
    void aTimerThatIsSetAgainAfterItWasClearedFiresOnce() {
        Pipeline pipeline = pipeline();
        PCollection<String> out = pipeline.apply(TestStream.create(CODER)
                        .addElements(at(0, "set"), at(1, "clear"), at(2, "set"))
                        .advanceWatermarkTo(new Instant(12))
                        .advanceWatermarkTo(new Instant(13))
                        .advanceWatermarkToInfinity())
                .apply(ParDo.of(new SetAndClear()));
        PAssert.that(out).containsInAnyOrder("set", "clear", "set", "fired at 12");
        pipeline.run().waitUntilFinish();
    }

    /** B fires at 5 and sets itself to 6 while A waits for 10; what has fired is kept in order. */
    static final class BAgainWhileAWaits extends DoFn<KV<String, String>, String> {
        private static final long serialVersionUID = 1L;

        @TimerId("a")
        private final TimerSpec a = TimerSpecs.timer(TimeDomain.EVENT_TIME);

        @TimerId("b")
        private final TimerSpec b = TimerSpecs.timer(TimeDomain.EVENT_TIME);

        @StateId("fired")
        private final StateSpec<BagState<String>> fired = StateSpecs.bag(StringUtf8Coder.of());

        @ProcessElement
        public void process(@TimerId("a") Timer a, @TimerId("b") Timer b) {
            a.set(new Instant(10));
            b.set(new Instant(5));
        }

        @OnTimer("b")
        public void onB(OnTimerContext c, @TimerId("b") Timer b, @StateId("fired") BagState<String> fired) {
            fired.add("B" + c.timestamp().getMillis());
            if (c.timestamp().getMillis() == 5) {
                b.set(new Instant(6));
            }
        }

        @OnTimer("a")
        public void onA(OnTimerContext c, @StateId("fired") BagState<String> fired, OutputReceiver<String> out) {
            List<String> order = new ArrayList<>();
            fired.read().forEach(order::add);
            order.add("A" + c.timestamp().getMillis());
            out.output(order.toString());
        }
    }

    @Tag("lesson-24")
    @ParameterizedTest
    @ValueSource(strings = {"--asyncState=on", "--asyncState=off", "--delayedReads=9"})
    void aTimerSetByAFiringComesBeforeALaterOneOfTheSameWatermark(String mode) {
        Pipeline pipeline = pipeline(mode);
        PCollection<String> out = pipeline.apply(Create.timestamped(at(0, "x")).withCoder(CODER))
                .apply(ParDo.of(new BAgainWhileAWaits()));
        PAssert.that(out).containsInAnyOrder("[B5, B6, A10]");
        pipeline.run().waitUntilFinish();
    }

    private static final TupleTag<String> MAIN = new TupleTag<>() {};
    private static final TupleTag<String> SIDE = new TupleTag<>() {};

    static final class TaggedFromTimer extends DoFn<KV<String, String>, String> {
        private static final long serialVersionUID = 1L;

        @TimerId("timer")
        private final TimerSpec spec = TimerSpecs.timer(TimeDomain.EVENT_TIME);

        @ProcessElement
        public void process(@TimerId("timer") Timer timer, OutputReceiver<String> out) {
            timer.set(new Instant(10));
            out.output("element");
        }

        @OnTimer("timer")
        public void fire(MultiOutputReceiver out) {
            out.get(SIDE).output("from timer");
        }
    }

    @Tag("lesson-34")
    @ParameterizedTest
    @ValueSource(strings = {"--asyncState=on", "--delayedReads=9"})
    void aTaggedOutputOfATimerArrivesAtItsTag(String mode) {
        Pipeline pipeline = pipeline(mode);
        PCollectionTuple out = pipeline.apply(Create.timestamped(at(0, "x")).withCoder(CODER))
                .apply(ParDo.of(new TaggedFromTimer()).withOutputTags(MAIN, TupleTagList.of(SIDE)));
        PAssert.that(out.get(MAIN).setCoder(StringUtf8Coder.of())).containsInAnyOrder("element");
        PAssert.that(out.get(SIDE).setCoder(StringUtf8Coder.of())).containsInAnyOrder("from timer");
        pipeline.run().waitUntilFinish();
    }
}
