// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

/**
 * The timers of one domain over all keys of the task, in time order: it wakes keys, whose own rows say what fires. Leader only.
 *
 * <p>Minima are exact while the earliest entries are in memory; while those are being read they are lower bounds, which
 * become exact when the read is applied.
 */
public final class TimerIndex {
    private final TimerDomain domain;
    private final TimeIndex timers;
    private final TimeIndex holds;

    TimerIndex(TimerDomain domain, TimeIndex timers, TimeIndex holds) {
        this.domain = domain;
        this.timers = timers;
        this.holds = holds;
    }

    /** The earliest timestamp of a pending timer; {@link Long#MAX_VALUE} when there is none. */
    public long minTimestampMillis() {
        return timers.minMillis(0);
    }

    /**
     * The earliest event time that a pending timer of this domain holds the output watermark at; {@link Long#MAX_VALUE}
     * when there is none. For event-time timers never above {@link #minTimestampMillis}: they hold the watermark at their
     * own timestamp at the latest, which the input watermark does as well.
     */
    public long minOutputTimestampMillis() {
        long held = holds.minMillis(KeyLayout.HOLD_OF_CELL + 1 + domain.ordinal());
        return domain == TimerDomain.EVENT ? Math.min(held, timers.minMillis(0)) : held;
    }

    /** The keys with a timer before the bound. */
    public DueScan due(long beforeMillisExclusive) {
        return timers.due(beforeMillisExclusive);
    }
}
