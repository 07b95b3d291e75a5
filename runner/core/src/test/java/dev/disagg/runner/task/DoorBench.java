// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.runner.graph.Exchange;
import dev.disagg.runner.graph.StageGraph;
import dev.disagg.runner.graph.Translation;
import dev.disagg.runner.graph.View;
import dev.disagg.runner.state.Reads;
import dev.disagg.state.ByteStore;
import dev.disagg.state.KeyRange;
import dev.disagg.state.StateBackend;
import dev.disagg.state.cell.KeyHash;
import dev.disagg.state.cell.TaskState;
import dev.disagg.state.cell.TaskStateOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.IntervalWindow;
import org.apache.beam.sdk.transforms.windowing.PaneInfo;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.transforms.windowing.WindowFn;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionView;
import org.apache.beam.sdk.values.WindowedValue;
import org.apache.beam.sdk.values.WindowedValues;
import org.joda.time.Duration;
import org.joda.time.Instant;

/**
 * The door of one stage with state that reads a side input, with elements {@code KV<String, Long>} in windows of ten
 * milliseconds, and no task around it.
 */
final class DoorBench {
    static final KvCoder<String, Long> ELEMENTS = KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of());

    /** Waits where it stands. */
    static final Reads JOINED = new Reads() {
        @Override
        public <T> T await(CompletableFuture<T> read) {
            return read.join();
        }

        @Override
        public void beforeRead() {}

        @Override
        public void check() {}
    };

    final TaskState state;
    final TaskSpec spec;
    final View view;
    private final int edge;

    private static final class Reader extends DoFn<KV<String, Long>, String> {
        private static final long serialVersionUID = 1L;

        @StateId("unused")
        private final StateSpec<ValueState<Long>> unused = StateSpecs.value(VarLongCoder.of());

        @ProcessElement
        public void process(@StateId("unused") ValueState<Long> state) {}
    }

    /** @param asView over elements in windows of ten milliseconds */
    DoorBench(
            ByteStore store,
            PTransform<PCollection<KV<String, Long>>, ? extends PCollectionView<?>> asView,
            long latenessMillis) {
        this(store, asView, FixedWindows.of(Duration.millis(10)), latenessMillis);
    }

    DoorBench(
            ByteStore store,
            PTransform<PCollection<KV<String, Long>>, ? extends PCollectionView<?>> asView,
            WindowFn<Object, ?> viewWindows,
            long latenessMillis) {
        Pipeline pipeline = Pipeline.create();
        PCollectionView<?> handle = pipeline.apply(
                        "Side", Create.of(KV.of("s", 1L)).withCoder(ELEMENTS))
                .apply("SideWindows", Window.into(viewWindows))
                .apply("AsView", asView);
        pipeline.apply("Main", Create.of(KV.of("k", 1L)).withCoder(ELEMENTS))
                .apply(
                        "Windows",
                        Window.<KV<String, Long>>into(FixedWindows.of(Duration.millis(10)))
                                .withAllowedLateness(Duration.millis(latenessMillis))
                                .discardingFiredPanes())
                .apply("Read", ParDo.of(new Reader()).withSideInputs(handle));
        StageGraph graph = Translation.translate(pipeline, 1);
        StageGraph.Stage stage = graph.stages().stream()
                .filter(each -> !each.views().isEmpty())
                .findFirst()
                .orElseThrow();
        List<StageGraph.Edge> edges = graph.into(stage.index());
        edge = edges.stream()
                .filter(each -> each.exchange() instanceof Exchange.ByKey)
                .findFirst()
                .orElseThrow()
                .index();
        view = stage.views().get(0);
        state = TaskState.open(new ByteStore.Opened(store, List.of()), TaskStateOptions.DEFAULT);
        spec = new TaskSpec(
                stage,
                0,
                KeyRange.ALL,
                new Inbound(edges.size()),
                edges,
                List.of(),
                state,
                List.of(),
                1,
                1,
                true,
                null,
                null);
    }

    static ByteStore store(StateBackend backend, ByteStore.Parent... parents) {
        return backend.open("reader[0]", KeyRange.ALL, List.of(parents)).join().store();
    }

    /** The window that a time is in. */
    static BoundedWindow window(long millis) {
        long start = Math.floorDiv(millis, 10) * 10;
        return new IntervalWindow(new Instant(start), new Instant(start + 10));
    }

    static WindowedValue<KV<String, Long>> element(String key, long number, long millis) {
        return WindowedValues.of(KV.of(key, number), new Instant(millis), window(millis), PaneInfo.NO_FIRING);
    }

    static byte[] key(String key) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            StringUtf8Coder.of().encode(key, bytes, org.apache.beam.sdk.coders.Coder.Context.OUTER);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** As a task does with what arrives. */
    void arrive(SideInputDoor door, String key, long number, long millis, List<KV<String, Long>> through) {
        WindowedValue<KV<String, Long>> value = element(key, number, millis);
        byte[] encoded = key(key);
        long hash = KeyHash.of(encoded);
        if (!door.waits(encoded, hash) && door.isReady(value)) {
            through.add(value.getValue());
        } else {
            door.add(value, edge, encoded, hash);
        }
    }

    /** A pane by value. */
    ViewPane pane(long millis, long pane, List<?> elements) {
        PaneWriter writer = new PaneWriter(view, null, Integer.MAX_VALUE);
        return new ViewPane(0, window(millis), pane, writer.write(elements, false, JOINED));
    }

    @SuppressWarnings("unchecked")
    static KV<String, Long> value(Waiting waiting) {
        return (KV<String, Long>) waiting.value().getValue();
    }

    /** Polls with this much room until nothing is left to do. */
    static List<KV<String, Long>> drain(SideInputDoor door, int room) {
        List<KV<String, Long>> through = new ArrayList<>();
        while (!door.isQuiet()) {
            door.poll(room, Long.MIN_VALUE, true, waiting -> through.add(value(waiting)));
        }
        return through;
    }
}
