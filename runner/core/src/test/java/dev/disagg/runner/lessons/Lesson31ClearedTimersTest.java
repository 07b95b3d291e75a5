// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.lessons;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.disagg.runner.state.StepState;
import dev.disagg.runner.state.StepTimers;
import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import dev.disagg.state.cell.DueKey;
import dev.disagg.state.cell.DueScan;
import dev.disagg.state.cell.TimerDomain;
import dev.disagg.ufs.ObjectStores;
import dev.disagg.ufs.OwnerRecord;
import java.util.List;
import org.apache.beam.sdk.state.TimeDomain;
import org.joda.time.Instant;
import org.junit.jupiter.api.Test;

/** Lesson 31: many keys, each with a timer that is set and cleared, across a restore. */
class Lesson31ClearedTimersTest {
    private static final int KEYS = Boolean.getBoolean("disagg.night") ? 1_000_000 : 20_000;

    private static void each(TaskStore store, boolean set) {
        StepState step = store.step();
        StepTimers timers = new StepTimers(step, () -> 0, () -> 0);
        for (int i = 0; i < KEYS; i++) {
            store.bind(step, "key-" + i);
            if (set) {
                timers.setTimer(
                        TaskStore.GLOBAL, "end", "", new Instant(1000 + i), new Instant(500), TimeDomain.EVENT_TIME);
            } else {
                timers.deleteTimer(TaskStore.GLOBAL, "end", "", TimeDomain.EVENT_TIME);
            }
            step.bind(null, null);
            if (i % 256 == 0) {
                store.cells().maintain();
            }
        }
    }

    private static long entries(ByteStore store) {
        long entries = 0;
        for (Family family : Family.values()) {
            try (ByteStore.Cursor cursor = store.scan(family, new byte[0], null, null)) {
                for (List<ByteStore.Entry> page = cursor.next(1 << 20).join();
                        !page.isEmpty();
                        page = cursor.next(1 << 20).join()) {
                    entries += page.size();
                }
            }
        }
        return entries;
    }

    private static int due(TaskStore store) {
        int due = 0;
        DueScan scan = store.cells().timers(TimerDomain.EVENT).due(Long.MAX_VALUE);
        for (List<DueKey> page = scan.next(256).join();
                !page.isEmpty();
                page = scan.next(256).join()) {
            due += page.size();
        }
        scan.close();
        return due;
    }

    @Test
    void timersOfManyKeysThatAreSetAndClearedLeaveNothing() {
        var objects = ObjectStores.open("memory://lesson-31");
        OwnerRecord set;
        try (TaskStore store = new TaskStore(objects, 1, List.of())) {
            each(store, true);
            set = store.checkpoint();
            assertThat("a row, an index entry and a hold for each", entries(store.bytes()), is(3L * KEYS));
        }
        OwnerRecord cleared;
        try (TaskStore store = new TaskStore(objects, 2, List.of(set))) {
            each(store, false);
            assertThat("timers due", due(store), is(0));
            cleared = store.checkpoint();
            assertThat("entries left", entries(store.bytes()), is(0L));
        }
        try (TaskStore store = new TaskStore(objects, 3, List.of(cleared))) {
            assertThat("timers due after a restore", due(store), is(0));
            assertThat("entries after a restore", entries(store.bytes()), is(0L));
            assertThat(store.cells().timers(TimerDomain.EVENT).minOutputTimestampMillis(), is(Long.MAX_VALUE));
        }
    }
}
