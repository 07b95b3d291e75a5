// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;

import dev.disagg.async.sim.Simulation;
import dev.disagg.runner.graph.StageGraph;
import dev.disagg.runner.graph.Translation;
import dev.disagg.state.ByteStore;
import dev.disagg.state.KeyRange;
import dev.disagg.state.cell.TaskStateOptions;
import dev.disagg.state.heap.HeapBackend;
import dev.disagg.ufs.JobFiles;
import dev.disagg.ufs.Retries;
import dev.disagg.ufs.memory.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.windowing.AfterProcessingTime;
import org.apache.beam.sdk.transforms.windowing.Repeatedly;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.WindowedValue;
import org.apache.beam.sdk.values.WindowedValues;
import org.joda.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A trigger of processing time in a whole task, with a clock that ticks whenever anybody looks at it. */
class TriggerTimeTest {
    private static final long MAX_STEPS = 1_000_000;

    private static StageGraph graph() {
        Pipeline pipeline = Pipeline.create();
        pipeline.apply(Create.of(KV.of("k", 1L)).withCoder(KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of())))
                .apply(Window.<KV<String, Long>>configure()
                        .triggering(Repeatedly.forever(AfterProcessingTime.pastFirstElementInPane()))
                        .withAllowedLateness(Duration.ZERO)
                        .accumulatingFiredPanes())
                .apply("Step", GroupByKey.create())
                .apply("Behind", GroupByKey.create());
        return Translation.translate(pipeline, 1);
    }

    /** Says of each pane when it came and how many elements it has. */
    private static final class Panes implements SimulatedTask.Listener {
        final List<String> panes = new ArrayList<>();
        private @Nullable Throwable failure;
        private boolean finished;

        @Override
        public void output(WindowedValue<?> value) {
            int size = 0;
            for (Object ignored : (Iterable<?>) ((KV<?, ?>) value.getValue()).getValue()) {
                size++;
            }
            panes.add(value.getPaneInfo().getTiming() + " " + size);
        }

        @Override
        public void watermark(long millis) {}

        @Override
        public void snapshot(long checkpoint, ByteStore.Frozen state) {}

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

        boolean isOver() {
            return finished || failure != null;
        }
    }

    /** An element with the last watermark behind it: one pane, on time, however long the element takes. */
    @Test
    void clockThatTicksWhileAnElementIsGroupedDoesNotFireItsTrigger() {
        try (Simulation simulation = Simulation.orderly(7)) {
            long[] millis = {1_000};
            StageGraph graph = graph();
            JobFiles files = JobFiles.open(MemoryStore.create(() -> 0), "job", 1, "p", Retries.none());
            Panes panes = new Panes();
            SimulatedTask task = new SimulatedTask(
                    graph,
                    graph.stages().stream()
                            .filter(StageGraph.Stage::keyed)
                            .findFirst()
                            .orElseThrow(),
                    0,
                    KeyRange.ALL,
                    1,
                    new SimulatedTask.Bounds(
                            6000, 256, 1024, true, true, 1000, TimeUnit.HOURS.toNanos(1), TaskStateOptions.DEFAULT),
                    new SimulatedTask.Place(
                            simulation.threads(),
                            simulation::nanoTime,
                            () -> millis[0]++,
                            new HeapBackend(files, Runnable::run)
                                    .open("step", KeyRange.ALL, List.of())
                                    .join(),
                            Runnable::run),
                    panes);
            task.elements(0, List.of(WindowedValues.valueInGlobalWindow(KV.of("key", 1L))));
            task.end(0);
            task.start();
            simulation.run(panes::isOver, MAX_STEPS);
            task.shutdown();
            simulation.run(() -> task.terminated().isDone(), MAX_STEPS);
            if (panes.failure != null) {
                throw new AssertionError("the task failed", panes.failure);
            }
            assertThat(panes.panes, contains("ON_TIME 1"));
        }
    }
}
