// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;
import static org.hamcrest.Matchers.lessThanOrEqualTo;

import dev.disagg.async.AsyncOptions;
import dev.disagg.async.sim.Simulation;
import dev.disagg.runner.graph.Exchange;
import dev.disagg.runner.graph.StageGraph;
import dev.disagg.runner.graph.Translation;
import dev.disagg.state.ByteStore;
import dev.disagg.state.KeyRange;
import dev.disagg.state.StateBackend;
import dev.disagg.state.cell.KeyHash;
import dev.disagg.state.cell.TaskState;
import dev.disagg.state.cell.TaskStateOptions;
import dev.disagg.state.heap.HeapBackend;
import dev.disagg.ufs.JobFiles;
import dev.disagg.ufs.ObjectStore;
import dev.disagg.ufs.ObjectStores;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.Pack;
import dev.disagg.ufs.Retries;
import dev.disagg.ufs.testkit.VirtualTime;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.state.MapState;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.WindowedValues;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A whole keyed task with a plain Beam DoFn, on simulated threads and virtual time, before a store that is 23 ms away: what
 * a body that reads in its middle costs the others.
 */
class ColdReadsTest {
    private static final long LATENCY_NANOS = TimeUnit.MILLISECONDS.toNanos(23);
    private static final int KEYS = 100;
    private static final long MAX_STEPS = 2_000_000;
    private static final long SEED = 20_240;

    /** What the DoFn read, per key; filled by the task under test. */
    private static final Map<String, Long> READ = new ConcurrentHashMap<>();

    /** A positive value is put under {@code "a"}; for 0 the entry is read. */
    static final class PutOrGet extends DoFn<KV<String, Long>, Long> {
        private static final long serialVersionUID = 1L;

        @StateId("map")
        private final StateSpec<MapState<String, Long>> spec = StateSpecs.map(StringUtf8Coder.of(), VarLongCoder.of());

        @ProcessElement
        public void process(@Element KV<String, Long> element, @StateId("map") MapState<String, Long> map) {
            if (element.getValue() > 0) {
                map.put("a", element.getValue());
            } else {
                READ.merge(element.getKey(), map.get("a").read(), Long::sum);
            }
        }
    }

    private final ObjectStore objects = ObjectStores.open("memory://cold-reads");
    private final JobFiles files =
            JobFiles.open(objects, "job", 1, "p", Retries.standard(VirtualTime.immediate(), new Random(SEED)));
    private final StateBackend backend = new HeapBackend(files, Runnable::run);
    private Simulation simulation;

    @BeforeEach
    void begin() {
        READ.clear();
        simulation = Simulation.orderly(SEED);
    }

    @AfterEach
    void end() {
        simulation.close();
        objects.close();
    }

    private static StageGraph.Stage stage() {
        Pipeline pipeline = Pipeline.create();
        pipeline.apply(Create.of(KV.of("k", 1L)).withCoder(KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of())))
                .apply("Step", ParDo.of(new PutOrGet()));
        StageGraph graph = Translation.translate(pipeline, 1);
        return graph.stages().stream()
                .filter(StageGraph.Stage::keyed)
                .findFirst()
                .orElseThrow();
    }

    /** The task under test and what it is connected with. */
    private final class Bench implements TaskHost {
        final Inbound inbound = new Inbound(1);
        final KeyedTask task;

        @Nullable
        Throwable failure;

        boolean finished;

        Bench(ByteStore store, boolean handOver) {
            StageGraph.Stage stage = stage();
            TaskSpec spec = new TaskSpec(
                    stage,
                    0,
                    KeyRange.ALL,
                    inbound,
                    List.of(new StageGraph.Edge(
                            0, 0, 0, stage.index(), new Exchange.ByKey(StringUtf8Coder.of()), null)),
                    List.of(),
                    TaskState.open(new ByteStore.Opened(store, List.of()), TaskStateOptions.DEFAULT),
                    List.of(),
                    1000,
                    TimeUnit.SECONDS.toNanos(1),
                    handOver,
                    null,
                    null);
            task = new KeyedTask(
                    spec,
                    this,
                    AsyncOptions.defaults(simulation.threads(), simulation::nanoTime)
                            .withHandOver(handOver)
                            .withMaxInFlight(handOver ? 6000 : 1));
            task.start();
        }

        void send(long value, int repeat) {
            List<KeyedElement> elements = new ArrayList<>();
            for (int i = 0; i < KEYS * repeat; i++) {
                String key = "key-" + i % KEYS;
                byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
                elements.add(new KeyedElement(
                        WindowedValues.valueInGlobalWindow(KV.of(key, value * (i % KEYS + 1))),
                        bytes,
                        KeyHash.of(bytes),
                        0));
            }
            inbound.offer(new Message.Elements(0, elements));
        }

        /** Runs until all that was sent is processed; returns how long that took in virtual time. */
        long nanosUntilProcessed(int elements) {
            long start = simulation.nanoTime();
            run(() -> task.processedElements() == elements && task.async().inFlight() == 0);
            return simulation.nanoTime() - start;
        }

        void end() {
            inbound.offer(new Message.End(0));
            run(() -> finished);
            task.shutdown();
            simulation.run(() -> task.terminated().isDone(), MAX_STEPS);
        }

        private void run(BooleanSupplier until) {
            simulation.run(() -> failure != null || until.getAsBoolean(), MAX_STEPS);
            if (failure != null) {
                throw new AssertionError("the task failed", failure);
            }
        }

        @Override
        public java.util.concurrent.ScheduledExecutorService delayed() {
            throw new UnsupportedOperationException("no splittable DoFn here");
        }

        @Override
        public long nowMillis() {
            return TimeUnit.NANOSECONDS.toMillis(simulation.nanoTime());
        }

        @Override
        public long nanoTime() {
            return simulation.nanoTime();
        }

        @Override
        public Activity activity() {
            return new Activity(false);
        }

        @Override
        public PipelineOptions options() {
            return PipelineOptionsFactory.create();
        }

        @Override
        public void checkpointNeeded(boolean last) {}

        @Override
        public void snapshot(StageTask from, Barrier barrier, Snapshot snapshot) {}

        @Override
        public void finished(StageTask by) {
            finished = true;
        }

        @Override
        public void stuck(StageTask by, String text) {
            throw new AssertionError(text);
        }

        @Override
        public void failed(StageTask by, Throwable cause) {
            failure = cause;
        }
    }

    private ByteStore near(List<ByteStore.Parent> parents) {
        return backend.open("step", KeyRange.ALL, parents).join().store();
    }

    /** A store with an entry of a map for each key, of which nothing is in memory; reads take {@link #LATENCY_NANOS}. */
    private FarStore filled() {
        ByteStore store = near(List.of());
        Bench filling = new Bench(store, true);
        filling.send(1, 1);
        filling.nanosUntilProcessed(KEYS);
        Pack pack = files.createPack();
        ByteStore.Frozen frozen = filling.task.state().freeze(1, new byte[0]);
        OwnerRecord record = frozen.flush(pack).join();
        pack.seal().join();
        filling.end();
        ByteStore again = near(List.of(new ByteStore.Parent(KeyRange.ALL, record)));
        return new FarStore(again, run -> simulation.after(LATENCY_NANOS, run));
    }

    private static Map<String, Long> expected(int repeat) {
        Map<String, Long> expected = new ConcurrentHashMap<>();
        for (int i = 0; i < KEYS; i++) {
            expected.put("key-" + i, (long) repeat * (i + 1));
        }
        return expected;
    }

    /** How long it takes that each key reads its entry {@code repeat} times, in latencies of the store. */
    private double latencies(boolean handOver, int repeat) {
        FarStore far = filled();
        Bench bench = new Bench(far, handOver);
        bench.send(0, repeat);
        long nanos = bench.nanosUntilProcessed(KEYS * repeat);
        bench.end();
        assertThat(READ, equalTo(expected(repeat)));
        assertThat("every key was read from afar", far.reads(), greaterThanOrEqualTo((long) KEYS));
        return (double) nanos / LATENCY_NANOS;
    }

    /** The row says where the map's entries are, and the entry is one of these: two reads, one after the other. */
    @Test
    void aHundredKeysThatReadColdMapsTakeAsLongAsOne() {
        assertThat(latencies(true, 1), lessThanOrEqualTo(2.01));
    }

    @Test
    void withHandOverOffTheyTakeAsLongAsAllTogether() {
        assertThat(latencies(false, 1), greaterThanOrEqualTo((double) KEYS));
    }

    @Test
    void laterElementsOfAKeyWaitForTheirTurnAndNotForEachOther() {
        assertThat(latencies(true, 3), lessThanOrEqualTo(4.01));
    }
}
