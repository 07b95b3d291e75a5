// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThanOrEqualTo;

import dev.disagg.async.AsyncMetrics;
import dev.disagg.runner.DisaggPipelineResult;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.io.GenerateSequence;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.state.MapState;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.Count;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.WithKeys;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.junit.jupiter.api.Test;

/** A hundred thousand computations that are parked in the middle of their body: what is left of them. */
class ManyParkedTest {
    private static final int ELEMENTS = 200_000;
    /** Not each read waits: some are answered before the body would park, some at the bound on parked ones. */
    private static final long PARKED = 100_000;

    private static final int KEYS = 5_000;
    private static final int MAX_PARKED = 40;
    private static final int MAX_RUNS = 40;

    private static final AtomicInteger STARTED = new AtomicInteger();
    private static final AtomicInteger FINISHED = new AtomicInteger();
    private static final AtomicInteger TEARDOWNS = new AtomicInteger();
    private static final Queue<WeakReference<Object>> INSTANCES = new ConcurrentLinkedQueue<>();
    private static final Queue<WeakReference<Thread>> THREADS = new ConcurrentLinkedQueue<>();

    static final class Reading extends DoFn<KV<Integer, Long>, Long> {
        private static final long serialVersionUID = 1L;

        @StateId("map")
        private final StateSpec<MapState<Integer, Long>> spec = StateSpecs.map(VarIntCoder.of(), VarLongCoder.of());

        @Setup
        public void setup() {
            INSTANCES.add(new WeakReference<>(this));
            THREADS.add(new WeakReference<>(Thread.currentThread()));
        }

        @StartBundle
        public void start() {
            STARTED.incrementAndGet();
        }

        @ProcessElement
        public void process(
                @Element KV<Integer, Long> element,
                @StateId("map") MapState<Integer, Long> map,
                OutputReceiver<Long> out) {
            Long before = map.get(1).read();
            map.put(1, before == null ? 1 : before + 1);
            out.output(element.getValue());
        }

        @FinishBundle
        public void finish() {
            FINISHED.incrementAndGet();
        }

        @Teardown
        public void teardown() {
            TEARDOWNS.incrementAndGet();
        }
    }

    @Test
    void leaveNoThreadNoOpenBundleNoInstanceAndNoMemory() throws InterruptedException {
        long handOvers = 0;
        int runs = 0;
        while (handOvers < PARKED && runs < MAX_RUNS) {
            handOvers += run();
            runs++;
        }
        assertThat("parked and resumed", handOvers, greaterThanOrEqualTo(PARKED));
        assertThat("several instances", INSTANCES.size(), greaterThan(2));
        assertThat("bounded", INSTANCES.size(), lessThanOrEqualTo(runs * 2 * (MAX_PARKED + 1)));
        assertThat("torn down", TEARDOWNS.get(), is(INSTANCES.size()));
        assertThat("bundles", FINISHED.get(), is(STARTED.get()));
        for (WeakReference<Thread> each : THREADS) {
            Thread thread = each.get();
            if (thread != null) {
                thread.join(60_000);
                assertThat("alive: " + thread, thread.isAlive(), is(false));
            }
        }
        // One or two that somebody saw last may stay reachable for a while; what leaks, leaks with each.
        assertThat("instances that something still holds", stillHeld().size(), lessThanOrEqualTo(2));
    }

    private static long run() {
        Pipeline pipeline = Pipeline.create(PipelineOptionsFactory.fromArgs(
                        "--runner=TestDisaggRunner",
                        "--parallelism=2",
                        "--maxParkedComputations=" + MAX_PARKED,
                        "--delayedReads=17")
                .create());
        PAssert.thatSingleton(pipeline.apply(GenerateSequence.from(0).to(ELEMENTS))
                        .apply(WithKeys.<Integer, Long>of(number -> (int) (number % KEYS))
                                .withKeyType(TypeDescriptors.integers()))
                        .apply("Read", ParDo.of(new Reading()))
                        .apply(Count.globally()))
                .isEqualTo((long) ELEMENTS);
        DisaggPipelineResult result = (DisaggPipelineResult) pipeline.run();
        result.waitUntilFinish();
        return result.tasks().stream()
                .map(task -> task.async())
                .mapToLong(AsyncMetrics::handOvers)
                .sum();
    }

    private static List<Object> stillHeld() throws InterruptedException {
        List<Object> held = List.of();
        for (int attempt = 0; attempt < 20; attempt++) {
            System.gc();
            held = new ArrayList<>();
            for (WeakReference<Object> instance : INSTANCES) {
                Object alive = instance.get();
                if (alive != null) {
                    held.add(alive);
                }
            }
            if (held.isEmpty()) {
                return held;
            }
            Thread.yield();
        }
        return held;
    }
}
