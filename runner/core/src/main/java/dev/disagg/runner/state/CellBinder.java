// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.state;

import dev.disagg.state.cell.Row;
import org.apache.beam.runners.core.StateTag;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.state.BagState;
import org.apache.beam.sdk.state.CombiningState;
import org.apache.beam.sdk.state.MapState;
import org.apache.beam.sdk.state.MultimapState;
import org.apache.beam.sdk.state.OrderedListState;
import org.apache.beam.sdk.state.SetState;
import org.apache.beam.sdk.state.StateContext;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.state.WatermarkHoldState;
import org.apache.beam.sdk.transforms.Combine.CombineFn;
import org.apache.beam.sdk.transforms.CombineWithContext.CombineFnWithContext;
import org.apache.beam.sdk.transforms.windowing.TimestampCombiner;
import org.apache.beam.sdk.util.CombineFnUtil;

/** Makes the state object for one cell of one row. */
@SuppressWarnings("deprecation")
final class CellBinder implements StateTag.StateBinder {
    private final StepState state;
    private final Row row;
    private final int cell;
    private final StateContext<?> context;

    CellBinder(StepState state, Row row, int cell, StateContext<?> context) {
        this.state = state;
        this.row = row;
        this.cell = cell;
        this.context = context;
    }

    @Override
    public <T> ValueState<T> bindValue(StateTag<ValueState<T>> spec, Coder<T> coder) {
        return new CellValue<>(state, row.value(cell, state.codec(coder)));
    }

    @Override
    public <T> BagState<T> bindBag(StateTag<BagState<T>> spec, Coder<T> coder) {
        return new CellBag<>(state, row, row.bag(cell, state.codec(coder)), state.pagesOf(cell));
    }

    @Override
    public <T> SetState<T> bindSet(StateTag<SetState<T>> spec, Coder<T> coder) {
        return new CellSet<>(new Collected(state, row.collection(cell)), state.codec(coder));
    }

    @Override
    public <K, V> MapState<K, V> bindMap(StateTag<MapState<K, V>> spec, Coder<K> keys, Coder<V> values) {
        return new CellMap<>(new Collected(state, row.collection(cell)), state.codec(keys), state.codec(values));
    }

    @Override
    public <K, V> MultimapState<K, V> bindMultimap(StateTag<MultimapState<K, V>> spec, Coder<K> keys, Coder<V> values) {
        return new CellMultimap<>(new Collected(state, row.collection(cell)), state.codec(keys), state.codec(values));
    }

    @Override
    public <T> OrderedListState<T> bindOrderedList(StateTag<OrderedListState<T>> spec, Coder<T> coder) {
        return new CellOrderedList<>(new Collected(state, row.collection(cell)), state.codec(coder));
    }

    @Override
    public <I, A, O> CombiningState<I, A, O> bindCombiningValue(
            StateTag<CombiningState<I, A, O>> spec, Coder<A> coder, CombineFn<I, A, O> combine) {
        return CellCombining.of(state, row, cell, coder, combine);
    }

    @Override
    public <I, A, O> CombiningState<I, A, O> bindCombiningValueWithContext(
            StateTag<CombiningState<I, A, O>> spec, Coder<A> coder, CombineFnWithContext<I, A, O> combine) {
        return CellCombining.of(state, row, cell, coder, CombineFnUtil.bindContext(combine, context));
    }

    @Override
    public WatermarkHoldState bindWatermark(StateTag<WatermarkHoldState> spec, TimestampCombiner combiner) {
        return new CellHold(state, row.hold(cell), combiner);
    }
}
