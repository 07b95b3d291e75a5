// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.runner.graph.Head;
import dev.disagg.runner.graph.ParDoSpec;
import java.util.List;
import java.util.Map;
import org.apache.beam.runners.core.InMemoryBundleFinalizer;
import org.apache.beam.runners.core.KeyedWorkItem;
import org.apache.beam.runners.core.KeyedWorkItems;
import org.apache.beam.runners.core.OutputAndTimeBoundedSplittableProcessElementInvoker;
import org.apache.beam.runners.core.SplittableParDoViaKeyedWorkItems;
import org.apache.beam.runners.core.TimerInternals.TimerData;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.TupleTag;
import org.apache.beam.sdk.values.WindowedValue;
import org.apache.beam.sdk.values.WindowedValues;
import org.apache.beam.sdk.values.WindowingStrategy;
import org.joda.time.Duration;

/**
 * The processing of one (element, restriction) pair per key of a splittable DoFn: Beam's {@link
 * SplittableParDoViaKeyedWorkItems.ProcessFn}, which keeps the residual in state and resumes by a timer.
 */
final class SplittableNode extends KeyedNode {
    private static final int MAX_OUTPUTS = 10_000;
    private static final Duration MAX_TIME = Duration.standardSeconds(1);

    private final DoFnHost host;

    @SuppressWarnings({"unchecked", "rawtypes"})
    SplittableNode(
            Head.Splittable head,
            Services services,
            InMemoryBundleFinalizer finalizer,
            Map<TupleTag<?>, Receiver> receivers) {
        super(head.name(), head.keyCoder(), head.parDo().windowing(), services);
        ParDoSpec spec = head.parDo();
        var process = head.transform();
        var fn = spec.newFn();
        SplittableParDoViaKeyedWorkItems.ProcessFn processFn = new SplittableParDoViaKeyedWorkItems.ProcessFn(
                fn,
                (Coder) process.getElementCoder(),
                (Coder) process.getRestrictionCoder(),
                (Coder) process.getWatermarkEstimatorStateCoder(),
                (WindowingStrategy) process.getInputWindowingStrategy(),
                process.getSideInputMapping());
        processFn.setStateInternalsFactory(key -> state);
        processFn.setTimerInternalsFactory(key -> timers);
        processFn.setSideInputReader(services.sideInputs());
        processFn.setProcessElementInvoker(new OutputAndTimeBoundedSplittableProcessElementInvoker(
                fn,
                services.options(),
                new DoFnHost.TaggedOutputs(spec.mainOutput(), receivers, services),
                spec.mainOutput(),
                services.sideInputs(),
                services.delayed(),
                MAX_OUTPUTS,
                MAX_TIME,
                () -> finalizer));
        host = new DoFnHost(
                spec,
                processFn,
                spec.inputCoder(),
                WindowingStrategy.globalDefault(),
                services,
                finalizer,
                receivers,
                state,
                timers);
    }

    @Override
    public boolean outputsAtBundleEnd() {
        return true;
    }

    @Override
    public void startBundle() {
        host.withMetrics(host.runner()::startBundle);
    }

    @Override
    public void finishBundle() {
        host.withMetrics(host.runner()::finishBundle);
    }

    @Override
    @SuppressWarnings("unchecked")
    void element(WindowedValue<?> value) {
        KV<byte[], Object> keyed = (KV<byte[], Object>) value.getValue();
        for (WindowedValue<?> one : value.explodeWindows()) {
            process(KeyedWorkItems.elementsWorkItem(
                    keyed.getKey(),
                    java.util.List.of(WindowedValues.of(
                            keyed.getValue(),
                            one.getTimestamp(),
                            one.getWindows().iterator().next(),
                            one.getPaneInfo()))));
        }
    }

    @Override
    void timers(List<TimerData> due) {
        due.forEach(timer -> process(KeyedWorkItems.timersWorkItem((byte[]) state.getKey(), List.of(timer))));
    }

    private void process(KeyedWorkItem<byte[], Object> work) {
        host.process(host.runner(), WindowedValues.valueInGlobalWindow(work));
    }

    @Override
    public void teardown() {
        host.teardown();
    }
}
