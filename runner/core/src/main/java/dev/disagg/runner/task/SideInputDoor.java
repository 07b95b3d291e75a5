// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.runner.graph.Exchange;
import dev.disagg.runner.graph.Head;
import dev.disagg.runner.graph.ParDoSpec;
import dev.disagg.runner.graph.StageGraph.Edge;
import dev.disagg.runner.graph.StageGraph.Stage;
import dev.disagg.runner.graph.Step;
import dev.disagg.runner.state.Reads;
import dev.disagg.state.SharedRun;
import dev.disagg.state.cell.Inbox;
import dev.disagg.state.cell.Pages;
import dev.disagg.state.cell.Sources;
import dev.disagg.state.cell.TaskState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.beam.runners.core.LateDataDroppingDoFnRunner;
import org.apache.beam.sdk.metrics.Counter;
import org.apache.beam.sdk.metrics.Metrics;
import org.apache.beam.sdk.metrics.MetricsContainer;
import org.apache.beam.sdk.metrics.MetricsEnvironment;
import org.apache.beam.sdk.values.WindowedValue;
import org.jspecify.annotations.Nullable;

/**
 * The door of a stage that reads side inputs: elements whose side inputs are not there wait in the task's inbox, in order
 * per key, and hold the input watermark. Panes are stored, or linked. One owner.
 */
final class SideInputDoor {
    private static final int PAGE_BYTES = 1 << 20;

    private final SideInputs sideInputs;
    private final PaneCodec panes;
    private final WaitingRoom waiting;
    private final List<Edge> channelEdges;
    private final @Nullable TaskState store;
    /** The step that reads the side inputs. */
    private final String reader;

    private final Frontier[] viewFrontiers;
    private final int[] channelInView;
    private final int[] viewOfChannel;
    /** By name, how many panes that are held are in a run. */
    private final Map<String, Integer> panesOfRun = new HashMap<>();
    /** Runs that no pane is in any more, while a computation may still read them. */
    private final List<SharedRun> retired = new ArrayList<>();

    private final Counter droppedDueToLateness =
            Metrics.counter(LateDataDroppingDoFnRunner.class, LateDataDroppingDoFnRunner.DROPPED_DUE_TO_LATENESS);

    /** @param wake calls for a {@link #poll}; any thread */
    SideInputDoor(TaskSpec spec, Runnable wake) {
        this(spec, wake, WaitingRoom.MEMORY_BYTES);
    }

    SideInputDoor(TaskSpec spec, Runnable wake, long memoryBytes) {
        this.channelEdges = spec.channelEdges();
        this.store = spec.state();
        this.reader = readers(spec.stage()).map(ParDoSpec::name).findFirst().orElse("");
        this.sideInputs = new SideInputs(spec.stage().views(), latenessMillis(spec.stage()));
        this.panes = new PaneCodec(spec.stage().views());
        this.waiting = new WaitingRoom(new WaitingCodec(spec), store, memoryBytes, sideInputs::isReady, wake);
        int views = spec.stage().views().size();
        int[] channelsOfView = new int[views];
        channelInView = new int[channelEdges.size()];
        viewOfChannel = new int[channelEdges.size()];
        for (int channel = 0; channel < channelEdges.size(); channel++) {
            viewOfChannel[channel] = -1;
            if (channelEdges.get(channel).exchange() instanceof Exchange.Broadcast broadcast) {
                int view = spec.stage().views().indexOf(broadcast.view());
                viewOfChannel[channel] = view;
                channelInView[channel] = channelsOfView[view]++;
            }
        }
        viewFrontiers = new Frontier[views];
        for (int view = 0; view < views; view++) {
            viewFrontiers[view] = new Frontier(channelsOfView[view], Frontier.MIN);
            sideInputs.watermark(view, viewFrontiers[view].minimum());
        }
    }

    /** For how long after its end a window of the main input takes elements. */
    private static long latenessMillis(Stage stage) {
        if (stage.head() instanceof Head.Splittable) {
            // What is left of an element may go on at any time, whatever the watermark.
            return SideInputs.NEVER;
        }
        return readers(stage)
                .mapToLong(reader -> reader.windowing().getAllowedLateness().getMillis())
                .max()
                .orElse(0);
    }

    private static Stream<ParDoSpec> readers(Stage stage) {
        Stream<ParDoSpec> head = stage.head() instanceof Head.Stateful stateful
                ? Stream.of(stateful.parDo())
                : stage.head() instanceof Head.Splittable splittable ? Stream.of(splittable.parDo()) : Stream.of();
        Stream<ParDoSpec> steps =
                stage.steps().stream().filter(step -> step instanceof Step.Do).map(step -> ((Step.Do) step).parDo());
        return Stream.concat(head, steps).filter(reader -> !reader.sideInputs().isEmpty());
    }

    /** The side inputs for a chain, whose reads wait by {@code reads}. */
    ChainSideInputs reader(Reads reads) {
        return new ChainSideInputs(sideInputs, reads);
    }

    /** The frontier of the main input: channels of side inputs do not hold it. */
    Frontier mainFrontier(long floor) {
        Frontier frontier = new Frontier(channelEdges.size(), floor);
        for (int channel = 0; channel < channelEdges.size(); channel++) {
            if (isView(channel)) {
                frontier.advance(channel, Frontier.MAX);
            }
        }
        return frontier;
    }

    boolean isView(int channel) {
        return viewOfChannel[channel] >= 0;
    }

    /** Takes a pane of a side input. */
    void pane(ViewPane pane) {
        if (pane.content() instanceof ViewPane.Large large) {
            if (panesOfRun.merge(large.run().name(), 1, Integer::sum) == 1 && store != null) {
                store.link(large.run());
            }
        }
        if (!sideInputs.wants(pane)) {
            letGo(pane);
            return;
        }
        if (store != null) {
            store.sources().put(panes.id(pane.view(), pane.window()), panes.encode(pane));
        }
        ViewPane before = sideInputs.take(held(pane));
        if (before != null) {
            letGo(before);
        }
        waiting.changed();
    }

    private void letGo(ViewPane pane) {
        if (pane.content() instanceof ViewPane.Large large) {
            SharedRun run = large.run();
            if (panesOfRun.merge(run.name(), -1, (a, b) -> a + b == 0 ? null : a + b) == null && store != null) {
                store.unlink(run.name());
            }
            retired.add(run);
        }
    }

    /** The watermark of a side input's channel. */
    void watermark(int channel, long millis) {
        int view = viewOfChannel[channel];
        if (viewFrontiers[view].advance(channelInView[channel], millis)) {
            sideInputs.watermark(view, viewFrontiers[view].minimum());
            waiting.changed();
        }
    }

    /** Whether an element that is in exactly one window can go in now, given that nothing of its key waits. */
    boolean isReady(WindowedValue<?> value) {
        return sideInputs.isReady(value.getWindows().iterator().next());
    }

    /**
     * Whether an element that is in exactly one window comes after its window has expired and its side input is forgotten: it
     * is to be dropped.
     */
    boolean isTooLate(WindowedValue<?> value) {
        return sideInputs.isTooLate(value.getWindows().iterator().next());
    }

    /** Counts an element that was dropped. */
    void countTooLate(Services services) {
        MetricsContainer before = MetricsEnvironment.setCurrentContainer(services.metrics(reader));
        droppedDueToLateness.inc();
        MetricsEnvironment.setCurrentContainer(before);
    }

    /** Whether an element of this key waits; for elements without a key, no order is kept. */
    boolean waits(byte @Nullable [] key, long hash) {
        return key != null && waiting.waits(hash);
    }

    void add(WindowedValue<?> value, int edge, byte @Nullable [] key, long hash) {
        waiting.add(value, edge, key, hash);
    }

    /** An element that is in the stored inbox already waits on. */
    void hold(Waiting element) {
        waiting.hold(element);
    }

    /**
     * Gives out elements that can go in now, in order per key, and forgets what nothing can read any more.
     *
     * @param room how many at most
     * @param watermarkMillis of the main input, all effects of which are released
     * @param nothingRuns whether no computation is in flight
     * @return more than 0 when there may be more to do at once
     */
    int poll(int room, long watermarkMillis, boolean nothingRuns, Consumer<Waiting> into) {
        for (ViewPane gone : sideInputs.forgetBefore(watermarkMillis)) {
            if (store != null) {
                store.sources().delete(panes.id(gone.view(), gone.window()));
            }
            letGo(gone);
        }
        if (nothingRuns && !retired.isEmpty()) {
            retired.forEach(SharedRun::release);
            retired.clear();
        }
        return waiting.poll(room, into);
    }

    /** Whether {@link #poll} has no element to give out until something comes. */
    boolean isQuiet() {
        return waiting.isQuiet();
    }

    /** The input watermark that waiting elements hold. */
    long holdMillis() {
        return waiting.holdMillis();
    }

    /** Reads back what a checkpoint stored. Called once, before the task runs. */
    void restore() {
        restorePanes();
        TaskState from = store;
        if (from == null) {
            return;
        }
        try (Pages<Inbox.Item> pages = from.inbox().all()) {
            for (List<Inbox.Item> page = pages.next(PAGE_BYTES).join();
                    !page.isEmpty();
                    page = pages.next(PAGE_BYTES).join()) {
                page.forEach(waiting::restore);
            }
        }
    }

    /** As {@link #restore}, but the elements: they come by another way. */
    void restorePanes() {
        TaskState from = store;
        if (from == null) {
            return;
        }
        Map<String, SharedRun> linked = from.linked();
        try (Pages<Sources.Item> pages = from.sources().all()) {
            for (List<Sources.Item> page = pages.next(PAGE_BYTES).join();
                    !page.isEmpty();
                    page = pages.next(PAGE_BYTES).join()) {
                page.forEach(item -> restorePane(panes.decode(item, linked)));
            }
        }
        for (String run : linked.keySet()) {
            if (!panesOfRun.containsKey(run)) {
                from.unlink(run);
            }
        }
    }

    private void restorePane(@Nullable ViewPane pane) {
        if (pane == null) {
            return;
        }
        if (pane.content() instanceof ViewPane.Large large) {
            large.run().retain();
            panesOfRun.merge(large.run().name(), 1, Integer::sum);
        }
        sideInputs.take(held(pane));
    }

    /** As it is held: what was stored is not needed in its encoded form. */
    private static ViewPane held(ViewPane pane) {
        return pane.content() instanceof ViewPane.Small small
                ? new ViewPane(
                        pane.view(), pane.window(), pane.pane(), new ViewPane.Small(small.elements(), new byte[0]))
                : pane;
    }

    /** Windows of a value, each by itself: side inputs of different windows come at different times. */
    static Iterable<? extends WindowedValue<?>> exploded(WindowedValue<?> value) {
        return value.getWindows().size() == 1 ? List.of(value) : value.explodeWindows();
    }

    /** For tests and people. */
    long waitingCount() {
        return waiting.count();
    }

    /** For tests and people: of elements that are kept decoded. */
    long waitingInMemoryBytes() {
        return waiting.inMemoryBytes();
    }

    /** For tests and people. */
    int paneCount() {
        return sideInputs.paneCount();
    }
}
