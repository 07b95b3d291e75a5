// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.graph;

import java.util.Collection;
import java.util.List;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.io.BoundedSource;
import org.apache.beam.sdk.io.UnboundedSource;
import org.apache.beam.sdk.testing.TestStream;
import org.apache.beam.sdk.util.AppliedCombineFn;
import org.apache.beam.sdk.util.construction.SplittableParDo;
import org.apache.beam.sdk.values.WindowingStrategy;

/** How elements come into a stage. */
public sealed interface Head {
    /** Full name of the transform; empty where no transform stands behind it. */
    String name();

    /** Collections that it produces. */
    Collection<Integer> outputs();

    /** A stage that begins with reading. */
    sealed interface Source extends Head {
        int output();

        @Override
        default Collection<Integer> outputs() {
            return List.of(output());
        }
    }

    /** One empty element, once in the life of a job. */
    record Impulse(String name, int output) implements Source {}

    /** Nothing: a Flatten of no collections. */
    record Empty(String name, int output) implements Source {}

    /** A bounded source. */
    record Bounded(String name, BoundedSource<?> source, int output) implements Source {}

    /** An unbounded source. */
    record Unbounded(String name, UnboundedSource<?, ?> source, int output) implements Source {}

    /** Scripted input of a test. */
    record Scripted(String name, TestStream<?> events, int output) implements Source {}

    /** Elements of an exchange, as they are. */
    record Pass(String name, int output) implements Head {
        @Override
        public Collection<Integer> outputs() {
            return List.of(output);
        }
    }

    /** The one keyed step of a stage. */
    sealed interface Keyed extends Head {
        Coder<?> keyCoder();
    }

    /** GroupByKey. */
    record Group(String name, KvCoder<?, ?> inputCoder, WindowingStrategy<?, ?> windowing, int output)
            implements Keyed {
        @Override
        public Coder<?> keyCoder() {
            return inputCoder.getKeyCoder();
        }

        @Override
        public Collection<Integer> outputs() {
            return List.of(output);
        }
    }

    /**
     * Combine per key.
     *
     * @param lifted whether elements arrive as accumulators
     */
    record Combine(
            String name,
            KvCoder<?, ?> inputCoder,
            AppliedCombineFn<?, ?, ?, ?> combine,
            boolean lifted,
            WindowingStrategy<?, ?> windowing,
            int output)
            implements Keyed {
        @Override
        public Coder<?> keyCoder() {
            return inputCoder.getKeyCoder();
        }

        @Override
        public Collection<Integer> outputs() {
            return List.of(output);
        }
    }

    /** A ParDo with state or timers. */
    record Stateful(ParDoSpec parDo) implements Keyed {
        @Override
        public String name() {
            return parDo.name();
        }

        @Override
        public Coder<?> keyCoder() {
            return ((KvCoder<?, ?>) parDo.inputCoder()).getKeyCoder();
        }

        @Override
        public Collection<Integer> outputs() {
            return parDo.outputs().values();
        }
    }

    /** The processing of (element, restriction) pairs of a splittable DoFn, keyed by a unique id. */
    record Splittable(ParDoSpec parDo, SplittableParDo.ProcessKeyedElements<?, ?, ?, ?> transform, Coder<?> keyCoder)
            implements Keyed {
        @Override
        public String name() {
            return parDo.name();
        }

        @Override
        public Collection<Integer> outputs() {
            return parDo.outputs().values();
        }
    }
}
