// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state;

/** The kinds of entry of one task's store; each has its own memtable and tables. The codes are stored: never change one. */
public enum Family {
    /** Cells of (key, window): {@code [hash 8][key len][key][window end 8][window len][window][class][cell id][sub-key]}. */
    ROWS(0),
    /** Event-time index: {@code [time 8][hash 8][key …]}. */
    EVENT_TIMERS(1),
    /** Processing-time index, laid out as {@link #EVENT_TIMERS}. */
    PROCESSING_TIMERS(2),
    /** Watermark holds, laid out as {@link #EVENT_TIMERS}. */
    HOLDS(3),
    /** Elements that wait: {@code [group 2][arrival number 8]}. */
    INBOX(4),
    /** Source positions: {@code [split id]}. */
    SOURCES(5);

    private final int code;

    Family(int code) {
        this.code = code;
    }

    /** The stored number of this family. */
    public int code() {
        return code;
    }
}
