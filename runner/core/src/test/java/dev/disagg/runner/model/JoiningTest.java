// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.model;

import dev.disagg.runner.testing.Mode;
import java.util.List;
import java.util.stream.StreamSupport;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.state.TimeDomain;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.testing.TestStream;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.Deduplicate;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.Wait;
import org.apache.beam.sdk.transforms.join.CoGbkResult;
import org.apache.beam.sdk.transforms.join.CoGroupByKey;
import org.apache.beam.sdk.transforms.join.KeyedPCollectionTuple;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.TimestampedValue;
import org.apache.beam.sdk.values.TupleTag;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Collections that meet, wait for each other, or lose what they have twice. */
class JoiningTest {
    private static final KvCoder<String, Integer> CODER = KvCoder.of(StringUtf8Coder.of(), VarIntCoder.of());
    private static final TupleTag<Integer> LEFT = new TupleTag<>() {};
    private static final TupleTag<Integer> RIGHT = new TupleTag<>() {};

    private static <T> TimestampedValue<T> at(T value, long millis) {
        return TimestampedValue.of(value, new Instant(millis));
    }

    private static <T> TestStream.Builder<T> stream(org.apache.beam.sdk.coders.Coder<T> coder) {
        return TestStream.create(coder);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void coGroupByKeyPerWindow(Mode mode) {
        Pipeline pipeline = mode.pipeline();
        Window<KV<String, Integer>> windows = Window.into(FixedWindows.of(Duration.millis(10)));
        PCollection<KV<String, Integer>> left = pipeline.apply(
                        "Left",
                        Create.timestamped(List.of(at(KV.of("a", 1), 1), at(KV.of("b", 2), 2), at(KV.of("a", 3), 11)))
                                .withCoder(CODER))
                .apply("LeftWindows", windows);
        PCollection<KV<String, Integer>> right = pipeline.apply(
                        "Right",
                        Create.timestamped(
                                        List.of(at(KV.of("a", 10), 5), at(KV.of("a", 20), 6), at(KV.of("c", 30), 12)))
                                .withCoder(CODER))
                .apply("RightWindows", windows);
        PAssert.that(KeyedPCollectionTuple.of(LEFT, left)
                        .and(RIGHT, right)
                        .apply(CoGroupByKey.create())
                        .apply(MapElements.into(TypeDescriptors.strings()).via(JoiningTest::text)))
                .containsInAnyOrder("a[1][10, 20]", "b[2][]", "a[3][]", "c[][30]");
        Mode.run(pipeline);
    }

    private static String text(KV<String, CoGbkResult> joined) {
        return joined.getKey()
                + sorted(joined.getValue().getAll(LEFT))
                + sorted(joined.getValue().getAll(RIGHT));
    }

    private static String sorted(Iterable<Integer> values) {
        return StreamSupport.stream(values.spliterator(), false)
                .sorted()
                .toList()
                .toString();
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void waitsForASignalThatIsBounded(Mode mode) {
        Pipeline pipeline = mode.pipeline();
        Order.begin(mode.name());
        PCollection<String> signal =
                pipeline.apply("Signal", Create.of("s1", "s2", "s3")).apply("Note", ParDo.of(new Order(mode.name())));
        PCollection<String> waiting = pipeline.apply("Waiting", Create.of("w1", "w2"))
                .apply(Wait.on(signal))
                .apply("NoteToo", ParDo.of(new Order(mode.name())));
        PAssert.that(waiting).containsInAnyOrder("w1", "w2");
        Mode.run(pipeline);
        Order.check(mode.name(), 's', 3, 'w', 2);
    }

    /** Elements of a window wait for the end of that window in the signal, and not for a later one. */
    @ParameterizedTest
    @EnumSource(Mode.class)
    void waitsForTheSignalsWindow(Mode mode) {
        Pipeline pipeline = mode.pipeline();
        Order.begin(mode.name());
        Window<String> windows = Window.<String>into(FixedWindows.of(Duration.millis(10)))
                .withAllowedLateness(Duration.ZERO)
                .discardingFiredPanes();
        PCollection<String> signal = pipeline.apply(
                        "Signal",
                        stream(StringUtf8Coder.of())
                                .addElements(at("s1", 1), at("s2", 2))
                                .advanceWatermarkTo(new Instant(10))
                                .addElements(at("t1", 11))
                                .advanceWatermarkToInfinity())
                .apply("SignalWindows", windows)
                .apply("Note", ParDo.of(new Order(mode.name())));
        PCollection<String> waiting = pipeline.apply(
                        "Waiting", Create.timestamped(List.of(at("w1", 1), at("x1", 12), at("w2", 9))))
                .apply("WaitingWindows", windows)
                .apply(Wait.on(signal))
                .apply("NoteToo", ParDo.of(new Order(mode.name())));
        PAssert.that(waiting).containsInAnyOrder("w1", "w2", "x1");
        Mode.run(pipeline);
        Order.check(mode.name(), 's', 2, 'w', 2);
        Order.check(mode.name(), 't', 1, 'x', 1);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void deduplicatesInEventTime(Mode mode) {
        Pipeline pipeline = mode.pipeline();
        PAssert.that(pipeline.apply(stream(StringUtf8Coder.of())
                                .advanceWatermarkTo(new Instant(1))
                                .addElements(at("a", 1), at("b", 2), at("a", 3))
                                .advanceWatermarkTo(new Instant(5))
                                .addElements(at("a", 6))
                                .advanceWatermarkTo(new Instant(100))
                                .addElements(at("a", 101))
                                .advanceWatermarkToInfinity())
                        .apply(Deduplicate.<String>values()
                                .withTimeDomain(TimeDomain.EVENT_TIME)
                                .withDuration(Duration.millis(50))))
                .containsInAnyOrder("a", "b", "a");
        Mode.run(pipeline);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void deduplicatesInProcessingTimeByAnId(Mode mode) {
        Pipeline pipeline = mode.pipeline();
        PAssert.that(pipeline.apply(stream(StringUtf8Coder.of())
                                .addElements(at("a1", 1))
                                .advanceProcessingTime(Duration.standardMinutes(1))
                                .addElements(at("a2", 2), at("b1", 2))
                                .advanceProcessingTime(Duration.standardMinutes(10))
                                .addElements(at("a3", 3))
                                .advanceWatermarkToInfinity())
                        .apply(Deduplicate.<String, String>withRepresentativeValueFn(value -> value.substring(0, 1))
                                .withRepresentativeType(TypeDescriptors.strings())))
                .containsInAnyOrder("a1", "b1", "a3");
        Mode.run(pipeline);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void deduplicatesKeyedValues(Mode mode) {
        Pipeline pipeline = mode.pipeline();
        PAssert.that(pipeline.apply(stream(KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of()))
                                .addElements(at(KV.of("a", 1L), 1))
                                .addElements(at(KV.of("a", 2L), 1), at(KV.of("b", 3L), 1))
                                .advanceWatermarkToInfinity())
                        .apply(Deduplicate.keyedValues()))
                .containsInAnyOrder(KV.of("a", 1L), KV.of("b", 3L));
        Mode.run(pipeline);
    }

    /** Notes in which order elements came, per test. */
    static final class Order extends DoFn<String, String> {
        private static final long serialVersionUID = 1L;
        private static final java.util.Map<String, List<String>> SEEN = new java.util.concurrent.ConcurrentHashMap<>();

        private final String test;

        Order(String test) {
            this.test = test;
        }

        static void begin(String test) {
            SEEN.put(test, java.util.Collections.synchronizedList(new java.util.ArrayList<>()));
        }

        /** Holds that all of {@code first} came, then all of {@code second}. */
        static void check(String test, char first, int firstCount, char second, int secondCount) {
            StringBuilder order = new StringBuilder();
            for (String element : SEEN.get(test)) {
                if (element.charAt(0) == first || element.charAt(0) == second) {
                    order.append(element.charAt(0));
                }
            }
            org.hamcrest.MatcherAssert.assertThat(
                    order.toString(),
                    org.hamcrest.Matchers.is(String.valueOf(first).repeat(firstCount)
                            + String.valueOf(second).repeat(secondCount)));
        }

        @ProcessElement
        public void process(@Element String element, OutputReceiver<String> out) {
            SEEN.get(test).add(element);
            out.output(element);
        }
    }
}
