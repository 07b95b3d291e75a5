// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

import java.util.ArrayList;
import java.util.List;
import org.apache.beam.runners.core.InMemoryStateInternals;
import org.apache.beam.runners.core.StateNamespaces;
import org.apache.beam.runners.core.StateTag;
import org.apache.beam.runners.core.StateTags;
import org.apache.beam.sdk.coders.CoderRegistry;
import org.apache.beam.sdk.coders.ListCoder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.state.CombiningState;
import org.apache.beam.sdk.state.State;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.Combine;
import org.apache.beam.sdk.transforms.Sum;
import org.jspecify.annotations.Nullable;

/** The states of a key and window in the model: Beam's own, in memory. */
final class ModelStates {
    private static final StateTag<CombiningState<Long, long[], Long>> SUM = sum();

    private final InMemoryStateInternals<String> states;
    private final Variant variant;

    ModelStates(String key, Variant variant) {
        this.states = InMemoryStateInternals.forKey(key);
        this.variant = variant;
    }

    private static StateTag<CombiningState<Long, long[], Long>> sum() {
        Combine.BinaryCombineLongFn sum = Sum.ofLongs();
        return StateTags.combiningValue(
                JobFns.SUM, sum.getAccumulatorCoder(CoderRegistry.createDefault(), VarLongCoder.of()), sum);
    }

    private <T extends State> T state(StateTag<T> tag) {
        return states.state(StateNamespaces.global(), tag);
    }

    States states() {
        boolean scalars = variant.scalars;
        boolean collections = variant.collections;
        return new States(
                state(StateTags.value(JobFns.VALUE, VarLongCoder.of())),
                scalars ? new Copied(state(StateTags.value(JobFns.LIST, ListCoder.of(VarLongCoder.of())))) : null,
                scalars ? state(StateTags.bag(JobFns.BAG, VarLongCoder.of())) : null,
                scalars ? state(SUM) : null,
                collections ? state(StateTags.map(JobFns.MAP, VarIntCoder.of(), VarLongCoder.of())) : null,
                collections ? state(StateTags.set(JobFns.SET, VarIntCoder.of())) : null,
                collections ? state(StateTags.multimap(JobFns.MULTIMAP, VarIntCoder.of(), VarLongCoder.of())) : null,
                collections ? state(StateTags.orderedList(JobFns.ORDERED, VarLongCoder.of())) : null);
    }

    /** A value that nobody shares. */
    private record Copied(ValueState<List<Long>> of) implements ValueState<List<Long>> {
        @Override
        public void write(List<Long> input) {
            of.write(new ArrayList<>(input));
        }

        @Override
        public @Nullable List<Long> read() {
            List<Long> read = of.read();
            return read == null ? null : new ArrayList<>(read);
        }

        @Override
        public ValueState<List<Long>> readLater() {
            return this;
        }

        @Override
        public void clear() {
            of.clear();
        }
    }
}
