// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.model;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThanOrEqualTo;

import dev.disagg.runner.testing.Mode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.testing.TestStream;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.GroupIntoBatches;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.beam.sdk.util.ShardedKey;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.TimestampedValue;
import org.apache.beam.sdk.values.TypeDescriptor;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** GroupIntoBatches: by count, by bytes, by time, with and without sharded keys. */
class BatchesTest {
    private static final KvCoder<String, Integer> CODER = KvCoder.of(StringUtf8Coder.of(), VarIntCoder.of());
    private static final int KEYS = 3;
    private static final int PER_KEY = 25;

    private static PCollection<KV<String, Integer>> input(Pipeline pipeline) {
        List<KV<String, Integer>> elements = new ArrayList<>();
        for (int i = 0; i < PER_KEY; i++) {
            for (int key = 0; key < KEYS; key++) {
                elements.add(KV.of("key-" + key, i));
            }
        }
        return pipeline.apply("Elements", Create.of(elements).withCoder(CODER));
    }

    /** Every value of every key in one batch; no batch larger than {@code most}; {@code expected} of them, unless that is 0. */
    private static SerializableFunction<Iterable<KV<String, Iterable<Integer>>>, Void> batches(int most, int expected) {
        return batches -> {
            Map<String, List<Integer>> values = new TreeMap<>();
            int count = 0;
            for (KV<String, Iterable<Integer>> batch : batches) {
                List<Integer> of = values.computeIfAbsent(batch.getKey(), key -> new ArrayList<>());
                int before = of.size();
                batch.getValue().forEach(of::add);
                assertThat("size of a batch", of.size() - before, is(lessThanOrEqualTo(most)));
                count++;
            }
            Map<String, List<Integer>> all = new TreeMap<>();
            for (int key = 0; key < KEYS; key++) {
                List<Integer> of = all.computeIfAbsent("key-" + key, name -> new ArrayList<>());
                for (int i = 0; i < PER_KEY; i++) {
                    of.add(i);
                }
            }
            values.values().forEach(of -> of.sort(null));
            assertThat(values, is(all));
            if (expected > 0) {
                assertThat("batches", count, is(expected));
            }
            return null;
        };
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void byCount(Mode mode) {
        Pipeline pipeline = mode.pipeline();
        PAssert.that(input(pipeline).apply(GroupIntoBatches.ofSize(10))).satisfies(batches(10, 3 * KEYS));
        Mode.run(pipeline);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void byBytes(Mode mode) {
        Pipeline pipeline = mode.pipeline();
        // A value weighs 3: four of them stay below 14.
        PAssert.that(input(pipeline).apply(GroupIntoBatches.ofByteSize(14, value -> 3L)))
                .satisfies(batches(4, 7 * KEYS));
        Mode.run(pipeline);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void ofShardedKeys(Mode mode) {
        Pipeline pipeline = mode.pipeline();
        PCollection<KV<String, Iterable<Integer>>> batches = input(pipeline)
                .apply(GroupIntoBatches.<String, Integer>ofSize(10).withShardedKey())
                .apply(MapElements.into(new TypeDescriptor<KV<String, Iterable<Integer>>>() {})
                        .via((KV<ShardedKey<String>, Iterable<Integer>> batch) ->
                                KV.of(batch.getKey().getKey(), batch.getValue())));
        PAssert.that(batches).satisfies(batches(10, 0));
        Mode.run(pipeline);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void byTimeOfBuffering(Mode mode) {
        Pipeline pipeline = mode.pipeline();
        TestStream<KV<String, Integer>> events = TestStream.create(CODER)
                .addElements(at("a", 1), at("b", 1), at("a", 2))
                .advanceProcessingTime(Duration.standardSeconds(4))
                .addElements(at("a", 3))
                .advanceProcessingTime(Duration.standardSeconds(7))
                .addElements(at("a", 4), at("b", 2))
                .advanceProcessingTime(Duration.standardSeconds(1))
                .addElements(at("b", 3))
                .advanceWatermarkToInfinity();
        PAssert.that(pipeline.apply(events)
                        .apply(GroupIntoBatches.<String, Integer>ofSize(100)
                                .withMaxBufferingDuration(Duration.standardSeconds(10)))
                        .apply(MapElements.into(TypeDescriptors.strings()).via(BatchesTest::text)))
                .containsInAnyOrder("a[1, 2, 3]", "b[1]", "a[4]", "b[2, 3]");
        Mode.run(pipeline);
    }

    private static TimestampedValue<KV<String, Integer>> at(String key, int value) {
        return TimestampedValue.of(KV.of(key, value), new Instant(value));
    }

    private static String text(KV<String, Iterable<Integer>> batch) {
        List<Integer> values = new ArrayList<>();
        batch.getValue().forEach(values::add);
        values.sort(null);
        return batch.getKey() + values;
    }
}
