// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.apache.beam.runners.core.SideInputReader;
import org.apache.beam.sdk.values.WindowedValue;
import org.jspecify.annotations.Nullable;

/**
 * How elements come into a stage: through the gate, where it requires stable input, then through the door of its side
 * inputs, where it reads some. What waits at either holds the input watermark. One owner.
 */
final class Entrance {
    private final StageTask task;
    private final Frontier frontier;
    private final SideInputDoor door;
    private final boolean hasViews;
    private final @Nullable StableGate gate;

    /** @param floorMillis the input watermark of the restored checkpoint */
    Entrance(StageTask task, long floorMillis) {
        this.task = task;
        TaskSpec spec = task.spec();
        hasViews = !spec.stage().views().isEmpty();
        door = new SideInputDoor(spec, task.async()::wake);
        gate = StableGate.of(spec, task.async()::wake);
        frontier = door.mainFrontier(gate == null ? floorMillis : Math.max(floorMillis, gate.lastAllowedMillis()));
        if (spec.restored().isEmpty()) {
            return;
        }
        if (gate == null) {
            door.restore();
        } else {
            door.restorePanes();
        }
    }

    /** Whether nothing waits here, ever. */
    boolean isOpen() {
        return !hasViews && gate == null;
    }

    /** Takes a pane of a side input. */
    void pane(ViewPane pane) {
        door.pane(pane);
    }

    /** Takes an element; what need not wait goes in at once. */
    void take(WindowedValue<?> value, int edge, byte @Nullable [] key, long hash, Consumer<Waiting> into) {
        for (WindowedValue<?> one : SideInputDoor.exploded(value)) {
            if (hasViews && door.isTooLate(one)) {
                door.countTooLate(task);
            } else if (gate != null) {
                gate.add(one, edge, key, hash, frontier.minimum());
            } else if (!door.waits(key, hash) && door.isReady(one)) {
                into.accept(new Waiting(one, edge, key, hash, -1, -1));
            } else {
                door.add(one, edge, key, hash);
            }
        }
    }

    /**
     * Lets in what may go in now, in order per key; after the beginning of a batch of stable input returns without any.
     *
     * @param room how many may go in at a moment
     * @param watermarkMillis of the main input, all effects of which are released
     * @param nothingRuns whether no computation is in flight
     * @return more than 0 when there may be more to do at once
     */
    int poll(IntSupplier room, long watermarkMillis, boolean nothingRuns, Consumer<Waiting> into) {
        int work = gate == null ? 0 : gate.poll(room.getAsInt(), waiting -> pass(waiting, into));
        return work + door.poll(Math.min(StageTask.TURN, room.getAsInt()), watermarkMillis, nothingRuns, into);
    }

    private void pass(Waiting waiting, Consumer<Waiting> into) {
        if (hasViews && (door.waits(waiting.key(), waiting.hash()) || !door.isReady(waiting.value()))) {
            door.hold(waiting);
        } else {
            task.state().inbox().remove(waiting.group(), waiting.number());
            into.accept(waiting);
        }
    }

    void channelWatermark(int channel, long millis) {
        if (door.isView(channel)) {
            door.watermark(channel, millis);
        } else {
            frontier.advance(channel, millis);
        }
    }

    /** The watermark of the main input as it has arrived. */
    long arrivedMillis() {
        return frontier.minimum();
    }

    /** The watermark of the main input, less what waits. */
    long inputMillis() {
        long input = Math.min(frontier.minimum(), door.holdMillis());
        return gate == null ? input : Math.min(input, gate.holdMillis());
    }

    /** Whether nothing can go in until something comes. */
    boolean isQuiet() {
        return door.isQuiet() && (gate == null || !gate.isReady());
    }

    /** Side inputs, as a chain reads them. */
    @Nullable
    SideInputReader sideInputs() {
        return hasViews ? door.reader(task.reads()) : null;
    }

    /** What waits for checkpoints; null where nothing does. */
    @Nullable
    StableGate gate() {
        return gate;
    }
}
