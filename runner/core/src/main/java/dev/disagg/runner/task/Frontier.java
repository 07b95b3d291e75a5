// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import java.util.Arrays;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;

/**
 * The watermark of several channels: their minimum, never going back. A channel that has ended is at the maximum. No
 * channels at all: the maximum.
 */
final class Frontier {
    static final long MIN = BoundedWindow.TIMESTAMP_MIN_VALUE.getMillis();
    static final long MAX = BoundedWindow.TIMESTAMP_MAX_VALUE.getMillis();

    private final long[] channels;
    private long minimum;

    /** @param floor where the watermark was before a restore; it never goes below */
    Frontier(int channelCount, long floor) {
        channels = new long[channelCount];
        Arrays.fill(channels, floor);
        minimum = channelCount == 0 ? MAX : floor;
    }

    /** Takes a channel's watermark; returns whether the minimum advanced. */
    boolean advance(int channel, long millis) {
        long before = channels[channel];
        if (millis <= before) {
            return false;
        }
        channels[channel] = Math.min(millis, MAX);
        if (before > minimum) {
            return false;
        }
        long now = MAX;
        for (long watermark : channels) {
            now = Math.min(now, watermark);
        }
        boolean advanced = now > minimum;
        minimum = now;
        return advanced;
    }

    long minimum() {
        return minimum;
    }
}
