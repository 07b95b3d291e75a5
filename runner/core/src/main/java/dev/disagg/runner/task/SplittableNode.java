// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.runner.graph.Head;
import dev.disagg.runner.graph.ParDoSpec;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.beam.runners.core.InMemoryBundleFinalizer;
import org.apache.beam.runners.core.KeyedWorkItem;
import org.apache.beam.runners.core.KeyedWorkItems;
import org.apache.beam.runners.core.OutputAndTimeBoundedSplittableProcessElementInvoker;
import org.apache.beam.runners.core.SplittableParDoViaKeyedWorkItems;
import org.apache.beam.runners.core.StateNamespace;
import org.apache.beam.runners.core.StateNamespaces;
import org.apache.beam.runners.core.TimerInternals.TimerData;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.TupleTag;
import org.apache.beam.sdk.values.WindowedValue;
import org.apache.beam.sdk.values.WindowedValues;
import org.apache.beam.sdk.values.WindowingStrategy;
import org.joda.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The processing of one (element, restriction) pair per key of a splittable DoFn: Beam's {@link
 * SplittableParDoViaKeyedWorkItems.ProcessFn}, which keeps the residual in state and resumes by a timer.
 */
final class SplittableNode extends KeyedNode {
    private static final int MAX_OUTPUTS = 10_000;
    private static final Duration MAX_TIME = Duration.standardSeconds(1);

    private final DoFnHost host;
    private final Services services;
    private final Restrictions restrictions;
    private final Coder<BoundedWindow> windowCoder;

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
        this.services = services;
        this.restrictions = new Restrictions(fn, process, services);
        this.windowCoder = windowCoder(head);
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

    /** Else Beam's ProcessFn would process a restriction once more and forget the rest; here it is truncated, then finished. */
    @Override
    boolean tellsOfDrain() {
        return false;
    }

    @Override
    @SuppressWarnings("unchecked")
    void element(WindowedValue<?> value) {
        KV<byte[], Object> keyed = (KV<byte[], Object>) value.getValue();
        for (WindowedValue<?> one : value.explodeWindows()) {
            BoundedWindow window = one.getWindows().iterator().next();
            Object pair = keyed.getValue();
            if (services.draining()) {
                pair = truncated((KV<Object, Object>) pair, one, window);
            }
            if (pair != null) {
                process(KeyedWorkItems.elementsWorkItem(
                        keyed.getKey(),
                        List.of(WindowedValues.of(pair, one.getTimestamp(), window, one.getPaneInfo()))));
                shareRest(keyed.getKey(), StateNamespaces.window(windowCoder, window));
            }
        }
    }

    private @Nullable Object truncated(KV<Object, Object> pair, WindowedValue<?> value, BoundedWindow window) {
        WindowedValue<Object> element =
                WindowedValues.of(pair.getKey(), value.getTimestamp(), window, value.getPaneInfo());
        Object[] left = new Object[1];
        host.withMetrics(() -> left[0] =
                restrictions.truncated(element, pair.getValue(), state, StateNamespaces.window(windowCoder, window)));
        return left[0] == null ? null : KV.of(pair.getKey(), left[0]);
    }

    @Override
    void timers(List<TimerData> due) {
        for (TimerData timer : due) {
            boolean[] goesOn = {true};
            if (services.draining()) {
                host.withMetrics(() -> goesOn[0] = restrictions.truncateWaiting(state, timer.getNamespace()));
            }
            if (goesOn[0]) {
                byte[] key = Objects.requireNonNull((byte[]) state.getKey(), "a timer fires under no key");
                process(KeyedWorkItems.timersWorkItem(key, List.of(timer)));
                shareRest(key, timer.getNamespace());
            }
        }
    }

    /** Lets a task that has nothing left do half of what is left of a restriction. */
    private void shareRest(byte[] key, StateNamespace namespace) {
        Sharing sharing = services.sharing();
        if (sharing == null || !sharing.isWanted()) {
            return;
        }
        Restrictions.Part[] half = new Restrictions.Part[1];
        host.withMetrics(() -> half[0] = restrictions.split(state, namespace));
        if (half[0] != null) {
            WindowedValue<Object> element = half[0].element();
            services.share(key, element.withValue(KV.of(element.getValue(), half[0].restriction())));
        }
    }

    private void process(KeyedWorkItem<byte[], Object> work) {
        host.process(host.runner(), WindowedValues.valueInGlobalWindow(work));
    }

    @Override
    public void teardown() {
        host.teardown();
    }
}
