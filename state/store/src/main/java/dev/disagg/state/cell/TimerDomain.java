// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import dev.disagg.state.Family;

/** The clock that a timer waits for. The order of the constants is stored: never change it. */
public enum TimerDomain {
    EVENT(Family.EVENT_TIMERS),
    PROCESSING(Family.PROCESSING_TIMERS);

    private final Family family;

    TimerDomain(Family family) {
        this.family = family;
    }

    Family family() {
        return family;
    }
}
