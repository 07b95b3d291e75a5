// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.everyItem;
import static org.hamcrest.Matchers.is;

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
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.state.MapState;
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
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.WindowedValue;
import org.apache.beam.sdk.values.WindowedValues;
import org.joda.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What comes behind a barrier, or becomes due while what was started before it is finished, is not in the snapshot. */
class BehindTheBarrierTest {
    private static final long LATENCY_NANOS = TimeUnit.MILLISECONDS.toNanos(23);
    private static final long MAX_STEPS = 1_000_000;
    /** What happens, in order; one simulation runs at a time. */
    private static final List<String> EVENTS = new ArrayList<>();

    private final Simulation simulation = Simulation.orderly(3);
    private final JobFiles files = JobFiles.open(MemoryStore.create(this::nowMillis), "job", 1, "p", Retries.none());
    private final HeapBackend backend = new HeapBackend(files, Runnable::run);
    private @Nullable Throwable failure;
    private @Nullable CompletableFuture<OwnerRecord> snapshot;
    private final List<Long> outs = new ArrayList<>();
    private boolean far;

    private long nowMillis() {
        return TimeUnit.NANOSECONDS.toMillis(simulation.nanoTime());
    }

    @AfterEach
    void end() {
        simulation.close();
        EVENTS.clear();
    }

    /** Its timer reads an entry of a map: nothing fetches it ahead, so the body waits in its middle. */
    private static final class Timed extends DoFn<KV<String, Long>, KV<String, Long>> {
        private static final long serialVersionUID = 1L;

        @StateId("map")
        private final StateSpec<MapState<Long, Long>> map = StateSpecs.map(VarLongCoder.of(), VarLongCoder.of());

        @TimerId("timer")
        private final TimerSpec timer = TimerSpecs.timer(TimeDomain.PROCESSING_TIME);

        @ProcessElement
        public void process(
                @Element KV<String, Long> element,
                @StateId("map") MapState<Long, Long> map,
                @TimerId("timer") Timer timer) {
            map.put(1L, 1L);
            timer.offset(Duration.millis(element.getValue())).setRelative();
        }

        @OnTimer("timer")
        public void fire(@Key String key, @StateId("map") MapState<Long, Long> map) {
            EVENTS.add(key + " begins");
            map.get(1L).read();
            EVENTS.add(key + " ends");
        }
    }

    /** Keeps the last number of a key; for 0 it says which that was. */
    private static final class Last extends DoFn<KV<String, Long>, KV<String, Long>> {
        private static final long serialVersionUID = 1L;

        @StateId("last")
        private final StateSpec<ValueState<Long>> last = StateSpecs.value(VarLongCoder.of());

        @ProcessElement
        public void process(
                @Element KV<String, Long> element,
                @StateId("last") ValueState<Long> last,
                OutputReceiver<KV<String, Long>> out) {
            if (element.getValue() == 0) {
                out.output(KV.of(element.getKey(), last.read()));
            } else {
                last.write(element.getValue());
            }
        }
    }

    private SimulatedTask task(DoFn<KV<String, Long>, KV<String, Long>> fn, List<ByteStore.Parent> parents) {
        Pipeline pipeline = Pipeline.create();
        pipeline.apply(Create.of(KV.of("k", 1L)).withCoder(KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of())))
                .apply("Step", ParDo.of(fn))
                .setCoder(KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of()))
                .apply("Behind", GroupByKey.create());
        StageGraph graph = Translation.translate(pipeline, 1);
        StageGraph.Stage stage = graph.stages().stream()
                .filter(StageGraph.Stage::keyed)
                .findFirst()
                .orElseThrow();
        SimulatedTask task = new SimulatedTask(
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
                        this::nowMillis,
                        backend.open("step", KeyRange.ALL, parents).join(),
                        this::distance),
                new Listener());
        task.start();
        return task;
    }

    private void distance(Runnable answer) {
        if (far) {
            simulation.after(LATENCY_NANOS, answer);
        } else {
            answer.run();
        }
    }

    private void until(BooleanSupplier done) {
        simulation.run(() -> failure != null || done.getAsBoolean(), MAX_STEPS);
        if (failure != null) {
            throw new AssertionError("the task failed", failure);
        }
    }

    private void stop(SimulatedTask task) {
        task.cancel();
        simulation.run(() -> task.terminated().isDone(), MAX_STEPS);
    }

    @Test
    void aTimerThatBecomesDueBetweenBarrierAndSnapshotFiresBehindTheSnapshot() {
        SimulatedTask before = task(new Timed(), List.of());
        before.elements(0, List.of(element("a", 500), element("b", 501)));
        until(() -> before.metrics().finished() >= 2);
        before.inject(1);
        until(() -> snapshot != null && snapshot.isDone());
        OwnerRecord record = snapshot.join();
        stop(before);
        EVENTS.clear();

        SimulatedTask task = task(new Timed(), List.of(new ByteStore.Parent(KeyRange.ALL, record)));
        until(() -> simulation.steps() > 0);
        far = true;
        until(() -> EVENTS.contains("a begins"));
        task.inject(2);
        until(() -> EVENTS.contains("b ends"));
        assertThat(EVENTS, contains("a begins", "a ends", "snapshot 2", "b begins", "b ends"));
        stop(task);
    }

    /** More keys than a task writes at once when its state is frozen. */
    @Test
    void whatIsWrittenBehindTheBarrierIsNotInTheSnapshotAlthoughThatIsStillBeingWritten() {
        int keys = 1000;
        SimulatedTask before = task(new Last(), List.of());
        before.elements(0, elements(keys, 1));
        until(() -> before.metrics().finished() >= keys);
        before.barrier(0, 1);
        // What was written first is stored first: begin at the other end.
        List<WindowedValue<?>> behind = elements(keys, 2);
        Collections.reverse(behind);
        before.elements(0, behind);
        until(() -> before.metrics().finished() >= 2 * keys && snapshot != null && snapshot.isDone());
        OwnerRecord record = snapshot.join();
        stop(before);

        SimulatedTask task = task(new Last(), List.of(new ByteStore.Parent(KeyRange.ALL, record)));
        task.elements(0, elements(keys, 0));
        until(() -> outs.size() == keys);
        assertThat(outs, everyItem(is(1L)));
        stop(task);
    }

    private static List<WindowedValue<?>> elements(int keys, long number) {
        List<WindowedValue<?>> values = new ArrayList<>();
        for (int key = 0; key < keys; key++) {
            values.add(element("key-" + key, number));
        }
        return values;
    }

    private static WindowedValue<?> element(String key, long millis) {
        return WindowedValues.valueInGlobalWindow(KV.of(key, millis));
    }

    private final class Listener implements SimulatedTask.Listener {
        @Override
        public void output(WindowedValue<?> value) {
            outs.add((Long) ((KV<?, ?>) value.getValue()).getValue());
        }

        @Override
        public void watermark(long millis) {}

        @Override
        public void snapshot(long checkpoint, ByteStore.Frozen state) {
            EVENTS.add("snapshot " + checkpoint);
            Pack pack = files.createPack();
            snapshot = state.flush(pack).thenCompose(record -> pack.seal().thenApply(done -> record));
        }

        @Override
        public void checkpointNeeded() {}

        @Override
        public void finished() {}

        @Override
        public void failed(Throwable cause) {
            failure = cause;
        }
    }
}
