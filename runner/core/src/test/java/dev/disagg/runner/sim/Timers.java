// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

import org.apache.beam.sdk.state.Timer;
import org.apache.beam.sdk.state.TimerMap;
import org.jspecify.annotations.Nullable;

/**
 * The timers that a script sets.
 *
 * @param a of event time, holds the watermark
 * @param b of event time, holds nothing and outputs nothing
 * @param family of event time, by name
 * @param p of processing time; null where there is none
 */
record Timers(Timer a, Timer b, TimerMap family, @Nullable Timer p) {
    static final String HOLDING = "/a";
    static final String SILENT = "/b";
    static final String PROCESSING = "/p";
    static final String FAMILY = "family";

    /** What a timer is called in an {@link Entry}. */
    static String name(String family, String id) {
        return family + "/" + id;
    }
}
