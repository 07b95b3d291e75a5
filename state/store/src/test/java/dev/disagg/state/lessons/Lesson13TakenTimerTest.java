// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lessons;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;

import dev.disagg.state.cell.DueKey;
import dev.disagg.state.cell.DueScan;
import dev.disagg.state.cell.KeyEntry;
import dev.disagg.state.cell.KeyTimers;
import dev.disagg.state.cell.TaskState;
import dev.disagg.state.cell.Timer;
import dev.disagg.state.cell.TimerDomain;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lesson 13: a timer that was found due, and waits for its busy key, can still be cleared or moved. */
class Lesson13TakenTimerTest {
    private static final byte[] ID = {1};

    private final TaskState state = new GatedStore().state(1 << 20);

    private static KeyTimers timers(KeyEntry entry) {
        KeyTimers timers = entry.timers();
        timers.fetch();
        return timers;
    }

    private static Timer at(long millis) {
        return new Timer(ID, TimerDomain.EVENT, millis, millis, new byte[0]);
    }

    private KeyTimers taken() {
        KeyEntry busy = GatedStore.key(state, "busy");
        busy.pin();
        timers(busy).set(at(10));
        DueScan scan = state.timers(TimerDomain.EVENT).due(100);
        List<DueKey> due = scan.next(10).join();
        assertThat(due, hasSize(1));
        return timers(busy);
    }

    @Test
    void timerClearedAfterItWasFoundDueNeverFires() {
        KeyTimers timers = taken();
        timers.clear(TimerDomain.EVENT, ID);
        assertThat(timers.firstDue(TimerDomain.EVENT, 100), nullValue());
        assertThat(state.timers(TimerDomain.EVENT).minTimestampMillis(), is(Long.MAX_VALUE));
    }

    @Test
    void timerMovedAfterItWasFoundDueFiresAtItsNewTimeAlone() {
        KeyTimers timers = taken();
        timers.set(at(500));
        assertThat(timers.firstDue(TimerDomain.EVENT, 100), nullValue());
        assertThat(timers.firstDue(TimerDomain.EVENT, 501), is(at(500)));
        assertThat(state.timers(TimerDomain.EVENT).due(100).next(10).join(), hasSize(0));
        assertThat(state.timers(TimerDomain.EVENT).due(501).next(10).join(), hasSize(1));
    }
}
