// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.state;

import dev.disagg.state.cell.CollectionCell;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.state.OrderedListState;
import org.apache.beam.sdk.state.ReadableState;
import org.apache.beam.sdk.values.TimestampedValue;
import org.joda.time.Instant;
import org.jspecify.annotations.Nullable;

/** A list in timestamp order: sub-key is the timestamp, value the list of values of that time. */
record CellOrderedList<T>(Collected entries, CoderCodec<T> values) implements OrderedListState<T> {
    @Override
    public void add(TimestampedValue<T> value) {
        byte[] sub = sub(value.getTimestamp());
        byte[] found = entries.get(sub);
        List<T> list = found == null ? new ArrayList<>() : Lists.decode(found, values);
        list.add(value.getValue());
        entries.put(sub, Lists.encode(list, values));
    }

    private static byte[] sub(Instant time) {
        return ByteBuffer.allocate(8).putLong(time.getMillis() ^ Long.MIN_VALUE).array();
    }

    private List<TimestampedValue<T>> range(byte[] from, byte @Nullable [] to) {
        List<TimestampedValue<T>> all = new ArrayList<>();
        for (CollectionCell.Entry entry : entries.range(from, to)) {
            Instant time = new Instant(ByteBuffer.wrap(entry.sub()).getLong() ^ Long.MIN_VALUE);
            Lists.decode(entry.value(), values).forEach(value -> all.add(TimestampedValue.of(value, time)));
        }
        return all;
    }

    @Override
    public Iterable<TimestampedValue<T>> readRange(Instant minTimestamp, Instant limitTimestamp) {
        return range(sub(minTimestamp), sub(limitTimestamp));
    }

    @Override
    public void clearRange(Instant minTimestamp, Instant limitTimestamp) {
        entries.clearRange(sub(minTimestamp), sub(limitTimestamp));
    }

    @Override
    public OrderedListState<T> readRangeLater(Instant minTimestamp, Instant limitTimestamp) {
        return this;
    }

    @Override
    public Iterable<TimestampedValue<T>> read() {
        return range(new byte[0], null);
    }

    @Override
    public OrderedListState<T> readLater() {
        entries.readLater();
        return this;
    }

    @Override
    public ReadableState<Boolean> isEmpty() {
        return CellValue.readable(entries::isEmpty);
    }

    @Override
    public void clear() {
        entries.clear();
    }
}
