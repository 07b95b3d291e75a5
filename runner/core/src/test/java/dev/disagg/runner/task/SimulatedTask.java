// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.async.AsyncOptions;
import dev.disagg.async.WorkerThreads;
import dev.disagg.runner.graph.Exchange;
import dev.disagg.runner.graph.StageGraph;
import dev.disagg.runner.graph.StageGraph.Edge;
import dev.disagg.runner.graph.StageGraph.Stage;
import dev.disagg.state.ByteStore;
import dev.disagg.state.KeyRange;
import dev.disagg.state.cell.KeyHash;
import dev.disagg.state.cell.TaskState;
import dev.disagg.state.cell.TaskStateOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.util.CoderUtils;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.WindowedValue;

/**
 * One keyed task for tests: the test feeds its channels and is told what it says. Threads and time are the test's, so that
 * it runs in a simulation as well as on real threads.
 */
public final class SimulatedTask implements TaskHost {
    private static final PipelineOptions OPTIONS = PipelineOptionsFactory.create();
    private static final int MAINTAINED_ENOUGH = 200;

    /**
     * What bounds the task.
     *
     * @param maxBundleNanos at which a bundle is finished
     */
    public record Bounds(
            int maxInFlight,
            int maxParked,
            int maxOpenEpochs,
            boolean handOver,
            boolean prefetch,
            int maxBundleElements,
            long maxBundleNanos,
            TaskStateOptions cells) {}

    /** What the task says, in order; called on its threads. */
    public interface Listener {
        /** An element of the task's only output. */
        void output(WindowedValue<?> value);

        /** The task has released this watermark. */
        void watermark(long millis);

        /** The task is over with what came before the barrier. */
        void snapshot(long checkpoint, ByteStore.Frozen state);

        /** The task cannot go on without a checkpoint. */
        void checkpointNeeded();

        void finished();

        void failed(Throwable cause);
    }

    /**
     * Where the task's threads, time and state come from.
     *
     * @param distance puts a distance between the task and its store
     */
    public record Place(
            WorkerThreads threads,
            LongSupplier nanoTime,
            LongSupplier millis,
            ByteStore.Opened opened,
            Consumer<Runnable> distance) {}

    private final StageGraph graph;
    private final Place place;
    private final Listener listener;
    private final Inbound inbound;
    private final Inbound sink = new Inbound(1);
    private final TaskState cells;
    private final KeyedTask task;
    private final FarStore store;
    private final int mainChannels;

    /**
     * A task that is not started.
     *
     * @param mainChannels channels of the main input; one more for each side input follows
     */
    public SimulatedTask(
            StageGraph graph,
            Stage stage,
            int index,
            KeyRange range,
            int mainChannels,
            Bounds bounds,
            Place place,
            Listener listener) {
        this.graph = graph;
        this.place = place;
        this.listener = listener;
        this.mainChannels = mainChannels;
        store = new FarStore(place.opened().store(), place.distance());
        cells = TaskState.open(new ByteStore.Opened(store, place.opened().headers()), bounds.cells());
        List<TaskHeader> restored = cells.restoredHeaders().stream()
                .map(header -> TaskHeader.decode(header, stage.id()))
                .toList();
        List<Edge> channels = new ArrayList<>();
        List<Edge> into = graph.into(stage.index());
        for (Edge edge : into) {
            boolean view = edge.exchange() instanceof Exchange.Broadcast;
            for (int i = 0; i < (view ? 0 : mainChannels); i++) {
                channels.add(edge);
            }
        }
        into.stream()
                .filter(edge -> edge.exchange() instanceof Exchange.Broadcast)
                .forEach(channels::add);
        inbound = new Inbound(channels.size());
        Edge out = graph.outOf(stage.index()).get(0);
        Edge forward = new Edge(
                out.index(), out.fromStage(), out.collection(), out.toStage(), new Exchange.Forward(), out.coder());
        sink.onInput(this::drainSink, new Activity(false));
        TaskSpec spec = new TaskSpec(
                stage,
                index,
                range,
                inbound,
                channels,
                List.of(new Output(forward, List.of(new Output.Target(sink, 0)), 0, null, false)),
                cells,
                restored,
                bounds.maxBundleElements(),
                bounds.maxBundleNanos(),
                bounds.prefetch(),
                null,
                null);
        task = new KeyedTask(
                spec,
                this,
                AsyncOptions.defaults(place.threads(), place.nanoTime())
                        .withHandOver(bounds.handOver())
                        .withMaxInFlight(bounds.maxInFlight())
                        .withMaxParked(bounds.maxParked())
                        .withMaxOpenEpochs(bounds.maxOpenEpochs())
                        // A simulated thread may be arbitrarily slow.
                        .withWatchdog(0, ""));
    }

    public void start() {
        task.start();
    }

    // ---- what a test feeds; any thread

    /** Elements of a channel, each a {@link KV} in its windows. */
    public void elements(int channel, List<WindowedValue<?>> values) {
        Edge edge = graph.into(task.stage().index()).stream()
                .filter(each -> each.exchange() instanceof Exchange.ByKey)
                .findFirst()
                .orElseThrow();
        Coder<?> keyCoder = ((Exchange.ByKey) edge.exchange()).keyCoder();
        List<KeyedElement> elements = new ArrayList<>();
        for (WindowedValue<?> value : values) {
            byte[] key = encoded(keyCoder, ((KV<?, ?>) value.getValue()).getKey());
            elements.add(new KeyedElement(value, key, KeyHash.of(key), edge.index()));
        }
        inbound.offer(new Message.Elements(channel, elements));
    }

    @SuppressWarnings("unchecked")
    private static byte[] encoded(Coder<?> coder, Object value) {
        try {
            return CoderUtils.encodeToByteArray((Coder<Object>) coder, value);
        } catch (IOException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** A pane of a side input, by value. */
    public void pane(int channel, BoundedWindow window, long number, List<?> elements) {
        ViewPane.Content content = new PaneWriter(
                        task.stage().views().get(channel - mainChannels), null, Integer.MAX_VALUE)
                .write(elements, true, task.reads());
        ViewPane pane = new ViewPane(channel - mainChannels, window, number, content);
        inbound.offer(new Message.Elements(channel, List.of(pane)));
    }

    public void watermark(int channel, long millis) {
        inbound.offer(new Message.Watermark(channel, millis));
    }

    public void barrier(int channel, long checkpoint) {
        inbound.offer(new Message.BarrierAt(channel, new Barrier(checkpoint)));
    }

    public void end(int channel) {
        inbound.offer(new Message.End(channel));
    }

    /** A barrier for all channels, of which none is to bring another. */
    public void inject(long checkpoint) {
        task.inject(new Barrier(checkpoint));
    }

    public void committed(long checkpoint) {
        task.committed(checkpoint);
    }

    /** Whether all that was fed has been taken, and its watermarks have been acted on. */
    public boolean hasTaken(long watermarkMillis) {
        return inbound.isEmpty() && task.sealedInput() >= watermarkMillis;
    }

    // ---- its end

    public void cancel() {
        task.cancel();
    }

    public void shutdown() {
        task.shutdown();
    }

    public CompletableFuture<Void> terminated() {
        return task.terminated();
    }

    public dev.disagg.async.AsyncMetrics metrics() {
        return task.asyncMetrics();
    }

    public long releasedWatermarkMillis() {
        return task.releasedWatermarkMillis();
    }

    /** Whether nothing is on its way from the store. Any thread. */
    public boolean readsAreOver() {
        return store.pending() == 0;
    }

    /** Reads that went to the store. */
    public long storeReads() {
        return store.reads();
    }

    /** After the task has ended: keys that are still in memory although nothing uses them. The store must answer at once. */
    public int keysLeft() {
        for (int i = 0; i < MAINTAINED_ENOUGH && cells.metrics().cachedKeys() > 0; i++) {
            cells.maintain();
        }
        return cells.metrics().cachedKeys();
    }

    public void close() {
        cells.close();
    }

    private void drainSink() {
        for (Message message = sink.poll(); message != null; message = sink.poll()) {
            if (message instanceof Message.Elements elements) {
                elements.items().forEach(item -> listener.output((WindowedValue<?>) item));
                sink.took(0, elements.items().size());
            } else if (message instanceof Message.Watermark watermark) {
                listener.watermark(watermark.millis());
            }
        }
    }

    // ---- what it needs of an engine

    @Override
    public ScheduledExecutorService delayed() {
        throw new UnsupportedOperationException("no splittable DoFn here");
    }

    @Override
    public long nowMillis() {
        return place.millis().getAsLong();
    }

    @Override
    public long nanoTime() {
        return place.nanoTime().getAsLong();
    }

    @Override
    public Activity activity() {
        return new Activity(false);
    }

    @Override
    public PipelineOptions options() {
        return OPTIONS;
    }

    @Override
    public void checkpointNeeded(boolean last) {
        listener.checkpointNeeded();
    }

    @Override
    public void snapshot(StageTask from, Barrier barrier, Snapshot snapshot) {
        ByteStore.Frozen state = snapshot.state();
        if (state == null) {
            throw new IllegalStateException("a keyed task without state");
        }
        listener.snapshot(barrier.checkpoint(), state);
    }

    @Override
    public void finished(StageTask by) {
        listener.finished();
    }

    @Override
    public void stuck(StageTask by, String text) {
        throw new AssertionError(text);
    }

    @Override
    public void failed(StageTask by, Throwable cause) {
        listener.failed(cause);
    }

    /** For failures. */
    @Override
    public String toString() {
        return task.name() + " " + Arrays.asList(task.asyncMetrics());
    }
}
