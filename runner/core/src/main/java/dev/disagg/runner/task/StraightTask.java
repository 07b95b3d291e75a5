// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.async.AsyncOptions;
import org.apache.beam.runners.core.SideInputReader;
import org.apache.beam.sdk.values.WindowedValue;

/** A stage without keys: elements run straight through, unless they wait for a side input. */
public final class StraightTask extends StageTask {
    private final Frontier frontier;
    private final SideInputDoor door;
    private final boolean hasViews;

    public StraightTask(TaskSpec spec, TaskHost host, AsyncOptions asyncOptions) {
        super(spec, host, asyncOptions.withHandOver(false));
        hasViews = !spec.stage().views().isEmpty();
        door = new SideInputDoor(spec, host.checkpointing(), async()::wake);
        frontier = door.mainFrontier(spec.restoredInputWatermark());
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
        if (!hasViews) {
            run(value);
            return;
        }
        for (WindowedValue<?> one : SideInputDoor.exploded(value)) {
            if (door.isTooLate(one, this)) {
                continue;
            }
            if (door.isReady(one)) {
                run(one);
            } else {
                door.add(one, spec().channelEdges().get(channel).index(), null, 0);
            }
        }
    }

    private void run(WindowedValue<?> value) {
        Chain chain = chain();
        chain.enter(value.getTimestamp().getMillis(), host());
        chain.entry().accept(value);
    }

    @Override
    int takeOwnWork() {
        return hasViews ? door.poll(TURN, inputWatermarkMillis(), true, waiting -> run(waiting.value())) : 0;
    }

    @Override
    boolean isQuiet() {
        return super.isQuiet() && door.isQuiet();
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
        return Math.min(frontier.minimum(), door.holdMillis());
    }

    @Override
    long releasableMillis() {
        long input = inputWatermarkMillis();
        if (input > outputWatermarkMillis()) {
            // What a bundle keeps back must not become late.
            closeBundles();
        }
        return input;
    }

    @Override
    public SideInputReader sideInputs() {
        return hasViews ? door.reader(reads()) : super.sideInputs();
    }
}
