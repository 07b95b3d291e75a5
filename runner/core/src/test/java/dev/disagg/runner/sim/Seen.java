// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

import java.util.List;

/**
 * What a key saw.
 *
 * @param value of an element; -1 for the timer at a window's end, -2 for one of processing time
 * @param digest of all values of the window so far, from state
 * @param side what the side input had
 * @param watermarkMillis the input watermark that it saw
 */
record Seen(long value, long windowEndMillis, long digest, List<Long> side, long watermarkMillis, long committed) {
    static final long TIMER = -1;
    static final long SOON = -2;

    boolean isElement() {
        return value >= 0;
    }

    /** What has to be the same when it is seen again. */
    Seen same() {
        return new Seen(value, windowEndMillis, digest, side, 0, 0);
    }

    static long digest(long before, long value) {
        return Mix.of(before, value, 13);
    }
}
