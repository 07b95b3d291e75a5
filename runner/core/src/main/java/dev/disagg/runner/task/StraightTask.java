// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.async.AsyncOptions;
import org.apache.beam.runners.core.SideInputReader;
import org.apache.beam.sdk.values.WindowedValue;
import org.jspecify.annotations.Nullable;

/** A stage without keys: elements run straight through, unless they wait for a side input or a checkpoint. */
public final class StraightTask extends StageTask {
    private final Frontier frontier;
    private final SideInputDoor door;
    private final boolean hasViews;
    private final @Nullable StableGate gate;

    public StraightTask(TaskSpec spec, TaskHost host, AsyncOptions asyncOptions) {
        super(spec, host, asyncOptions.withHandOver(false));
        hasViews = !spec.stage().views().isEmpty();
        door = new SideInputDoor(spec, async()::wake);
        frontier = door.mainFrontier(spec.restoredInputWatermark());
        gate = StableGate.of(spec, async()::wake);
        if (!spec.restored().isEmpty()) {
            door.restore();
        }
    }

    @Override
    void element(int channel, Object item) {
        if (item instanceof ViewPane pane) {
            door.pane(pane);
            return;
        }
        WindowedValue<?> value = (WindowedValue<?>) item;
        if (!hasViews && gate == null) {
            run(value);
            return;
        }
        int edge = spec().channelEdges().get(channel).index();
        for (WindowedValue<?> one : SideInputDoor.exploded(value)) {
            if (hasViews && door.isTooLate(one)) {
                door.countTooLate(this);
                continue;
            }
            if (gate != null) {
                gate.add(one, edge, null, 0, frontier.minimum());
            } else if (door.isReady(one)) {
                run(one);
            } else {
                door.add(one, edge, null, 0);
            }
        }
    }

    private void stable(Waiting waiting) {
        if (hasViews && !door.isReady(waiting.value())) {
            door.hold(waiting);
        } else {
            state().inbox().remove(waiting.group(), waiting.number());
            run(waiting.value());
        }
    }

    @Override
    int takeOwnWork() {
        int work = gate == null ? 0 : gate.poll(TURN, this::stable);
        return work + door.poll(TURN, inputWatermarkMillis(), true, waiting -> run(waiting.value()));
    }

    @Override
    boolean isQuiet() {
        return super.isQuiet() && door.isQuiet() && (gate == null || !gate.isReady());
    }

    @Override
    void beforeSnapshot(long checkpoint) {
        if (gate != null) {
            gate.snapshot(checkpoint, Frontier.MIN, Long.MIN_VALUE);
        }
    }

    @Override
    public boolean hearsOfCommits() {
        return gate != null;
    }

    @Override
    void whenCommitted(long checkpoint) {
        if (gate != null) {
            gate.committed(checkpoint);
        }
    }

    @Override
    boolean needsCheckpoint() {
        return super.needsCheckpoint() || (gate != null && gate.wantsSnapshot(Frontier.MIN, Long.MIN_VALUE));
    }

    private void run(WindowedValue<?> value) {
        Chain chain = chain();
        chains().enter(chain, value.getTimestamp().getMillis(), host());
        chain.entry().accept(value);
    }

    @Override
    void channelWatermark(int channel, long millis) {
        if (door.isView(channel)) {
            door.watermark(channel, millis);
        } else {
            frontier.advance(channel, millis);
        }
    }

    @Override
    long inputWatermarkMillis() {
        long input = Math.min(frontier.minimum(), door.holdMillis());
        return gate == null ? input : Math.min(input, gate.holdMillis());
    }

    @Override
    long releasableMillis() {
        long input = inputWatermarkMillis();
        if (input > outputWatermarkMillis()) {
            // What a bundle keeps back must not become late.
            chains().finishAll();
        }
        return input;
    }

    @Override
    public SideInputReader sideInputs() {
        return hasViews ? door.reader(reads()) : super.sideInputs();
    }
}
