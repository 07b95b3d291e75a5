// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.state;

import dev.disagg.state.cell.ValueCell;
import org.apache.beam.sdk.state.ReadableState;
import org.apache.beam.sdk.state.ValueState;
import org.jspecify.annotations.Nullable;

/** A value in a cell. */
record CellValue<T>(StepState state, ValueCell<T> cell) implements ValueState<T> {
    @Override
    public void write(T input) {
        state.reads.check();
        if (input == null) {
            cell.clear();
        } else {
            cell.write(input);
        }
    }

    @Override
    public @Nullable T read() {
        state.reads.check();
        state.ensure(cell);
        return cell.read();
    }

    @Override
    public ValueState<T> readLater() {
        state.readLater(cell);
        return this;
    }

    @Override
    public void clear() {
        state.reads.check();
        cell.clear();
    }

    /** A read that is started and not awaited. */
    static <T> ReadableState<T> readable(java.util.function.Supplier<T> read) {
        return new ReadableState<>() {
            @Override
            public T read() {
                return read.get();
            }

            @Override
            public ReadableState<T> readLater() {
                return this;
            }
        };
    }
}
