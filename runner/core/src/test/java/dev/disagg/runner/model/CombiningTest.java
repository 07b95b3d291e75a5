// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.model;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.is;

import dev.disagg.runner.testing.Mode;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.ApproximateQuantiles;
import org.apache.beam.sdk.transforms.Combine;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.Distinct;
import org.apache.beam.sdk.transforms.Latest;
import org.apache.beam.sdk.transforms.Max;
import org.apache.beam.sdk.transforms.Mean;
import org.apache.beam.sdk.transforms.Sample;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.beam.sdk.transforms.Sum;
import org.apache.beam.sdk.transforms.Top;
import org.apache.beam.sdk.transforms.Values;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.TimestampedValue;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Combines of Beam's library. */
class CombiningTest {
    private static final int COUNT = 400;
    private static final int HALF = COUNT / 2;

    /** A key that has nearly everything, and one that has little; two windows; each value is its time. */
    private static PCollection<KV<String, Integer>> input(Pipeline pipeline) {
        List<TimestampedValue<KV<String, Integer>>> elements = new ArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            elements.add(TimestampedValue.of(KV.of(i % 100 == 0 ? "cold" : "hot", i), new Instant(i)));
        }
        return pipeline.apply(
                        "Elements",
                        Create.timestamped(elements).withCoder(KvCoder.of(StringUtf8Coder.of(), VarIntCoder.of())))
                .apply("Windows", Window.into(FixedWindows.of(Duration.millis(HALF))));
    }

    private static int sumOfHot(int from) {
        int sum = 0;
        for (int i = from; i < from + HALF; i++) {
            sum += i % 100 == 0 ? 0 : i;
        }
        return sum;
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void hotKeysFanOut(Mode mode) {
        Pipeline pipeline = mode.pipeline();
        PCollection<KV<String, Integer>> input = input(pipeline);
        PAssert.that(input.apply(
                        "PerKey",
                        Combine.<String, Integer, Integer>perKey(Sum.ofIntegers())
                                .withHotKeyFanout(key -> key.equals("hot") ? 5 : 1)))
                .containsInAnyOrder(
                        KV.of("hot", sumOfHot(0)),
                        KV.of("cold", 100),
                        KV.of("hot", sumOfHot(HALF)),
                        KV.of("cold", 500));
        PAssert.that(input.apply(Values.create())
                        .apply(
                                "Globally",
                                Combine.globally(Sum.ofIntegers()).withFanout(4).withoutDefaults()))
                .containsInAnyOrder(sumOfHot(0) + 100, sumOfHot(HALF) + 500);
        Mode.run(pipeline);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void latestTopAndMeanPerKeyAndWindow(Mode mode) {
        Pipeline pipeline = mode.pipeline();
        PCollection<KV<String, Integer>> input = input(pipeline);
        PAssert.that(input.apply(Latest.perKey()))
                .containsInAnyOrder(KV.of("hot", 199), KV.of("cold", 100), KV.of("hot", 399), KV.of("cold", 300));
        PAssert.that(input.apply(Top.largestPerKey(3)))
                .containsInAnyOrder(
                        KV.of("hot", List.of(199, 198, 197)),
                        KV.of("cold", List.of(100, 0)),
                        KV.of("hot", List.of(399, 398, 397)),
                        KV.of("cold", List.of(300, 200)));
        PAssert.that(input.apply(Max.integersPerKey()))
                .containsInAnyOrder(KV.of("hot", 199), KV.of("cold", 100), KV.of("hot", 399), KV.of("cold", 300));
        PAssert.that(input.apply(Mean.<String, Integer>perKey()))
                .containsInAnyOrder(
                        KV.of("hot", sumOfHot(0) / 198.0),
                        KV.of("cold", 50.0),
                        KV.of("hot", sumOfHot(HALF) / 198.0),
                        KV.of("cold", 250.0));
        Mode.run(pipeline);
    }

    /** Samples of {@code hot} of ten different values, of {@code cold} of all there are, each of one window. */
    private static final SerializableFunction<Iterable<KV<String, Iterable<Integer>>>, Void> SAMPLES = samples -> {
        List<String> seen = new ArrayList<>();
        for (KV<String, Iterable<Integer>> sample : samples) {
            TreeSet<Integer> values = new TreeSet<>();
            sample.getValue().forEach(values::add);
            assertThat("first and last in one window", values.first() / HALF, is(values.last() / HALF));
            seen.add(sample.getKey() + values.size());
        }
        assertThat(seen, containsInAnyOrder("hot10", "cold2", "hot10", "cold2"));
        return null;
    };

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "DIRECT")
    void samplesAreOfOneKeyAndWindow(Mode mode) {
        Pipeline pipeline = mode.pipeline();
        PCollection<KV<String, Integer>> input = input(pipeline);
        PAssert.that(input.apply(Sample.fixedSizePerKey(10))).satisfies(SAMPLES);
        PAssert.that(input.apply(Values.create()).apply(Sample.any(COUNT + 1)).apply(Distinct.create()))
                .satisfies(all -> {
                    List<Integer> seen = new ArrayList<>();
                    all.forEach(seen::add);
                    assertThat(seen.size(), is(COUNT));
                    return null;
                });
        Mode.run(pipeline);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void quantilesOfFewValuesAreExact(Mode mode) {
        Pipeline pipeline = mode.pipeline();
        List<Integer> values = new ArrayList<>();
        for (int i = 0; i <= 100; i++) {
            values.add(i);
        }
        PAssert.thatSingleton(pipeline.apply(Create.of(values)).apply(ApproximateQuantiles.globally(5)))
                .isEqualTo(List.of(0, 25, 50, 75, 100));
        Mode.run(pipeline);
    }
}
