// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.async.AsyncOptions;
import dev.disagg.runner.graph.Head;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.RejectedExecutionException;
import org.apache.beam.sdk.testing.TestStream;
import org.apache.beam.sdk.values.TimestampedValue;
import org.apache.beam.sdk.values.WindowedValues;

/**
 * The source of a {@link TestStream}: each event when all that came before it has had its effects everywhere. Takes part in
 * checkpoints, but a script is not resumed: a restored job plays it again.
 */
public final class ScriptedTask extends StageTask {
    private final Deque<TestStream.Event<?>> events = new ArrayDeque<>();
    private final ScriptClock clock;
    private boolean asked;
    private boolean next;
    private long watermark = Frontier.MIN;

    public ScriptedTask(TaskSpec spec, TaskHost host, AsyncOptions asyncOptions, ScriptClock clock) {
        super(spec, host, asyncOptions.withHandOver(false));
        this.clock = clock;
        ((Head.Scripted) spec.stage().head()).events().getEvents().forEach(events::add);
    }

    @Override
    int takeOwnWork() {
        if (!next) {
            return 0;
        }
        next = false;
        TestStream.Event<?> event = events.poll();
        if (event == null) {
            watermark = Frontier.MAX;
        } else {
            play(event);
        }
        return 1;
    }

    private void play(TestStream.Event<?> event) {
        if (event instanceof TestStream.ElementEvent<?> elements) {
            Chain chain = chain();
            for (TimestampedValue<?> value : elements.getElements()) {
                chains().enterBundle(chain, value.getTimestamp().getMillis(), host());
                chain.entry()
                        .accept(WindowedValues.timestampedValueInGlobalWindow(value.getValue(), value.getTimestamp()));
            }
        } else if (event instanceof TestStream.WatermarkEvent<?> advance) {
            chains().finishAll();
            watermark = Math.max(watermark, advance.getWatermark().getMillis());
        } else if (event instanceof TestStream.ProcessingTimeEvent<?> advance) {
            clock.advance(advance.getProcessingTimeAdvance().getMillis());
        } else {
            throw new IllegalStateException("TestStream has an event of an unknown kind: " + event);
        }
    }

    @Override
    void becameIdle() {
        if (!asked && !(events.isEmpty() && watermark >= Frontier.MAX)) {
            asked = true;
            host().activity().whenQuiescent(() -> {
                host().activity().begin();
                try {
                    execute(() -> {
                        asked = false;
                        next = true;
                        takeOver();
                    });
                } catch (RejectedExecutionException e) {
                    // Drained meanwhile, and over: there is nothing left to play.
                    host().activity().end();
                }
            });
        }
    }

    /** The rest of the script is not played. */
    @Override
    void drainBegun() {
        events.clear();
        watermark = Frontier.MAX;
    }

    @Override
    boolean nothingMoreComes() {
        return mayEnd();
    }

    @Override
    long releasableMillis() {
        return watermark;
    }

    @Override
    long inputWatermarkMillis() {
        return watermark;
    }

    @Override
    boolean mayEnd() {
        return events.isEmpty() && watermark >= Frontier.MAX;
    }

    @Override
    void element(int channel, Object item) {
        throw new IllegalStateException("a script has no input");
    }

    @Override
    void channelWatermark(int channel, long millis) {
        throw new IllegalStateException("a script has no input");
    }
}
