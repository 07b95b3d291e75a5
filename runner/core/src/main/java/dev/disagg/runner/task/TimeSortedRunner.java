// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.runner.state.SortBuffer;
import dev.disagg.runner.state.StepState;
import dev.disagg.runner.state.StepTimers;
import org.apache.beam.runners.core.DoFnRunner;
import org.apache.beam.runners.core.LateDataUtils;
import org.apache.beam.runners.core.StateNamespaces;
import org.apache.beam.runners.core.StateTag;
import org.apache.beam.runners.core.StateTags;
import org.apache.beam.runners.core.StatefulDoFnRunner;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.InstantCoder;
import org.apache.beam.sdk.metrics.Counter;
import org.apache.beam.sdk.metrics.Metrics;
import org.apache.beam.sdk.state.TimeDomain;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.values.CausedByDrain;
import org.apache.beam.sdk.values.WindowedValue;
import org.apache.beam.sdk.values.WindowedValues;
import org.apache.beam.sdk.values.WindowingStrategy;
import org.joda.time.Instant;

/**
 * {@code @RequiresTimeSortedInput}: elements wait until the watermark has passed them by the allowed lateness, and then go
 * on in the order of their times, with all that the watermark has passed. What waits is kept in that order, so that letting
 * some of it go reads those alone: Beam's own {@link StatefulDoFnRunner}, which is behind this, would read all each time.
 */
final class TimeSortedRunner implements DoFnRunner<Object, Object> {
    private static final String FLUSH_TIMER = "__TimeSortedFlush";
    /** The time of the first element that waits. */
    private static final StateTag<ValueState<Instant>> FIRST =
            StateTags.makeSystemTagInternal(StateTags.value("timeSortedFirst", InstantCoder.of()));

    private final DoFnRunner<Object, Object> body;
    private final StatefulDoFnRunner<Object, Object, BoundedWindow> runner;
    private final StatefulDoFnRunner.CleanupTimer<Object> expiry;
    private final StepState state;
    private final StepTimers timers;
    private final WindowingStrategy<?, ?> windowing;
    private final Coder<BoundedWindow> windowCoder;
    private final Coder<WindowedValue<Object>> coder;
    private final Counter dropped =
            Metrics.counter(StatefulDoFnRunner.class, StatefulDoFnRunner.DROPPED_DUE_TO_LATENESS_COUNTER);

    /**
     * @param body takes elements that were in time when they came, however late it has become
     * @param runner takes everything but elements
     */
    TimeSortedRunner(
            DoFnRunner<Object, Object> body,
            StatefulDoFnRunner<Object, Object, BoundedWindow> runner,
            StatefulDoFnRunner.CleanupTimer<Object> expiry,
            StepState state,
            StepTimers timers,
            WindowingStrategy<?, ?> windowing,
            Coder<Object> inputCoder,
            Coder<BoundedWindow> windowCoder) {
        this.body = body;
        this.runner = runner;
        this.expiry = expiry;
        this.state = state;
        this.timers = timers;
        this.windowing = windowing;
        this.windowCoder = windowCoder;
        this.coder = WindowedValues.getFullCoder(inputCoder, windowCoder);
    }

    @Override
    public void processElement(WindowedValue<Object> element) {
        for (WindowedValue<Object> one : element.explodeWindows()) {
            BoundedWindow window = one.getWindows().iterator().next();
            Instant time = one.getTimestamp();
            Instant watermark = timers.currentInputWatermarkTime();
            if (LateDataUtils.garbageCollectionTime(window, windowing).isBefore(watermark)
                    || watermark.isAfter(time.plus(windowing.getAllowedLateness()))) {
                dropped.inc();
                continue;
            }
            buffer(window).add(time.getMillis(), one);
            ValueState<Instant> first = first(window);
            Instant before = first.read();
            if (before == null || time.isBefore(before)) {
                waitFor(window, first, time);
            }
        }
    }

    private SortBuffer<WindowedValue<Object>> buffer(BoundedWindow window) {
        return state.sortBuffer(window, coder);
    }

    private ValueState<Instant> first(BoundedWindow window) {
        return state.state(StateNamespaces.window(windowCoder, window), FIRST);
    }

    private void waitFor(BoundedWindow window, ValueState<Instant> first, Instant time) {
        first.write(time);
        Instant flush = time.plus(windowing.getAllowedLateness());
        Instant end = LateDataUtils.garbageCollectionTime(window, windowing);
        timers.setTimer(
                StateNamespaces.window(windowCoder, window),
                FLUSH_TIMER,
                FLUSH_TIMER,
                flush.isAfter(end) ? end : flush,
                time,
                TimeDomain.EVENT_TIME);
    }

    private void flush(BoundedWindow window, Instant upTo) {
        ValueState<Instant> first = first(window);
        Instant from = first.read();
        if (from == null) {
            return;
        }
        SortBuffer<WindowedValue<Object>> buffer = buffer(window);
        for (WindowedValue<Object> element : buffer.take(from.getMillis(), upTo.getMillis())) {
            expiry.setForWindow(element.getValue(), window);
            body.processElement(element);
        }
        Long next = buffer.firstTimeFrom(upTo.getMillis() + 1);
        if (next == null) {
            first.clear();
        } else {
            waitFor(window, first, new Instant(next));
        }
    }

    @Override
    public <K> void onTimer(
            String timerId,
            String timerFamilyId,
            K key,
            BoundedWindow window,
            Instant timestamp,
            Instant outputTimestamp,
            TimeDomain timeDomain,
            CausedByDrain causedByDrain) {
        if (timerId.equals(FLUSH_TIMER)) {
            flush(window, timers.currentInputWatermarkTime());
            return;
        }
        if (expiry.isForWindow(timerId, window, timestamp, timeDomain)) {
            flush(window, BoundedWindow.TIMESTAMP_MAX_VALUE);
        }
        runner.onTimer(timerId, timerFamilyId, key, window, timestamp, outputTimestamp, timeDomain, causedByDrain);
    }

    @Override
    public void startBundle() {
        runner.startBundle();
    }

    @Override
    public void finishBundle() {
        runner.finishBundle();
    }

    @Override
    public <K> void onWindowExpiration(BoundedWindow window, Instant timestamp, K key) {
        runner.onWindowExpiration(window, timestamp, key);
    }

    @Override
    public DoFn<Object, Object> getFn() {
        return runner.getFn();
    }
}
