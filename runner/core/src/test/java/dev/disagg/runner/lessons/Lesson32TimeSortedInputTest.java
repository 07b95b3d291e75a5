// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.lessons;

import dev.disagg.runner.testing.Mode;
import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarIntCoder;
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
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.GlobalWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.TimestampedValue;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Lesson 32: {@code @RequiresTimeSortedInput} with lateness. Beam's own runner gives the same, in half a minute. */
class Lesson32TimeSortedInputTest {
    private static final KvCoder<String, Integer> CODER = KvCoder.of(StringUtf8Coder.of(), VarIntCoder.of());
    private static final int COUNT = 1000;

    /** Keeps the order in which elements come, and outputs it at the end of the window. */
    static final class Order extends DoFn<KV<String, Integer>, List<Integer>> {
        private static final long serialVersionUID = 1L;

        @StateId("order")
        private final StateSpec<BagState<Integer>> spec = StateSpecs.bag(VarIntCoder.of());

        @TimerId("end")
        private final TimerSpec end = TimerSpecs.timer(TimeDomain.EVENT_TIME);

        @ProcessElement
        @RequiresTimeSortedInput
        public void process(
                @Element KV<String, Integer> element,
                @StateId("order") BagState<Integer> order,
                @TimerId("end") Timer timer,
                org.apache.beam.sdk.transforms.windowing.BoundedWindow window) {
            order.add(element.getValue());
            timer.set(window.maxTimestamp());
        }

        @OnTimer("end")
        public void end(@StateId("order") BagState<Integer> order, OutputReceiver<List<Integer>> out) {
            List<Integer> all = new ArrayList<>();
            order.read().forEach(all::add);
            out.output(all);
        }
    }

    private static List<Integer> upTo(int from, int to) {
        List<Integer> all = new ArrayList<>();
        for (int i = from; i < to; i++) {
            all.add(i);
        }
        return all;
    }

    private static PCollection<List<Integer>> order(PCollection<KV<String, Integer>> input) {
        return input.apply("Order", ParDo.of(new Order()))
                .setCoder(org.apache.beam.sdk.coders.ListCoder.of(VarIntCoder.of()));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "DIRECT")
    void elementsInReverseComeSorted(Mode mode) {
        Pipeline pipeline = mode.pipeline();
        List<TimestampedValue<KV<String, Integer>>> reversed = new ArrayList<>();
        for (int i = COUNT - 1; i >= 0; i--) {
            reversed.add(TimestampedValue.of(KV.of("key", i), new Instant(i)));
        }
        PAssert.that(order(pipeline.apply(Create.timestamped(reversed).withCoder(CODER))
                        .apply(Window.<KV<String, Integer>>into(FixedWindows.of(Duration.millis(COUNT)))
                                .withAllowedLateness(Duration.millis(COUNT))
                                .discardingFiredPanes())))
                .containsInAnyOrder(List.of(upTo(0, COUNT)));
        Mode.run(pipeline);
    }

    /** As the watermark moves, elements within the lateness still find their place: what is behind it waits that long. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "DIRECT")
    void lateElementsWithinTheLatenessComeSorted(Mode mode) {
        Pipeline pipeline = mode.pipeline();
        TestStream.Builder<KV<String, Integer>> events = TestStream.create(CODER);
        for (int block = 0; block < COUNT; block += 100) {
            for (int i = block + 99; i >= block; i--) {
                events = events.addElements(TimestampedValue.of(KV.of("key", i), new Instant(i)));
            }
            // The next block's elements are before this watermark, by less than what is allowed.
            events = events.advanceWatermarkTo(new Instant(block + 150));
        }
        PAssert.that(order(pipeline.apply(events.advanceWatermarkToInfinity())
                        .apply(Window.<KV<String, Integer>>into(new GlobalWindows())
                                .withAllowedLateness(Duration.millis(200))
                                .discardingFiredPanes())))
                .containsInAnyOrder(List.of(upTo(0, COUNT)));
        Mode.run(pipeline);
    }
}
