// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.runner.graph.Exchange;
import dev.disagg.runner.graph.StageGraph.Edge;
import dev.disagg.state.cell.Inbox;
import dev.disagg.state.cell.Pages;
import dev.disagg.state.cell.Sources;
import dev.disagg.state.cell.TaskState;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.beam.sdk.values.WindowedValue;
import org.jspecify.annotations.Nullable;

/**
 * The door of a stage that reads side inputs: elements whose side inputs are not there wait in the task's inbox, in order
 * per key, and hold the input watermark. Panes and waiting elements are stored, when checkpoints are taken. One owner.
 */
final class SideInputDoor {
    private static final String PANE_PREFIX = "view:";
    private static final int PAGE_BYTES = 1 << 20;

    private final SideInputs sideInputs;
    private final List<Edge> channelEdges;
    private final WaitingCodec codec;
    private final @Nullable TaskState store;
    private final Frontier[] viewFrontiers;
    private final int[] channelInView;
    private final int[] viewOfChannel;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private final TreeMap<Long, Integer> timestamps = new TreeMap<>();
    private final Map<ByteBuffer, Integer> waitingOfKey = new HashMap<>();

    /** @param store null when nothing needs to be stored */
    SideInputDoor(TaskSpec spec, @Nullable TaskState store) {
        this.sideInputs = new SideInputs(spec.stage().views());
        this.channelEdges = spec.channelEdges();
        this.codec = new WaitingCodec(spec);
        this.store = store;
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

    SideInputs sideInputs() {
        return sideInputs;
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
        if (sideInputs.take(pane) && store != null) {
            store.sources().put(paneId(pane), sideInputs.encode(pane));
        }
    }

    private byte[] paneId(ViewPane pane) {
        byte[] window = sideInputs.encode(new ViewPane(pane.view(), pane.window(), 0, List.of()));
        byte[] view = (PANE_PREFIX + sideInputs.viewId(pane.view()) + ":").getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(view.length + window.length)
                .put(view)
                .put(window)
                .array();
    }

    /** The watermark of a side input's channel. */
    void watermark(int channel, long millis) {
        int view = viewOfChannel[channel];
        viewFrontiers[view].advance(channelInView[channel], millis);
        sideInputs.watermark(view, viewFrontiers[view].minimum());
    }

    /** Whether an element that is in exactly one window can go in now, given that nothing of its key waits. */
    boolean isReady(WindowedValue<?> value) {
        return sideInputs.isReady(value.getWindows().iterator().next());
    }

    /** Whether an element of this key waits; for elements without a key, no order is kept. */
    boolean waits(byte @Nullable [] key) {
        return key != null && waitingOfKey.containsKey(ByteBuffer.wrap(key));
    }

    void add(WindowedValue<?> value, int edge, byte @Nullable [] key, long hash) {
        int group = codec.group(key, hash);
        long number = store == null ? -1 : store.inbox().append(group, codec.encode(value, edge));
        enqueue(new Waiting(value, edge, key, hash, group, number));
    }

    private void enqueue(Waiting element) {
        waiting.add(element);
        timestamps.merge(element.value().getTimestamp().getMillis(), 1, Integer::sum);
        byte[] key = element.key();
        if (key != null) {
            waitingOfKey.merge(ByteBuffer.wrap(key), 1, Integer::sum);
        }
    }

    /** Takes out all elements that can go in now, in order. */
    List<Waiting> takeReady() {
        List<Waiting> ready = new ArrayList<>();
        Set<ByteBuffer> behind = new HashSet<>();
        for (Iterator<Waiting> all = waiting.iterator(); all.hasNext(); ) {
            Waiting element = all.next();
            ByteBuffer key = element.key() == null ? null : ByteBuffer.wrap(element.key());
            if ((key != null && behind.contains(key)) || !isReady(element.value())) {
                if (key != null) {
                    behind.add(key);
                }
                continue;
            }
            all.remove();
            timestamps.merge(element.value().getTimestamp().getMillis(), -1, SideInputDoor::sumOrNone);
            if (key != null) {
                waitingOfKey.merge(key, -1, SideInputDoor::sumOrNone);
            }
            if (store != null && element.number() >= 0) {
                store.inbox().remove(element.group(), element.number());
            }
            ready.add(element);
        }
        return ready;
    }

    private static @Nullable Integer sumOrNone(int a, int b) {
        return a + b == 0 ? null : a + b;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** The input watermark that waiting elements hold. */
    long holdMillis() {
        return timestamps.isEmpty() ? Long.MAX_VALUE : timestamps.firstKey();
    }

    /** Reads back what a checkpoint stored. Called once, before the task runs. */
    void restore() {
        TaskState from = store;
        if (from == null) {
            return;
        }
        try (Pages<Sources.Item> pages = from.sources().all()) {
            for (List<Sources.Item> page = pages.next(PAGE_BYTES).join();
                    !page.isEmpty();
                    page = pages.next(PAGE_BYTES).join()) {
                page.forEach(this::restorePane);
            }
        }
        try (Pages<Inbox.Item> pages = from.inbox().all()) {
            for (List<Inbox.Item> page = pages.next(PAGE_BYTES).join();
                    !page.isEmpty();
                    page = pages.next(PAGE_BYTES).join()) {
                page.forEach(item -> enqueue(codec.decode(item)));
            }
        }
    }

    private void restorePane(Sources.Item item) {
        for (int view = 0; view < sideInputs.viewCount(); view++) {
            byte[] prefix = (PANE_PREFIX + sideInputs.viewId(view) + ":").getBytes(StandardCharsets.UTF_8);
            if (java.util.Arrays.mismatch(prefix, item.splitId()) == prefix.length) {
                sideInputs.take(sideInputs.decode(view, item.position()));
            }
        }
    }

    /** Windows of a value, each by itself: side inputs of different windows come at different times. */
    static Iterable<? extends WindowedValue<?>> exploded(WindowedValue<?> value) {
        return value.getWindows().size() == 1 ? List.of(value) : value.explodeWindows();
    }

    /** For tests and people. */
    int waitingCount() {
        return waiting.size();
    }
}
