// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.async.AsyncOptions;
import org.apache.beam.sdk.values.WindowedValue;

/** A stage without keys: elements run straight through, unless they wait for a side input or a checkpoint. */
public final class StraightTask extends StageTask {
    private final Entrance entrance;

    public StraightTask(TaskSpec spec, TaskHost host, AsyncOptions asyncOptions) {
        super(spec, host, asyncOptions.withHandOver(false));
        entrance = new Entrance(this, spec.restoredInputWatermark());
    }

    @Override
    Entrance entrance() {
        return entrance;
    }

    @Override
    void element(int channel, Object item) {
        if (item instanceof ViewPane pane) {
            entrance.pane(pane);
        } else if (entrance.isOpen()) {
            run((WindowedValue<?>) item);
        } else {
            int edge = spec().channelEdges().get(channel).index();
            entrance.take((WindowedValue<?>) item, edge, null, 0, this::run);
        }
    }

    @Override
    int takeOwnWork() {
        return entrance.poll(() -> TURN, inputWatermarkMillis(), true, this::run);
    }

    private void run(Waiting waiting) {
        run(waiting.value());
    }

    private void run(WindowedValue<?> value) {
        Chain chain = chain();
        chains().enter(chain, value.getTimestamp().getMillis(), host());
        chain.entry().accept(value);
    }

    @Override
    void channelWatermark(int channel, long millis) {
        entrance.channelWatermark(channel, millis);
    }

    @Override
    long inputWatermarkMillis() {
        return entrance.inputMillis();
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
}
