// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

/**
 * The timers of one domain over all keys of the task, in time order: it wakes keys, whose own rows say what fires. Leader only.
 *
 * <p>Minima are exact while the earliest entries are in memory; while those are being read they are lower bounds, which
 * become exact when the read is applied.
 */
public final class TimerIndex {
    /** The earliest timestamp of a pending timer; {@link Long#MAX_VALUE} when there is none. */
    public long minTimestampMillis() {
        throw new UnsupportedOperationException();
    }

    /**
     * The earliest event time that a pending timer of this domain holds the output watermark at; {@link Long#MAX_VALUE}
     * when there is none. For event-time timers never above {@link #minTimestampMillis}: they hold the watermark at their
     * own timestamp at the latest, which the input watermark does as well.
     */
    public long minOutputTimestampMillis() {
        throw new UnsupportedOperationException();
    }

    /** The keys with a timer before the bound. */
    public DueScan due(long beforeMillisExclusive) {
        throw new UnsupportedOperationException();
    }
}
