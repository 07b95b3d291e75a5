// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

import java.util.ArrayList;
import java.util.List;

/**
 * What a key saw: an element or a firing, and all that was read meanwhile.
 *
 * @param number of an element, else the timestamp of the timer
 * @param timer family and id of a timer; empty for an element
 * @param timestampMillis of the element, or the output timestamp of the timer
 * @param windowEndMillis tells the windows of a key apart
 * @param watermarkMillis the input watermark that it saw; {@link Long#MIN_VALUE} where the DoFn cannot see one
 * @param nowMillis processing time at its beginning
 * @param seen in order of reading
 */
record Entry(
        Kind kind,
        long number,
        String timer,
        long timestampMillis,
        long windowEndMillis,
        long watermarkMillis,
        long nowMillis,
        List<Long> seen) {
    enum Kind {
        ELEMENT,
        EVENT_TIMER,
        PROCESSING_TIMER,
        EXPIRY
    }

    Entry(
            Kind kind,
            long number,
            String timer,
            long timestampMillis,
            long windowEndMillis,
            long watermarkMillis,
            long nowMillis) {
        this(kind, number, timer, timestampMillis, windowEndMillis, watermarkMillis, nowMillis, new ArrayList<>());
    }

    /** The same, with nothing seen yet. */
    Entry unseen() {
        return new Entry(kind, number, timer, timestampMillis, windowEndMillis, watermarkMillis, nowMillis);
    }

    long identity() {
        return Mix.of(kind.ordinal(), number, timer.hashCode() * 31L + windowEndMillis);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        text.append(kind).append(' ').append(number).append(timer.isEmpty() ? "" : " " + timer);
        text.append(" ts=").append(timestampMillis).append(" end=").append(windowEndMillis);
        text.append(" wm=")
                .append(watermarkMillis)
                .append(" now=")
                .append(nowMillis)
                .append(' ');
        seen.forEach(each -> text.append(Long.toHexString(each & 0xffff)).append(' '));
        return text.toString();
    }
}
