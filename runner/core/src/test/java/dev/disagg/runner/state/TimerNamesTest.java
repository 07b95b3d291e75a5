// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.state;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.state.cell.KeyHash;
import dev.disagg.state.cell.TaskState;
import dev.disagg.state.cell.TaskStateOptions;
import dev.disagg.state.cell.Timer;
import dev.disagg.state.cell.TimerDomain;
import dev.disagg.state.heap.HeapBackend;
import dev.disagg.ufs.JobFiles;
import dev.disagg.ufs.ObjectStores;
import dev.disagg.ufs.Retries;
import dev.disagg.ufs.testkit.VirtualTime;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.apache.beam.runners.core.StateNamespace;
import org.apache.beam.runners.core.StateNamespaces;
import org.apache.beam.runners.core.TimerInternals.TimerData;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.state.TimeDomain;
import org.apache.beam.sdk.transforms.windowing.GlobalWindow;
import org.apache.beam.sdk.transforms.windowing.IntervalWindow;
import org.apache.beam.sdk.values.CausedByDrain;
import org.joda.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Names of timers as drawn in {@code docs/format/timer-names.md}, and that a cleared timer leaves nothing. */
class TimerNamesTest {
    private static final Coder<IntervalWindow> WINDOWS = IntervalWindow.getCoder();
    private static final IntervalWindow WINDOW = new IntervalWindow(new Instant(0), new Instant(60));

    /** Reads that never have to wait: all is in memory. */
    private static final class InMemory implements Reads {
        @Override
        public <T> T await(CompletableFuture<T> read) {
            return read.join();
        }

        @Override
        public void beforeRead() {}

        @Override
        public void check() {}
    }

    private static ByteStore.Opened store(String name) {
        JobFiles files = JobFiles.open(
                ObjectStores.open("memory://" + name),
                "job",
                1,
                "p",
                Retries.standard(VirtualTime.immediate(), new Random(1)));
        return new HeapBackend(files, Runnable::run)
                .open("step", KeyRange.ALL, List.of())
                .join();
    }

    private static StepState step(
            TaskState cells, Coder<? extends org.apache.beam.sdk.transforms.windowing.BoundedWindow> windows) {
        return new StepState("step", cells, windows, new InMemory());
    }

    private static void drawn(StateNamespace namespace, String family, TimeDomain domain, String expected) {
        TimerNames names = new TimerNames(step(TaskState.open(store("names"), TaskStateOptions.DEFAULT), WINDOWS));
        byte[] id = names.id(namespace, "end", family, domain);
        assertThat(HexFormat.of().formatHex(id), is(expected));
        Timer stored = new Timer(
                id, domain == TimeDomain.EVENT_TIME ? TimerDomain.EVENT : TimerDomain.PROCESSING, 17, 13, new byte[0]);
        assertThat(
                "read back",
                names.data(stored, CausedByDrain.NORMAL),
                equalTo(TimerData.of("end", family, namespace, new Instant(17), new Instant(13), domain)));
    }

    private static final String END = "0003" + "656e64";
    /** End, 60, with its sign bit flipped, and length as a varint: Beam's coder of interval windows. */
    private static final String WINDOW_BYTES = "800000000000003c" + "3c";

    @Test
    void aTimerInAWindow() {
        drawn(
                StateNamespaces.window(WINDOWS, WINDOW),
                "",
                TimeDomain.EVENT_TIME,
                "00" + "01" + "0000" + END + WINDOW_BYTES);
    }

    @Test
    void aTimerOfAFamilyInProcessingTime() {
        drawn(
                StateNamespaces.window(WINDOWS, WINDOW),
                "fam",
                TimeDomain.PROCESSING_TIME,
                "01" + "01" + "0003" + "66616d" + END + WINDOW_BYTES);
    }

    @Test
    void aTimerOfATrigger() {
        drawn(
                StateNamespaces.windowAndTrigger(WINDOWS, WINDOW, 258),
                "",
                TimeDomain.SYNCHRONIZED_PROCESSING_TIME,
                "02" + "02" + "0000" + END + "00000102" + WINDOW_BYTES);
    }

    @Test
    void aTimerWithoutAWindow() {
        drawn(StateNamespaces.global(), "", TimeDomain.EVENT_TIME, "00" + "00" + "0000" + END);
    }

    @Tag("lesson-31")
    @Test
    void timersOfManyKeysThatAreSetAndClearedLeaveNothing() {
        ByteStore.Opened opened = store("cleared");
        TaskState cells = TaskState.open(opened, TaskStateOptions.DEFAULT.withCacheBytes(1 << 20));
        StepState state = step(cells, GlobalWindow.Coder.INSTANCE);
        StepTimers timers = new StepTimers(state, () -> 0, () -> 0);
        StateNamespace namespace = StateNamespaces.window(GlobalWindow.Coder.INSTANCE, GlobalWindow.INSTANCE);
        int keys = 20_000;
        for (boolean set : new boolean[] {true, false}) {
            for (int i = 0; i < keys; i++) {
                byte[] key = ("key-" + i).getBytes(StandardCharsets.UTF_8);
                state.bind(cells.key(KeyHash.of(key), key), "key-" + i);
                if (set) {
                    timers.setTimer(
                            namespace, "end", "", new Instant(1000 + i), new Instant(500), TimeDomain.EVENT_TIME);
                } else {
                    timers.deleteTimer(namespace, "end", "", TimeDomain.EVENT_TIME);
                }
                state.bind(null, null);
                if (i % 1000 == 0) {
                    cells.maintain();
                }
            }
            cells.freeze(set ? 1 : 2, new byte[0]).aborted();
            long left = 0;
            for (Family family : Family.values()) {
                left += entries(opened.store(), family);
            }
            assertThat(set ? "a row, an index entry and a hold for each" : "nothing", left, is(set ? 3L * keys : 0L));
        }
        assertThat(cells.timers(TimerDomain.EVENT).minOutputTimestampMillis(), is(Long.MAX_VALUE));
    }

    private static long entries(ByteStore store, Family family) {
        long entries = 0;
        try (ByteStore.Cursor cursor = store.scan(family, new byte[0], null, null)) {
            for (List<ByteStore.Entry> page = cursor.next(1 << 20).join();
                    !page.isEmpty();
                    page = cursor.next(1 << 20).join()) {
                entries += page.size();
            }
        }
        return entries;
    }
}
