// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lessons;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;

import dev.disagg.state.cell.AccumulatorCell;
import dev.disagg.state.cell.Row;
import dev.disagg.state.cell.TaskState;
import dev.disagg.state.cell.ValueCell;
import org.junit.jupiter.api.Test;

/** Lesson 8: a first add counts, and a write is seen at once. */
class Lesson08FirstAddTest {
    private final GatedStore store = new GatedStore();
    private final TaskState state = store.state(1 << 20);
    private final Codecs codec = new Codecs();

    private Row row() {
        return GatedStore.key(state, "key").row(1000, GatedStore.bytes("w"));
    }

    private AccumulatorCell<Long> sum() {
        return row().accumulator(state.cellId("step", "sum"), codec, Long::sum, () -> 0L);
    }

    private ValueCell<Long> value() {
        return row().value(state.cellId("step", "value"), codec);
    }

    @Test
    void firstAddOnAnAccumulatorKnownToBeEmptyCounts() {
        row().fetch();
        assertThat(sum().isEmpty(), is(true));
        sum().add(5L);
        assertThat(sum().isEmpty(), is(false));
        assertThat(sum().read(), is(5L));
    }

    @Test
    void firstAddBeforeAnythingWasReadCounts() throws InterruptedException {
        store.gated = true;
        var reading = row().fetch();
        sum().add(5L);
        store.open();
        assertThat(reading.isDone(), is(true));
        assertThat(row().resident(), is(true));
        assertThat(sum().read(), is(5L));
    }

    @Test
    void firstAddAfterAClearCounts() {
        sum().add(7L);
        sum().clear();
        sum().add(5L);
        state.freeze(1, new byte[0]).aborted();
        assertThat(sum().read(), is(5L));
    }

    @Test
    void writeIsSeenAlthoughAnOlderReadComesLater() throws InterruptedException {
        value().write(1L);
        state.freeze(1, new byte[0]).aborted();
        TaskState again = store.state(1 << 20);
        Row row = GatedStore.key(again, "key").row(1000, GatedStore.bytes("w"));
        store.gated = true;
        var reading = row.fetch();
        ValueCell<Long> value = row.value(again.cellId("step", "value"), codec);
        assertThat(value.resident(), is(false));
        value.write(2L);
        assertThat("before the read is there", value.read(), is(2L));
        assertThat(reading.isDone(), is(not(true)));
        store.open();
        assertThat(row.resident(), is(true));
        assertThat(value.read(), is(2L));
    }
}
