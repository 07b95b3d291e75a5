// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.runner.graph.ParDoSpec;
import java.util.HashMap;
import java.util.Map;
import org.apache.beam.runners.core.DoFnRunner;
import org.apache.beam.runners.core.DoFnRunners;
import org.apache.beam.runners.core.InMemoryBundleFinalizer;
import org.apache.beam.runners.core.StateInternals;
import org.apache.beam.runners.core.StepContext;
import org.apache.beam.runners.core.TimerInternals;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.metrics.MetricsContainer;
import org.apache.beam.sdk.metrics.MetricsEnvironment;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.reflect.DoFnInvokers;
import org.apache.beam.sdk.transforms.reflect.DoFnSignature;
import org.apache.beam.sdk.transforms.reflect.DoFnSignatures;
import org.apache.beam.sdk.util.WindowedValueMultiReceiver;
import org.apache.beam.sdk.values.TupleTag;
import org.apache.beam.sdk.values.WindowedValue;
import org.apache.beam.sdk.values.WindowingStrategy;
import org.jspecify.annotations.Nullable;

/**
 * One instance of a user's DoFn and the runner around it: set up when made, torn down once. Shared by straight and
 * stateful steps. One owner.
 */
final class DoFnHost {
    private final DoFn<Object, Object> fn;
    private final DoFnRunner<Object, Object> runner;
    private final Services services;
    private final String name;
    private final MetricsContainer metrics;
    private final boolean hasStartBundle;
    private final boolean hasFinishBundle;

    /**
     * @param fn a fresh instance
     * @param state null for a step without state
     */
    @SuppressWarnings("unchecked")
    DoFnHost(
            ParDoSpec spec,
            DoFn<?, ?> fn,
            Coder<?> inputCoder,
            WindowingStrategy<?, ?> windowing,
            Services services,
            InMemoryBundleFinalizer finalizer,
            Map<TupleTag<?>, Receiver> receivers,
            @Nullable StateInternals state,
            @Nullable TimerInternals timers) {
        this.fn = (DoFn<Object, Object>) fn;
        this.services = services;
        this.name = spec.name();
        this.metrics = services.metrics(name);
        DoFnSignature signature = DoFnSignatures.getSignature(fn.getClass());
        this.hasStartBundle = signature.startBundle() != null;
        this.hasFinishBundle = signature.finishBundle() != null;
        withMetrics(() -> DoFnInvokers.tryInvokeSetupFor(this.fn, services.options()));
        this.runner = DoFnRunners.simpleRunner(
                services.options(),
                this.fn,
                services.sideInputs(),
                new TaggedOutputs(spec.mainOutput(), receivers, services),
                (TupleTag<Object>) spec.mainOutput(),
                spec.additionalOutputs(),
                new Context(state, timers, finalizer),
                (Coder<Object>) inputCoder,
                spec.outputCoders(),
                windowing,
                spec.schemaInformation(),
                spec.sideInputs());
    }

    DoFn<Object, Object> fn() {
        return fn;
    }

    DoFnRunner<Object, Object> runner() {
        return runner;
    }

    boolean hasFinishBundle() {
        return hasFinishBundle;
    }

    boolean knowsOfBundles() {
        return hasStartBundle || hasFinishBundle;
    }

    /** Runs {@code call} with the step's metrics; restores what was before, since steps call each other. */
    void withMetrics(Runnable call) {
        MetricsContainer before = MetricsEnvironment.setCurrentContainer(metrics);
        try {
            call.run();
        } catch (RuntimeException | Error e) {
            services.failing(name);
            throw e;
        } finally {
            MetricsEnvironment.setCurrentContainer(before);
        }
    }

    /** As {@link #withMetrics}, without a closure. */
    void process(DoFnRunner<Object, Object> through, WindowedValue<?> value) {
        MetricsContainer before = MetricsEnvironment.setCurrentContainer(metrics);
        try {
            through.processElement(unchecked(value));
        } catch (RuntimeException | Error e) {
            services.failing(name);
            throw e;
        } finally {
            MetricsEnvironment.setCurrentContainer(before);
        }
    }

    @SuppressWarnings("unchecked")
    static WindowedValue<Object> unchecked(WindowedValue<?> value) {
        return (WindowedValue<Object>) value;
    }

    void teardown() {
        withMetrics(() -> DoFnInvokers.invokerFor(fn).invokeTeardown());
    }

    private record Context(
            @Nullable StateInternals state, @Nullable TimerInternals timers, InMemoryBundleFinalizer finalizer)
            implements StepContext {
        @Override
        public StateInternals stateInternals() {
            if (state == null) {
                throw new UnsupportedOperationException("this step has no state");
            }
            return state;
        }

        @Override
        public TimerInternals timerInternals() {
            if (timers == null) {
                throw new UnsupportedOperationException("this step has no timers");
            }
            return timers;
        }

        @Override
        public DoFn.BundleFinalizer bundleFinalizer() {
            return finalizer;
        }
    }

    /** Outputs by tag; the main output, nearly all of them, without a look-up. */
    static final class TaggedOutputs implements WindowedValueMultiReceiver {
        private final TupleTag<?> mainTag;
        private final Receiver main;
        private final Map<TupleTag<?>, Receiver> others;
        private final Services services;

        TaggedOutputs(TupleTag<?> mainTag, Map<TupleTag<?>, Receiver> receivers, Services services) {
            this.mainTag = mainTag;
            this.main = receivers.getOrDefault(mainTag, Receiver.NOWHERE);
            this.others = new HashMap<>(receivers);
            this.services = services;
        }

        @Override
        public <T> void output(TupleTag<T> tag, WindowedValue<T> value) {
            services.reads().check();
            if (tag == mainTag || tag.equals(mainTag)) {
                main.accept(value);
            } else {
                others.getOrDefault(tag, Receiver.NOWHERE).accept(value);
            }
        }
    }
}
