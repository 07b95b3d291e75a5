// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.state;

import dev.disagg.state.cell.AccumulatorCell;
import dev.disagg.state.cell.Row;
import java.util.List;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.state.CombiningState;
import org.apache.beam.sdk.state.ReadableState;
import org.apache.beam.sdk.transforms.Combine.CombineFn;

/**
 * The accumulator of a combine in a cell. {@code add} reads nothing, but now and then, so that what was added without a read
 * is folded before it has become much.
 */
record CellCombining<I, A, O>(StepState state, AccumulatorCell<A> cell, CombineFn<I, A, O> combine)
        implements CombiningState<I, A, O> {

    static <I, A, O> CellCombining<I, A, O> of(
            StepState state, Row row, int cell, Coder<A> coder, CombineFn<I, A, O> combine) {
        return new CellCombining<>(
                state,
                row.accumulator(
                        cell,
                        state.codec(coder),
                        (a, b) -> combine.mergeAccumulators(List.of(a, b)),
                        combine::createAccumulator),
                combine);
    }

    @Override
    public void add(I value) {
        state.reads.check();
        foldNowAndThen();
        cell.addOwned(combine.addInput(combine.createAccumulator(), value));
    }

    private void foldNowAndThen() {
        if (!cell.resident() && state.isTurnToRead()) {
            state.ensure(cell);
        }
    }

    @Override
    public void addAccum(A accumulator) {
        state.reads.check();
        foldNowAndThen();
        cell.add(accumulator);
    }

    @Override
    public A mergeAccumulators(Iterable<A> accumulators) {
        return combine.mergeAccumulators(accumulators);
    }

    @Override
    public A getAccum() {
        state.reads.check();
        state.ensure(cell);
        return cell.read();
    }

    @Override
    public O read() {
        return combine.extractOutput(getAccum());
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
    public CombiningState<I, A, O> readLater() {
        state.readLater(cell);
        return this;
    }

    @Override
    public void clear() {
        state.reads.check();
        cell.clear();
    }
}
