// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThan;
import static org.hamcrest.Matchers.lessThanOrEqualTo;

import dev.disagg.async.sim.Simulation;
import dev.disagg.runner.graph.StageGraph;
import dev.disagg.runner.graph.Translation;
import dev.disagg.state.ByteStore;
import dev.disagg.state.KeyRange;
import dev.disagg.state.cell.TaskStateOptions;
import dev.disagg.state.heap.HeapBackend;
import dev.disagg.ufs.JobFiles;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.Pack;
import dev.disagg.ufs.Retries;
import dev.disagg.ufs.memory.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.state.BagState;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.TimeDomain;
import org.apache.beam.sdk.state.Timer;
import org.apache.beam.sdk.state.TimerSpec;
import org.apache.beam.sdk.state.TimerSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.GlobalWindow;
import org.apache.beam.sdk.transforms.windowing.IntervalWindow;
import org.apache.beam.sdk.transforms.windowing.PaneInfo;
import org.apache.beam.sdk.transforms.windowing.Sessions;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.WindowedValue;
import org.apache.beam.sdk.values.WindowedValues;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What whole keyed tasks read before their bodies run, over a store that is 23 ms away and of which nothing is in memory:
 * round trips counted in virtual time, requests counted at the store, and no body that waits in its middle.
 */
class FetchAheadTest {
    private static final long LATENCY_NANOS = TimeUnit.MILLISECONDS.toNanos(23);
    private static final int KEYS = 50;
    private static final long MAX_STEPS = 3_000_000;
    private static final long GAP_MILLIS = 1000;

    private final Simulation simulation = Simulation.orderly(7);
    private final JobFiles files = JobFiles.open(MemoryStore.create(this::nowMillis), "job", 1, "p", Retries.none());
    private final HeapBackend backend = new HeapBackend(files, Runnable::run);

    private long nowMillis() {
        return TimeUnit.NANOSECONDS.toMillis(simulation.nanoTime());
    }

    @AfterEach
    void end() {
        simulation.close();
    }

    private static PCollection<KV<String, Long>> events(Pipeline pipeline) {
        return pipeline.apply(Create.of(KV.of("k", 1L)).withCoder(KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of())));
    }

    private static StageGraph graph(DoFn<KV<String, Long>, KV<String, Long>> fn) {
        Pipeline pipeline = Pipeline.create();
        events(pipeline)
                .apply("Step", ParDo.of(fn))
                .setCoder(KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of()))
                .apply("Behind", GroupByKey.create());
        return Translation.translate(pipeline, 1);
    }

    private static StageGraph sessions() {
        Pipeline pipeline = Pipeline.create();
        events(pipeline)
                .apply(Window.into(Sessions.withGapDuration(Duration.millis(GAP_MILLIS))))
                .apply("Step", GroupByKey.create())
                .apply("Turn", ParDo.of(new Turn()))
                .setCoder(KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of()))
                .apply("Behind", GroupByKey.create());
        return Translation.translate(pipeline, 1);
    }

    private static final class Turn extends DoFn<KV<String, Iterable<Long>>, KV<String, Long>> {
        private static final long serialVersionUID = 1L;

        @ProcessElement
        public void process(@Element KV<String, Iterable<Long>> group, OutputReceiver<KV<String, Long>> out) {
            long sum = 0;
            for (long each : group.getValue()) {
                sum += each;
            }
            out.output(KV.of(group.getKey(), sum));
        }
    }

    /** One task over what an earlier one left. */
    private final class Run implements SimulatedTask.Listener {
        final List<WindowedValue<?>> outs = new ArrayList<>();
        final SimulatedTask task;
        private @Nullable Throwable failure;
        private @Nullable CompletableFuture<OwnerRecord> snapshot;
        private boolean far;
        private boolean finished;

        Run(StageGraph graph, List<ByteStore.Parent> parents) {
            StageGraph.Stage stage = graph.stages().stream()
                    .filter(StageGraph.Stage::keyed)
                    .findFirst()
                    .orElseThrow();
            task = new SimulatedTask(
                    graph,
                    stage,
                    0,
                    KeyRange.ALL,
                    1,
                    new SimulatedTask.Bounds(
                            6000, 256, 1024, true, true, 1000, TimeUnit.HOURS.toNanos(1), TaskStateOptions.DEFAULT),
                    new SimulatedTask.Place(
                            simulation.threads(),
                            simulation::nanoTime,
                            FetchAheadTest.this::nowMillis,
                            backend.open("step", KeyRange.ALL, parents).join(),
                            this::distance),
                    this);
            task.start();
            // What is read at the start is read before the clock starts.
            until(() -> simulation.steps() > 0);
            far = true;
        }

        private void distance(Runnable answer) {
            if (far) {
                simulation.after(LATENCY_NANOS, answer);
            } else {
                answer.run();
            }
        }

        void until(BooleanSupplier done) {
            simulation.run(() -> failure != null || done.getAsBoolean(), MAX_STEPS);
            if (failure != null) {
                throw new AssertionError("the task failed", failure);
            }
        }

        /** One element of each key; returns how long that takes, in latencies. */
        double latenciesOf(long number, long timestampMillis, BoundedWindow window) {
            List<WindowedValue<?>> values = new ArrayList<>();
            for (int key = 0; key < KEYS; key++) {
                values.add(WindowedValues.of(
                        KV.of("key-" + key, number), new Instant(timestampMillis), window, PaneInfo.NO_FIRING));
            }
            long finishedBefore = task.metrics().finished();
            return latenciesUntil(
                    () -> task.elements(0, values), () -> task.metrics().finished() >= finishedBefore + KEYS);
        }

        double latenciesUntil(Runnable begin, BooleanSupplier done) {
            long start = simulation.nanoTime();
            begin.run();
            until(done);
            return (double) (simulation.nanoTime() - start) / LATENCY_NANOS;
        }

        /** Takes a snapshot and ends; nothing of it is in memory afterwards. */
        List<ByteStore.Parent> leave() {
            far = false;
            task.inject(1);
            until(() -> snapshot != null && snapshot.isDone());
            OwnerRecord record = snapshot.join();
            stop();
            return List.of(new ByteStore.Parent(KeyRange.ALL, record));
        }

        void stop() {
            task.cancel();
            simulation.run(() -> task.terminated().isDone(), MAX_STEPS);
        }

        @Override
        public void output(WindowedValue<?> value) {
            outs.add(value);
        }

        @Override
        public void watermark(long millis) {}

        @Override
        public void snapshot(long checkpoint, ByteStore.Frozen state) {
            Pack pack = files.createPack();
            snapshot = state.flush(pack).thenCompose(record -> pack.seal().thenApply(done -> record));
        }

        @Override
        public void checkpointNeeded() {}

        @Override
        public void finished() {
            finished = true;
        }

        @Override
        public void failed(Throwable cause) {
            failure = cause;
        }
    }

    private static IntervalWindow session(long timestampMillis) {
        return new IntervalWindow(new Instant(timestampMillis), Duration.millis(GAP_MILLIS));
    }

    @Test
    void mergingWindowsTakeTwoRoundTripsAndNoBodyWaits() {
        StageGraph graph = sessions();
        Run before = new Run(graph, List.of());
        before.latenciesOf(1, 100, session(100));
        before.latenciesOf(2, 5000, session(5000));
        Run run = new Run(graph, before.leave());
        // It joins the first session; the second is none of its business.
        double latencies = run.latenciesOf(3, 600, session(600));
        assertThat(latencies, lessThanOrEqualTo(2.01));
        assertThat("bodies that waited in their middle", run.task.metrics().handOvers(), is(0L));
        run.stop();
    }

    @Test
    void firingTimersOfMergedWindowsTakesTwoRoundTripsBehindTheIndex() {
        StageGraph graph = sessions();
        Run before = new Run(graph, List.of());
        before.latenciesOf(1, 100, session(100));
        before.latenciesOf(2, 600, session(600));
        Run run = new Run(graph, before.leave());
        double latencies = run.latenciesUntil(() -> run.task.watermark(0, 10_000), () -> run.outs.size() == KEYS);
        assertThat(((KV<?, ?>) run.outs.get(0).getValue()).getValue(), equalTo(3L));
        assertThat(latencies, lessThanOrEqualTo(3.01));
        assertThat("bodies that waited in their middle", run.task.metrics().handOvers(), is(0L));
        run.stop();
    }

    /** Only ever adds. */
    private static final class Blind extends DoFn<KV<String, Long>, KV<String, Long>> {
        private static final long serialVersionUID = 1L;

        @StateId("bag")
        private final StateSpec<BagState<Long>> spec = StateSpecs.bag(VarLongCoder.of());

        @ProcessElement
        public void process(@Element KV<String, Long> element, @StateId("bag") BagState<Long> bag) {
            bag.add(element.getValue());
        }
    }

    @Test
    void whatIsOnlyWrittenIsFetchedNoLongerOnceThatIsKnown() {
        StageGraph graph = graph(new Blind());
        Run before = new Run(graph, List.of());
        before.latenciesOf(1, 0, GlobalWindow.INSTANCE);
        List<ByteStore.Parent> stored = before.leave();
        Run run = new Run(graph, stored);
        // Nobody has run yet: everything is fetched.
        assertThat(run.latenciesOf(2, 0, GlobalWindow.INSTANCE), greaterThanOrEqualTo(0.99));
        long readBefore = run.task.storeReads();
        assertThat("it was read", readBefore, greaterThanOrEqualTo((long) KEYS));
        List<WindowedValue<?>> others = new ArrayList<>();
        for (int key = 0; key < KEYS; key++) {
            others.add(WindowedValues.valueInGlobalWindow(KV.of("another-" + key, 1L)));
        }
        double latencies = run.latenciesUntil(
                () -> run.task.elements(0, others), () -> run.task.metrics().finished() >= 2L * KEYS);
        assertThat("keys that were never seen are written without a look", latencies, lessThan(0.99));
        assertThat("now and then one is read", run.task.storeReads() - readBefore, lessThan(KEYS / 4L));
        run.stop();
    }

    /** Sets a timer; the firing reads what the element wrote. */
    private static final class Timed extends DoFn<KV<String, Long>, KV<String, Long>> {
        private static final long serialVersionUID = 1L;

        @StateId("value")
        private final StateSpec<ValueState<Long>> spec = StateSpecs.value(VarLongCoder.of());

        @TimerId("timer")
        private final TimerSpec timer = TimerSpecs.timer(TimeDomain.EVENT_TIME);

        @ProcessElement
        public void process(
                @Element KV<String, Long> element,
                @StateId("value") ValueState<Long> value,
                @TimerId("timer") Timer at) {
            value.write(element.getValue());
            at.withOutputTimestamp(new Instant(0)).set(new Instant(1000));
        }

        @OnTimer("timer")
        public void fire(
                @Key String key, @StateId("value") ValueState<Long> value, OutputReceiver<KV<String, Long>> out) {
            out.output(KV.of(key, value.read()));
        }
    }

    @Test
    void theRowsOfTimersThatAreDueAreFetchedBeforeTheyFire() {
        StageGraph graph = graph(new Timed());
        Run before = new Run(graph, List.of());
        before.latenciesOf(8, 0, GlobalWindow.INSTANCE);
        Run run = new Run(graph, before.leave());
        double latencies = run.latenciesUntil(() -> run.task.watermark(0, 2000), () -> run.outs.size() == KEYS);
        assertThat(latencies, lessThanOrEqualTo(3.01));
        assertThat("bodies that waited in their middle", run.task.metrics().handOvers(), is(0L));
        run.stop();
    }

    /** Timers at the element's value; the firing reads what the element wrote. */
    private static final class TimedByValue extends DoFn<KV<String, Long>, KV<String, Long>> {
        private static final long serialVersionUID = 1L;

        @StateId("value")
        private final StateSpec<ValueState<Long>> spec = StateSpecs.value(VarLongCoder.of());

        @TimerId("timer")
        private final TimerSpec timer = TimerSpecs.timer(TimeDomain.EVENT_TIME);

        @ProcessElement
        public void process(
                @Element KV<String, Long> element,
                @StateId("value") ValueState<Long> value,
                @TimerId("timer") Timer at) {
            value.write(element.getValue());
            at.withOutputTimestamp(new Instant(0)).set(new Instant(element.getValue()));
        }

        @OnTimer("timer")
        public void fire(
                @Key String key, @StateId("value") ValueState<Long> value, OutputReceiver<KV<String, Long>> out) {
            out.output(KV.of(key, value.read()));
        }
    }

    private void pass(Run run, long latencies) {
        boolean[] over = new boolean[1];
        simulation.after(latencies * LATENCY_NANOS, () -> over[0] = true);
        run.until(() -> over[0]);
    }

    @Test
    void theRowsOfTimersThatTheNextWatermarkMakesDueAreThereWhenItComes() {
        StageGraph graph = graph(new TimedByValue());
        Run before = new Run(graph, List.of());
        before.latenciesOf(1000, 0, GlobalWindow.INSTANCE);
        Run run = new Run(graph, before.leave());
        run.task.watermark(0, 400);
        pass(run, 5);
        run.task.watermark(0, 800);
        pass(run, 5);
        assertThat(run.outs.size(), is(0));
        double latencies = run.latenciesUntil(() -> run.task.watermark(0, 1200), () -> run.outs.size() == KEYS);
        assertThat("round trips from the watermark to the last output", latencies, lessThanOrEqualTo(0.01));
        assertThat("bodies that waited in their middle", run.task.metrics().handOvers(), is(0L));
        assertThat(run.outs.size(), is(KEYS));
        run.stop();
    }

    @Test
    void timersThatAreFarInTheFutureAreNotFetched() {
        StageGraph graph = graph(new TimedByValue());
        Run before = new Run(graph, List.of());
        before.latenciesOf(100_000, 0, GlobalWindow.INSTANCE);
        Run run = new Run(graph, before.leave());
        run.task.watermark(0, 400);
        pass(run, 5);
        long reads = run.task.storeReads();
        run.task.watermark(0, 800);
        pass(run, 5);
        assertThat("reads", run.task.storeReads() - reads, is(0L));
        run.stop();
    }

    @Test
    void soManyKeysAreFetchedAheadAndNoMore() {
        StageGraph graph = graph(new TimedByValue());
        Run before = new Run(graph, List.of());
        List<WindowedValue<?>> values = new ArrayList<>();
        for (int key = 0; key < 1000; key++) {
            values.add(WindowedValues.valueInGlobalWindow(KV.of("key-" + key, 1000L)));
        }
        before.latenciesUntil(
                () -> before.task.elements(0, values),
                () -> before.task.metrics().finished() >= values.size());
        Run run = new Run(graph, before.leave());
        run.task.watermark(0, 400);
        pass(run, 5);
        long reads = run.task.storeReads();
        run.task.watermark(0, 800);
        pass(run, 5);
        // The key's timers, then the row of its window.
        assertThat("reads", run.task.storeReads() - reads, is(2L * DueAhead.MOST_KEYS));
        run.task.watermark(0, 1200);
        run.until(() -> run.outs.size() == values.size());
        run.stop();
    }

    /** Two cells that depend on nothing: asked for together, they take one latency. */
    private static final class ReadsLater extends DoFn<KV<String, Long>, KV<String, Long>> {
        private static final long serialVersionUID = 1L;

        @StateId("seldom")
        private final StateSpec<org.apache.beam.sdk.state.MapState<Long, Long>> one =
                StateSpecs.map(VarLongCoder.of(), VarLongCoder.of());

        @ProcessElement
        public void process(
                @Element KV<String, Long> element,
                @StateId("seldom") org.apache.beam.sdk.state.MapState<Long, Long> map,
                OutputReceiver<KV<String, Long>> out) {
            if (element.getValue() == 0) {
                var first = map.get(1L).readLater();
                var second = map.get(2L).readLater();
                var third = map.get(3L).readLater();
                out.output(KV.of(element.getKey(), first.read() + second.read() + third.read()));
            } else {
                map.put(1L, 1L);
                map.put(2L, 10L);
                map.put(3L, 100L);
            }
        }
    }

    @Test
    void entriesThatAreAskedForAheadComeTogether() {
        StageGraph graph = graph(new ReadsLater());
        Run before = new Run(graph, List.of());
        before.latenciesOf(1, 0, GlobalWindow.INSTANCE);
        Run run = new Run(graph, before.leave());
        double latencies = run.latenciesOf(0, 0, GlobalWindow.INSTANCE);
        // The row, which says where the entries are, before the body; then all three.
        assertThat(latencies, lessThanOrEqualTo(2.01));
        until(run);
        assertThat(((KV<?, ?>) run.outs.get(0).getValue()).getValue(), equalTo(111L));
        run.stop();
    }

    /** What was output is handed on when the task has nothing else to do. */
    private static void until(Run run) {
        run.until(() -> run.outs.size() == KEYS);
    }
}
