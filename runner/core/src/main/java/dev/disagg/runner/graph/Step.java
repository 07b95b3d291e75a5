// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.graph;

import java.util.Collection;
import java.util.List;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.transforms.windowing.WindowFn;
import org.apache.beam.sdk.util.AppliedCombineFn;
import org.apache.beam.sdk.values.WindowingStrategy;

/** One transform inside a stage. */
public sealed interface Step {
    String name();

    /** The collection that it consumes, produced in the same stage. */
    int input();

    Collection<Integer> outputs();

    /** A ParDo without state. */
    record Do(int input, ParDoSpec parDo) implements Step {
        @Override
        public String name() {
            return parDo.name();
        }

        @Override
        public Collection<Integer> outputs() {
            return parDo.outputs().values();
        }
    }

    /** Window.into. */
    record AssignWindows(String name, int input, WindowFn<?, ?> windowFn, int output) implements Step {
        @Override
        public Collection<Integer> outputs() {
            return List.of(output);
        }
    }

    /** The local half of a Combine per key: folds values into accumulators per key and window, bounded, until flushed. */
    record Lift(
            String name,
            int input,
            KvCoder<?, ?> inputCoder,
            AppliedCombineFn<?, ?, ?, ?> combine,
            WindowingStrategy<?, ?> windowing,
            int output)
            implements Step {
        public Coder<?> keyCoder() {
            return inputCoder.getKeyCoder();
        }

        @Override
        public Collection<Integer> outputs() {
            return List.of(output);
        }
    }
}
