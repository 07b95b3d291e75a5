// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.state;

import dev.disagg.state.cell.HoldCell;
import org.apache.beam.sdk.state.ReadableState;
import org.apache.beam.sdk.state.WatermarkHoldState;
import org.apache.beam.sdk.transforms.windowing.TimestampCombiner;
import org.joda.time.Instant;
import org.jspecify.annotations.Nullable;

/** A watermark hold in a cell. */
record CellHold(StepState state, HoldCell cell, TimestampCombiner combiner) implements WatermarkHoldState {
    @Override
    public void add(Instant value) {
        state.reads.check();
        state.ensure(cell);
        long held = cell.read();
        Instant hold = held == Long.MAX_VALUE ? value : combiner.combine(new Instant(held), value);
        if (hold.getMillis() != held) {
            cell.write(hold.getMillis());
        }
    }

    @Override
    public @Nullable Instant read() {
        state.reads.check();
        state.ensure(cell);
        long held = cell.read();
        return held == Long.MAX_VALUE ? null : new Instant(held);
    }

    @Override
    public TimestampCombiner getTimestampCombiner() {
        return combiner;
    }

    @Override
    public ReadableState<Boolean> isEmpty() {
        return CellValue.readable(() -> read() == null);
    }

    @Override
    public WatermarkHoldState readLater() {
        state.readLater(cell);
        return this;
    }

    @Override
    public void clear() {
        state.reads.check();
        cell.clear();
    }
}
