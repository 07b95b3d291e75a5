// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.runner.graph.Exchange;
import dev.disagg.runner.graph.StageGraph.Edge;
import dev.disagg.runner.state.Reads;
import dev.disagg.state.KeyRange;
import dev.disagg.state.cell.KeyHash;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.CoderException;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.util.CoderUtils;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.WindowedValue;
import org.jspecify.annotations.Nullable;

/** One edge out of one task: picks the task for each element, and hands elements over in batches. Leader only. */
public final class Output {
    private static final int BATCH = 256;

    /**
     * A channel to a task.
     *
     * @param channel its number there
     */
    public record Target(Inbound inbound, int channel) {}

    private final Edge edge;
    private final List<Target> targets;
    private final List<ArrayList<Object>> batches = new ArrayList<>();
    private final boolean copy;
    private final int viewIndex;
    private final @Nullable PaneWriter panes;
    private @Nullable Reads reads;
    private final ByteArrayOutputStream keyBuffer = new ByteArrayOutputStream(64);

    /**
     * @param targets by task index; for {@link Exchange.Forward} the single one
     * @param viewIndex for {@link Exchange.Broadcast}, the index of the view in the stage that reads it
     * @param panes for {@link Exchange.Broadcast}, makes the panes; null for others
     * @param copy whether elements are encoded and decoded, so that nobody shares them
     */
    public Output(Edge edge, List<Target> targets, int viewIndex, @Nullable PaneWriter panes, boolean copy) {
        this.edge = edge;
        this.targets = List.copyOf(targets);
        this.viewIndex = viewIndex;
        this.panes = panes;
        this.copy = copy;
        targets.forEach(target -> batches.add(new ArrayList<>()));
    }

    int collection() {
        return edge.collection();
    }

    /** How the task waits while a large pane is written. */
    void waitBy(Reads taskReads) {
        reads = taskReads;
    }

    void emit(WindowedValue<?> emitted) {
        if (panes != null) {
            broadcast(emitted, panes);
            return;
        }
        WindowedValue<?> value = copy ? copied(emitted) : emitted;
        if (edge.exchange() instanceof Exchange.ByKey byKey) {
            byte[] key = key(byKey.keyCoder(), value);
            long hash = KeyHash.of(key);
            add(owner(hash), new KeyedElement(value, key, hash, edge.index()));
        } else if (edge.exchange() instanceof Exchange.Reshuffle reshuffle) {
            add(owner(KeyHash.of(key(reshuffle.keyCoder(), value))), value);
        } else {
            add(0, value);
        }
    }

    private int owner(long hash) {
        return KeyRange.owner(KeyRange.group(hash), targets.size());
    }

    private void broadcast(WindowedValue<?> value, PaneWriter writer) {
        Reads waiting = reads;
        if (waiting == null) {
            throw new IllegalStateException("an output is used before its task is there");
        }
        ViewPane.Content content = writer.write((Iterable<?>) value.getValue(), copy, waiting);
        for (BoundedWindow window : value.getWindows()) {
            ViewPane pane = new ViewPane(viewIndex, window, value.getPaneInfo().getIndex(), content);
            for (int target = 0; target < targets.size(); target++) {
                if (content instanceof ViewPane.Large large) {
                    large.run().retain();
                }
                add(target, pane);
            }
        }
        if (content instanceof ViewPane.Large large) {
            large.run().release();
        }
    }

    @SuppressWarnings("unchecked")
    private byte[] key(Coder<?> coder, WindowedValue<?> value) {
        Object key = ((KV<?, ?>) value.getValue()).getKey();
        keyBuffer.reset();
        try {
            ((Coder<Object>) coder).encode(key, keyBuffer, Coder.Context.OUTER);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "the key " + key + " can not be encoded by " + coder + ": " + e.getMessage(), e);
        }
        return keyBuffer.toByteArray();
    }

    @SuppressWarnings("unchecked")
    private WindowedValue<?> copied(WindowedValue<?> value) {
        try {
            return CoderUtils.clone(edge.coder(), (WindowedValue<Object>) value);
        } catch (CoderException e) {
            throw new IllegalArgumentException(
                    "an element can not be encoded by " + edge.coder() + ": " + e.getMessage(), e);
        }
    }

    private void add(int target, Object item) {
        ArrayList<Object> batch = batches.get(target);
        batch.add(item);
        if (batch.size() >= BATCH) {
            flush(target);
        }
    }

    private void flush(int target) {
        ArrayList<Object> batch = batches.get(target);
        if (!batch.isEmpty()) {
            Target to = targets.get(target);
            batches.set(target, new ArrayList<>());
            to.inbound().offer(new Message.Elements(to.channel(), batch));
        }
    }

    void flush() {
        for (int target = 0; target < targets.size(); target++) {
            flush(target);
        }
    }

    boolean hasRoom(Runnable whenRoom) {
        for (Target target : targets) {
            if (!target.inbound().hasRoom(target.channel(), whenRoom)) {
                return false;
            }
        }
        return true;
    }

    void watermark(long millis) {
        send(channel -> new Message.Watermark(channel, millis));
    }

    void barrier(Barrier barrier) {
        send(channel -> new Message.BarrierAt(channel, barrier));
    }

    void end() {
        send(Message.End::new);
    }

    /** Sends a message to all, each with the elements that are before it. */
    private void send(IntFunction<Message> message) {
        for (int target = 0; target < targets.size(); target++) {
            Target to = targets.get(target);
            ArrayList<Object> batch = batches.get(target);
            if (batch.isEmpty()) {
                to.inbound().offer(message.apply(to.channel()));
            } else {
                batches.set(target, new ArrayList<>());
                to.inbound().offer(new Message.Elements(to.channel(), batch), message.apply(to.channel()));
            }
        }
    }
}
