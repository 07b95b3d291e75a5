// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.runner.graph.Head;
import java.util.ArrayList;
import java.util.List;
import org.apache.beam.model.pipeline.v1.RunnerApi;
import org.apache.beam.runners.core.LateDataDroppingDoFnRunner;
import org.apache.beam.runners.core.LateDataUtils;
import org.apache.beam.runners.core.ReduceFnRunner;
import org.apache.beam.runners.core.SystemReduceFn;
import org.apache.beam.runners.core.TimerInternals.TimerData;
import org.apache.beam.runners.core.triggers.ExecutableTriggerStateMachine;
import org.apache.beam.runners.core.triggers.TriggerStateMachines;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.metrics.Counter;
import org.apache.beam.sdk.metrics.Metrics;
import org.apache.beam.sdk.metrics.MetricsContainer;
import org.apache.beam.sdk.metrics.MetricsEnvironment;
import org.apache.beam.sdk.transforms.Combine.CombineFn;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.util.AppliedCombineFn;
import org.apache.beam.sdk.util.construction.TriggerTranslation;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.WindowedValue;
import org.apache.beam.sdk.values.WindowedValues;
import org.apache.beam.sdk.values.WindowingStrategy;

/** GroupByKey and Combine per key: windows, triggers and panes are Beam's {@link ReduceFnRunner}. */
final class GroupNode extends KeyedNode {
    private final WindowingStrategy<Object, BoundedWindow> windowing;
    private final SystemReduceFn<Object, Object, Object, Object, BoundedWindow> reduce;
    private final ExecutableTriggerStateMachine trigger;
    private final Receiver output;
    private final Services services;
    private final MetricsContainer metrics;
    private final Counter droppedDueToLateness =
            Metrics.counter(LateDataDroppingDoFnRunner.class, LateDataDroppingDoFnRunner.DROPPED_DUE_TO_LATENESS);

    @SuppressWarnings("unchecked")
    private GroupNode(
            Head.Keyed head,
            SystemReduceFn<Object, Object, Object, Object, BoundedWindow> reduce,
            Services services,
            Receiver output) {
        super(head.name(), head.keyCoder(), windowing(head), services);
        this.windowing = (WindowingStrategy<Object, BoundedWindow>) windowing(head);
        this.reduce = reduce;
        this.services = services;
        this.output = output;
        this.metrics = services.metrics(head.name());
        RunnerApi.Trigger proto = TriggerTranslation.toProto(windowing.getTrigger());
        this.trigger = ExecutableTriggerStateMachine.create(TriggerStateMachines.stateMachineForTrigger(proto));
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    static GroupNode of(Head.Keyed head, Services services, Receiver output) {
        if (head instanceof Head.Group group) {
            SystemReduceFn reduce =
                    SystemReduceFn.buffering((Coder) group.inputCoder().getValueCoder());
            return new GroupNode(head, reduce, services, output);
        }
        Head.Combine combine = (Head.Combine) head;
        AppliedCombineFn applied = combine.combine();
        if (combine.lifted()) {
            applied = AppliedCombineFn.withAccumulatorCoder(
                    new MergeAccumulators<>((CombineFn<Object, Object, Object>)
                            combine.combine().getFn()),
                    (Coder<Object>) combine.combine().getAccumulatorCoder(),
                    List.of(),
                    (KvCoder) KvCoder.of(combine.keyCoder(), combine.combine().getAccumulatorCoder()),
                    combine.windowing());
        }
        return new GroupNode(head, SystemReduceFn.combining((Coder) combine.keyCoder(), applied), services, output);
    }

    @Override
    void element(WindowedValue<?> value) {
        List<WindowedValue<Object>> onTime = new ArrayList<>(1);
        Object payload = ((KV<?, ?>) value.getValue()).getValue();
        for (BoundedWindow window : value.getWindows()) {
            if (LateDataUtils.garbageCollectionTime(window, windowing).isBefore(timers.currentInputWatermarkTime())) {
                countDropped();
            } else {
                onTime.add(WindowedValues.of(payload, value.getTimestamp(), window, value.getPaneInfo()));
            }
        }
        if (!onTime.isEmpty()) {
            reduce(onTime, List.of());
        }
    }

    @Override
    boolean firesTogether() {
        return true;
    }

    @Override
    void timers(List<TimerData> due) {
        reduce(List.of(), due);
    }

    private void countDropped() {
        MetricsContainer before = MetricsEnvironment.setCurrentContainer(metrics);
        droppedDueToLateness.inc();
        MetricsEnvironment.setCurrentContainer(before);
    }

    private void reduce(List<WindowedValue<Object>> elements, List<TimerData> due) {
        MetricsContainer before = MetricsEnvironment.setCurrentContainer(metrics);
        timers.stopTime();
        try {
            ReduceFnRunner<Object, Object, Object, BoundedWindow> runner = new ReduceFnRunner<>(
                    state.getKey(),
                    windowing,
                    trigger,
                    state,
                    timers,
                    value -> {
                        services.reads().check();
                        output.accept(value);
                    },
                    services.sideInputs(),
                    reduce,
                    services.options());
            if (!elements.isEmpty()) {
                runner.processElements(elements);
            }
            if (!due.isEmpty()) {
                runner.onTimers(due);
            }
            runner.persist();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw org.apache.beam.sdk.util.UserCodeException.wrap(e);
        } finally {
            timers.letTimePass();
            MetricsEnvironment.setCurrentContainer(before);
        }
    }

    /** A combine whose inputs are accumulators of another. */
    private static final class MergeAccumulators<A, O> extends CombineFn<A, A, O> {
        private static final long serialVersionUID = 1L;
        private final CombineFn<?, A, O> combine;

        MergeAccumulators(CombineFn<?, A, O> combine) {
            this.combine = combine;
        }

        @Override
        public A createAccumulator() {
            return combine.createAccumulator();
        }

        @Override
        public A addInput(A accumulator, A input) {
            return combine.mergeAccumulators(List.of(accumulator, input));
        }

        @Override
        public A mergeAccumulators(Iterable<A> accumulators) {
            return combine.mergeAccumulators(accumulators);
        }

        @Override
        public A compact(A accumulator) {
            return combine.compact(accumulator);
        }

        @Override
        public O extractOutput(A accumulator) {
            return combine.extractOutput(accumulator);
        }
    }
}
