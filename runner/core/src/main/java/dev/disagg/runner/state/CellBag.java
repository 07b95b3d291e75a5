// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.state;

import dev.disagg.state.cell.BagCell;
import java.util.List;
import org.apache.beam.sdk.state.BagState;
import org.apache.beam.sdk.state.ReadableState;

/** A bag in a cell; {@code add} reads nothing. */
record CellBag<T>(StepState state, BagCell<T> cell) implements BagState<T> {
    @Override
    public void add(T value) {
        state.reads.check();
        cell.add(value);
    }

    @Override
    public List<T> read() {
        state.reads.check();
        state.ensure(cell);
        return cell.read();
    }

    @Override
    public BagState<T> readLater() {
        if (!cell.resident()) {
            cell.fetch();
        }
        return this;
    }

    @Override
    public ReadableState<Boolean> isEmpty() {
        return CellValue.readable(() -> {
            state.reads.check();
            state.ensure(cell);
            return cell.isEmpty();
        });
    }

    @Override
    public void clear() {
        state.reads.check();
        cell.clear();
    }
}
