// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;

import dev.disagg.runner.DisaggPipelineResult;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.ByteArrayCoder;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.KV;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A DoFn that reads a key's state once per bundle and goes on with what it has in a field. */
class StaleBundleTest {
    private static final int KEYS = 400;
    private static final int ROUNDS = 30;
    private static final Map<String, Integer> LAST = new ConcurrentHashMap<>();
    private static final Map<DoFn<?, ?>, Boolean> INSTANCES = new ConcurrentHashMap<>();

    /** Knows that a bundle began, and nothing else; each value makes its row heavy, so that it does not stay in memory. */
    static final class ReadOncePerBundle extends DoFn<KV<String, Integer>, Void> {
        private static final long serialVersionUID = 1L;

        @StateId("count")
        private final StateSpec<ValueState<Integer>> count = StateSpecs.value(VarIntCoder.of());

        @StateId("ballast")
        private final StateSpec<ValueState<byte[]>> ballast = StateSpecs.value(ByteArrayCoder.of());

        private transient Map<String, Integer> known;

        @StartBundle
        public void start() {
            known = new HashMap<>();
            INSTANCES.put(this, true);
        }

        @ProcessElement
        public void process(
                @Element KV<String, Integer> element,
                @StateId("count") ValueState<Integer> counted,
                @StateId("ballast") ValueState<byte[]> heavy) {
            String key = element.getKey();
            Integer before = known.get(key);
            if (before == null) {
                before = counted.read();
            }
            int now = before == null ? 1 : before + 1;
            counted.write(now);
            heavy.write(new byte[3000]);
            known.put(key, now);
            LAST.put(key, now);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void whatAFieldKeepsForABundleIsNeverStaleAlsoWhenRowsComeAndGo(long seed) {
        LAST.clear();
        INSTANCES.clear();
        List<KV<String, Integer>> elements = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            for (int key = 0; key < KEYS; key++) {
                elements.add(KV.of("k" + key * (round % 7 + 1) % KEYS, round));
            }
        }
        Map<String, Integer> expected = new HashMap<>();
        elements.forEach(element -> expected.merge(element.getKey(), 1, Integer::sum));
        Pipeline pipeline = Pipeline.create(PipelineOptionsFactory.fromArgs(
                        "--runner=TestDisaggRunner",
                        "--parallelism=1",
                        "--stateMemory=1MiB",
                        "--maxBundleElements=5000",
                        "--maxBundleMillis=600000",
                        "--maxInFlightComputations=40",
                        "--delayedReads=" + seed)
                .create());
        pipeline.apply(Create.of(elements).withCoder(KvCoder.of(StringUtf8Coder.of(), VarIntCoder.of())))
                .apply("Count", ParDo.of(new ReadOncePerBundle()));
        DisaggPipelineResult result = (DisaggPipelineResult) pipeline.run();
        result.waitUntilFinish();
        long evictions = result.tasks().stream()
                .flatMap(task -> task.cells().stream())
                .mapToLong(cells -> cells.evictions())
                .sum();
        assertThat("rows were evicted", evictions, greaterThan((long) KEYS));
        assertThat("several instances", INSTANCES.size(), greaterThan(2));
        assertThat(LAST, is(expected));
    }
}
