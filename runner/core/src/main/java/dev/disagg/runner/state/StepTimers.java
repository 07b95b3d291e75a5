// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.state;

import dev.disagg.state.cell.KeyTimers;
import dev.disagg.state.cell.Timer;
import dev.disagg.state.cell.TimerDomain;
import java.util.function.LongSupplier;
import org.apache.beam.runners.core.StateNamespace;
import org.apache.beam.runners.core.TimerInternals;
import org.apache.beam.sdk.state.TimeDomain;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.values.CausedByDrain;
import org.joda.time.Instant;
import org.jspecify.annotations.Nullable;

/** Timers of one keyed step, for one chain: bound, with its {@link StepState}, to the key of the running computation. One owner. */
public final class StepTimers implements TimerInternals {
    private final StepState state;
    private final LongSupplier processingMillis;
    private final LongSupplier outputWatermarkMillis;
    private final TimerNames names;
    private long inputWatermarkMillis = BoundedWindow.TIMESTAMP_MIN_VALUE.getMillis();
    private @Nullable Instant inputWatermark;
    private boolean timeStands;
    private @Nullable Instant standingTime;

    /**
     * @param processingMillis the task's clock
     * @param outputWatermarkMillis the output watermark that the task has released last
     */
    public StepTimers(StepState state, LongSupplier processingMillis, LongSupplier outputWatermarkMillis) {
        this.state = state;
        this.processingMillis = processingMillis;
        this.outputWatermarkMillis = outputWatermarkMillis;
        this.names = new TimerNames(state);
    }

    /** The input watermark that the running computation sees. */
    public void seeInputWatermark(long millis) {
        if (millis != inputWatermarkMillis) {
            inputWatermarkMillis = millis;
            inputWatermark = null;
        }
    }

    /**
     * From here to {@link #letTimePass} the time of day is what it is when it is first asked for. A trigger asks when an element
     * comes and again whether it is to fire: for a delay of nothing it would fire at once, or not, as the clock happens to tick in between.
     */
    public void stopTime() {
        timeStands = true;
    }

    /** Undoes {@link #stopTime}. */
    public void letTimePass() {
        timeStands = false;
        standingTime = null;
    }

    /**
     * The timer, in Beam's terms.
     *
     * @param byDrain whether it fires because the pipeline is drained
     */
    public TimerData data(Timer timer, boolean byDrain) {
        return names.data(timer, byDrain ? CausedByDrain.CAUSED_BY_DRAIN : CausedByDrain.NORMAL);
    }

    private KeyTimers timers() {
        state.reads.check();
        KeyTimers timers = state.boundEntry().timers();
        while (!timers.resident()) {
            state.reads.await(timers.fetch());
        }
        return timers;
    }

    @Override
    public void setTimer(
            StateNamespace namespace,
            String timerId,
            String timerFamilyId,
            Instant target,
            Instant outputTimestamp,
            TimeDomain timeDomain) {
        timers().set(new Timer(
                names.id(namespace, timerId, timerFamilyId, timeDomain),
                domain(timeDomain),
                target.getMillis(),
                outputTimestamp.getMillis(),
                new byte[0]));
    }

    @Override
    @Deprecated
    public void setTimer(TimerData timer) {
        setTimer(
                timer.getNamespace(),
                timer.getTimerId(),
                timer.getTimerFamilyId(),
                timer.getTimestamp(),
                timer.getOutputTimestamp(),
                timer.getDomain());
    }

    @Override
    public void deleteTimer(StateNamespace namespace, String timerId, String timerFamilyId, TimeDomain timeDomain) {
        timers().clear(domain(timeDomain), names.id(namespace, timerId, timerFamilyId, timeDomain));
    }

    @Override
    @Deprecated
    public void deleteTimer(StateNamespace namespace, String timerId, String timerFamilyId) {
        for (TimeDomain timeDomain : TimeDomain.values()) {
            deleteTimer(namespace, timerId, timerFamilyId, timeDomain);
        }
    }

    @Override
    @Deprecated
    public void deleteTimer(TimerData timer) {
        deleteTimer(timer.getNamespace(), timer.getTimerId(), timer.getTimerFamilyId(), timer.getDomain());
    }

    private static TimerDomain domain(TimeDomain timeDomain) {
        return timeDomain == TimeDomain.EVENT_TIME ? TimerDomain.EVENT : TimerDomain.PROCESSING;
    }

    @Override
    public Instant currentProcessingTime() {
        Instant time = standingTime;
        if (time == null) {
            time = new Instant(processingMillis.getAsLong());
            standingTime = timeStands ? time : null;
        }
        return time;
    }

    @Override
    public Instant currentSynchronizedProcessingTime() {
        return currentProcessingTime();
    }

    @Override
    public Instant currentInputWatermarkTime() {
        Instant seen = inputWatermark;
        if (seen == null) {
            seen = new Instant(inputWatermarkMillis);
            inputWatermark = seen;
        }
        return seen;
    }

    @Override
    public Instant currentOutputWatermarkTime() {
        return new Instant(outputWatermarkMillis.getAsLong());
    }
}
