// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.model;

import dev.disagg.runner.testing.Mode;
import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.Redistribute;
import org.apache.beam.sdk.transforms.Sum;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.TimestampedValue;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Redistribute: each element once, its timestamp and window kept; duplicates are allowed, and none are made. */
class RedistributeTest {
    private static final int COUNT = 200;

    /** Two windows of 100 elements each, of two keys. */
    private static PCollection<KV<String, Integer>> input(Pipeline pipeline) {
        List<TimestampedValue<KV<String, Integer>>> elements = new ArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            elements.add(TimestampedValue.of(KV.of(i % 2 == 0 ? "even" : "odd", i), new Instant(i)));
        }
        return pipeline.apply(
                        "Elements",
                        Create.timestamped(elements).withCoder(KvCoder.of(StringUtf8Coder.of(), VarIntCoder.of())))
                .apply("Windows", Window.into(FixedWindows.of(Duration.millis(100))));
    }

    private static void check(PCollection<KV<String, Integer>> redistributed) {
        PAssert.that(redistributed.apply("Sums", Sum.integersPerKey()))
                .containsInAnyOrder(
                        KV.of("even", sum(0, 100)),
                        KV.of("odd", sum(1, 100)),
                        KV.of("even", sum(100, 200)),
                        KV.of("odd", sum(101, 200)));
    }

    private static int sum(int from, int to) {
        int sum = 0;
        for (int i = from; i < to; i += 2) {
            sum += i;
        }
        return sum;
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void byKey(Mode mode) {
        Pipeline pipeline = mode.pipeline();
        check(input(pipeline).apply(Redistribute.byKey()));
        Mode.run(pipeline);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void byKeyWithDuplicatesAllowed(Mode mode) {
        Pipeline pipeline = mode.pipeline();
        check(input(pipeline).apply(Redistribute.<String, Integer>byKey().withAllowDuplicates(true)));
        Mode.run(pipeline);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void arbitrarily(Mode mode) {
        Pipeline pipeline = mode.pipeline();
        check(input(pipeline).apply(Redistribute.arbitrarily()));
        Mode.run(pipeline);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void arbitrarilyIntoBucketsWithDuplicatesAllowed(Mode mode) {
        Pipeline pipeline = mode.pipeline();
        check(input(pipeline)
                .apply(Redistribute.<KV<String, Integer>>arbitrarily()
                        .withNumBuckets(3)
                        .withAllowDuplicates(true)));
        Mode.run(pipeline);
    }
}
