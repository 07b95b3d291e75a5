// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lessons;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.state.cell.Row;
import dev.disagg.state.cell.TaskState;
import dev.disagg.state.cell.ValueCell;
import dev.disagg.ufs.Unavailable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Lesson 11: reads that go out together fail one by one. */
class Lesson11FailedReadTest {
    private final GatedStore store = new GatedStore();
    private final Codecs codec = new Codecs();

    private ValueCell<Long> value(TaskState state, Row row, String id) {
        return row.value(state.cellId("step", id), codec);
    }

    @Test
    void failedReadOfOneCellLeavesThoseThatWentOutWithItRight() throws InterruptedException {
        TaskState writing = store.state(1 << 20);
        Row written = GatedStore.key(writing, "key").globalRow();
        for (long i = 0; i < 3; i++) {
            value(writing, written, "cell-" + i).write(i);
        }
        writing.freeze(1, new byte[0]).aborted();

        TaskState reading = store.state(1 << 20);
        int[] cells = new int[3];
        Row other = GatedStore.key(reading, "other").globalRow();
        for (int i = 0; i < 3; i++) {
            cells[i] = reading.cellId("step", "cell-" + i);
            value(reading, other, "cell-" + i);
        }
        Row row = GatedStore.key(reading, "key").globalRow();
        store.gated = true;
        int broken = cells[1];
        store.broken = key -> java.nio.ByteBuffer.wrap(key).getInt(key.length - 4) == broken;
        int before = store.reads;
        CompletableFuture<?> all = row.fetch(cells);
        assertThat("one read for each cell", store.reads - before, is(3));
        store.open();
        assertThat(all.isCompletedExceptionally(), is(true));
        assertThat(row.isResident(cells[0]), is(true));
        assertThat(row.isResident(cells[2]), is(true));
        assertThat(value(reading, row, "cell-0").read(), is(0L));
        assertThat(value(reading, row, "cell-2").read(), is(2L));
        Unavailable failed = assertThrows(Unavailable.class, () -> row.isResident(cells[1]));
        assertThat(failed.getMessage(), containsString("cannot be read"));

        store.broken = key -> false;
        row.fetch(cells);
        store.open();
        assertThat("read again, it is there", value(reading, row, "cell-1").read(), is(1L));
    }

    @Test
    void failedReadOfOneRowLeavesOtherRowsRight() throws InterruptedException {
        TaskState state = store.state(1 << 20);
        Row good = GatedStore.key(state, "good").globalRow();
        Row bad = GatedStore.key(state, "bad").globalRow();
        store.gated = true;
        store.broken = key -> new String(key, java.nio.charset.StandardCharsets.ISO_8859_1).contains("bad");
        bad.fetch();
        good.fetch();
        store.open();
        assertThrows(Unavailable.class, bad::resident);
        assertThat(good.resident(), is(true));
        store.broken = key -> false;
        bad.fetch();
        store.open();
        assertThat(bad.resident(), is(true));
    }
}
