// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import java.util.Map;
import org.apache.beam.runners.core.SideInputReader;
import org.apache.beam.runners.core.StateInternals;
import org.apache.beam.runners.core.StateNamespace;
import org.apache.beam.runners.core.StateTag;
import org.apache.beam.runners.core.StateTags;
import org.apache.beam.sdk.coders.BooleanCoder;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.state.WatermarkHoldState;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.reflect.DoFnInvoker;
import org.apache.beam.sdk.transforms.reflect.DoFnInvokers;
import org.apache.beam.sdk.transforms.reflect.DoFnSignatures;
import org.apache.beam.sdk.transforms.splittabledofn.RestrictionTracker;
import org.apache.beam.sdk.transforms.splittabledofn.RestrictionTracker.TruncateResult;
import org.apache.beam.sdk.transforms.splittabledofn.SplitResult;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.PaneInfo;
import org.apache.beam.sdk.transforms.windowing.TimestampCombiner;
import org.apache.beam.sdk.util.construction.SplittableParDo.ProcessKeyedElements;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionView;
import org.apache.beam.sdk.values.WindowedValue;
import org.apache.beam.sdk.values.WindowedValues;
import org.joda.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The restrictions of a splittable DoFn that wait to go on.
 *
 * <p>A drain truncates them: {@code @TruncateRestriction} says what is still to be done; without one, a bounded restriction
 * is finished and an unbounded one dropped. Each restriction is truncated once. And a bounded one can be split, so that
 * another task does half of it.
 *
 * <p>Knows the cells that Beam's {@code SplittableParDoViaKeyedWorkItems.ProcessFn} keeps. One owner.
 */
final class Restrictions {
    private static final StateTag<WatermarkHoldState> HOLD =
            StateTags.makeSystemTagInternal(StateTags.watermarkStateInternal("hold", TimestampCombiner.LATEST));
    private static final StateTag<ValueState<Boolean>> TRUNCATED =
            StateTags.makeSystemTagInternal(StateTags.value("truncated", BooleanCoder.of()));

    private final DoFnInvoker<Object, Object> invoker;
    private final boolean bounded;
    private final PipelineOptions options;
    private final SideInputReader sideInputs;
    private final Map<String, PCollectionView<?>> sideInputsByTag;
    private final StateTag<ValueState<WindowedValue<Object>>> elementTag;
    private final StateTag<ValueState<Object>> restrictionTag;
    private final StateTag<ValueState<Object>> estimatorTag;

    /** @param fn the instance that processes the restrictions, set up */
    @SuppressWarnings("unchecked")
    Restrictions(DoFn<?, ?> fn, ProcessKeyedElements<?, ?, ?, ?> process, Services services) {
        this.invoker = DoFnInvokers.invokerFor((DoFn<Object, Object>) fn);
        this.bounded =
                DoFnSignatures.getSignature(fn.getClass()).isBoundedPerElement() == PCollection.IsBounded.BOUNDED;
        this.options = services.options();
        this.sideInputs = services.sideInputs();
        this.sideInputsByTag = process.getSideInputMapping();
        this.elementTag = StateTags.value(
                "element",
                WindowedValues.getFullCoder(
                        (Coder<Object>) process.getElementCoder(),
                        process.getInputWindowingStrategy().getWindowFn().windowCoder()));
        this.restrictionTag = StateTags.value("restriction", (Coder<Object>) process.getRestrictionCoder());
        this.estimatorTag =
                StateTags.value("watermarkEstimatorState", (Coder<Object>) process.getWatermarkEstimatorStateCoder());
    }

    /** What is left of the restriction of an element that was not begun; null for nothing. */
    @Nullable
    Object truncated(
            WindowedValue<Object> element, Object restriction, StateInternals state, StateNamespace namespace) {
        Object left = invokeTruncate(element, restriction);
        if (left != null) {
            state.state(namespace, TRUNCATED).write(true);
        }
        return left;
    }

    /** Truncates a restriction that waits to go on; returns whether anything is left of it. */
    boolean truncateWaiting(StateInternals state, StateNamespace namespace) {
        ValueState<WindowedValue<Object>> element = state.state(namespace, elementTag);
        ValueState<Object> restriction = state.state(namespace, restrictionTag);
        ValueState<Boolean> truncated = state.state(namespace, TRUNCATED);
        WindowedValue<Object> value = element.read();
        if (value == null) {
            return false;
        }
        if (Boolean.TRUE.equals(truncated.read())) {
            return true;
        }
        Object left = invokeTruncate(value, restriction.read());
        if (left != null) {
            restriction.write(left);
            truncated.write(true);
            return true;
        }
        element.clear();
        restriction.clear();
        state.state(namespace, estimatorTag).clear();
        state.state(namespace, HOLD).clear();
        return false;
    }

    /** An element and a part of its restriction. */
    record Part(WindowedValue<Object> element, Object restriction) {}

    /** Splits off the second half of a bounded restriction that waits to go on; null when it can not be split. */
    @Nullable
    Part split(StateInternals state, StateNamespace namespace) {
        if (!bounded) {
            return null;
        }
        WindowedValue<Object> element = state.state(namespace, elementTag).read();
        ValueState<Object> restriction = state.state(namespace, restrictionTag);
        Object whole = element == null ? null : restriction.read();
        if (element == null || whole == null) {
            return null;
        }
        RestrictionTracker<Object, ?> tracker = invoker.invokeNewTracker(new Arguments(element, whole));
        if (tracker.isBounded() != RestrictionTracker.IsBounded.BOUNDED) {
            return null;
        }
        SplitResult<Object> halves = tracker.trySplit(0.5);
        if (halves == null || isEmpty(element, halves.getPrimary()) || isEmpty(element, halves.getResidual())) {
            return null;
        }
        restriction.write(halves.getPrimary());
        return new Part(element, halves.getResidual());
    }

    /** Whether nothing is to be done: a tracker may split off all or nothing, and a DoFn need not expect an empty part. */
    private boolean isEmpty(WindowedValue<Object> element, Object restriction) {
        return invoker.invokeNewTracker(new Arguments(element, restriction))
                        instanceof RestrictionTracker.HasProgress measured
                && measured.getProgress().getWorkRemaining() <= 0;
    }

    private @Nullable Object invokeTruncate(WindowedValue<Object> element, Object restriction) {
        TruncateResult<Object> result = invoker.invokeTruncateRestriction(new Arguments(element, restriction));
        return result == null ? null : result.getTruncatedRestriction();
    }

    private final class Arguments extends DoFnInvoker.BaseArgumentProvider<Object, Object> {
        private final WindowedValue<Object> element;
        private final Object restriction;

        Arguments(WindowedValue<Object> element, Object restriction) {
            this.element = element;
            this.restriction = restriction;
        }

        @Override
        public Object element(DoFn<Object, Object> fn) {
            return element.getValue();
        }

        @Override
        public Object restriction() {
            return restriction;
        }

        @Override
        public RestrictionTracker<?, ?> restrictionTracker() {
            return invoker.invokeNewTracker(this);
        }

        @Override
        public Instant timestamp(DoFn<Object, Object> fn) {
            return element.getTimestamp();
        }

        @Override
        public BoundedWindow window() {
            return element.getWindows().iterator().next();
        }

        @Override
        public PaneInfo paneInfo(DoFn<Object, Object> fn) {
            return element.getPaneInfo();
        }

        @Override
        public PipelineOptions pipelineOptions() {
            return options;
        }

        @Override
        public @Nullable Object sideInput(String tag) {
            PCollectionView<?> view = sideInputsByTag.get(tag);
            if (view == null) {
                throw new IllegalArgumentException("there is no side input " + tag);
            }
            return sideInputs.get(view, view.getWindowMappingFn().getSideInputWindow(window()));
        }

        @Override
        public String getErrorContext() {
            return "@TruncateRestriction";
        }
    }
}
