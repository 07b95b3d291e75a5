// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

import java.util.List;
import org.apache.beam.sdk.state.BagState;
import org.apache.beam.sdk.state.CombiningState;
import org.apache.beam.sdk.state.MapState;
import org.apache.beam.sdk.state.MultimapState;
import org.apache.beam.sdk.state.OrderedListState;
import org.apache.beam.sdk.state.SetState;
import org.apache.beam.sdk.state.ValueState;
import org.jspecify.annotations.Nullable;

/** The states that a script works on; null for those that its DoFn does not have. */
record States(
        @Nullable ValueState<Long> value,
        @Nullable ValueState<List<Long>> list,
        @Nullable BagState<Long> bag,
        @Nullable CombiningState<Long, long[], Long> sum,
        @Nullable MapState<Integer, Long> map,
        @Nullable SetState<Integer> set,
        @Nullable MultimapState<Integer, Long> multimap,
        @Nullable OrderedListState<Long> ordered) {

    static States scalars(
            ValueState<Long> value,
            ValueState<List<Long>> list,
            BagState<Long> bag,
            CombiningState<Long, long[], Long> sum) {
        return new States(value, list, bag, sum, null, null, null, null);
    }

    static States collections(
            ValueState<Long> value,
            MapState<Integer, Long> map,
            SetState<Integer> set,
            MultimapState<Integer, Long> multimap,
            OrderedListState<Long> ordered) {
        return new States(value, null, null, null, map, set, multimap, ordered);
    }
}
