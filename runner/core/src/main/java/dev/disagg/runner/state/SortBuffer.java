// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.state;

import dev.disagg.state.cell.CollectionCell.Entry;
import dev.disagg.state.cell.TaskState;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Values of one key and window in the order of their times; those of one time in the order in which they were added. Adding
 * reads nothing, and taking reads what is taken. Sub-keys are {@code [time 8][number 8]}. One owner.
 */
public final class SortBuffer<T> {
    private final TaskState cells;
    private final Collected entries;
    private final CoderCodec<T> values;

    SortBuffer(TaskState cells, Collected entries, CoderCodec<T> values) {
        this.cells = cells;
        this.entries = entries;
        this.values = values;
    }

    public void add(long timeMillis, T value) {
        entries.put(sub(timeMillis, cells.nextNumber()), values.bytes(value));
    }

    private static byte[] sub(long timeMillis, long number) {
        return ByteBuffer.allocate(16)
                .putLong(timeMillis ^ Long.MIN_VALUE)
                .putLong(number)
                .array();
    }

    /** Removes and returns the values of these times, both inclusive. */
    public List<T> take(long fromMillis, long toMillis) {
        List<T> taken = new ArrayList<>();
        for (Entry entry : entries.range(sub(fromMillis, 0), sub(toMillis + 1, 0))) {
            taken.add(values.value(entry.value()));
            entries.delete(entry.sub());
        }
        return taken;
    }

    /** The earliest time that is not before {@code fromMillis}; null when there is none. */
    public @Nullable Long firstTimeFrom(long fromMillis) {
        Entry first = entries.first(sub(fromMillis, 0));
        return first == null ? null : ByteBuffer.wrap(first.sub()).getLong() ^ Long.MIN_VALUE;
    }
}
