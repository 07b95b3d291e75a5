// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.runner.graph.Head;
import dev.disagg.runner.graph.ParDoSpec;
import java.util.List;
import java.util.Map;
import org.apache.beam.runners.core.DoFnRunner;
import org.apache.beam.runners.core.InMemoryBundleFinalizer;
import org.apache.beam.runners.core.LateDataUtils;
import org.apache.beam.runners.core.StateNamespace;
import org.apache.beam.runners.core.StateNamespaces;
import org.apache.beam.runners.core.StatefulDoFnRunner;
import org.apache.beam.runners.core.StepContext;
import org.apache.beam.runners.core.TimerInternals.TimerData;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.state.TimeDomain;
import org.apache.beam.sdk.transforms.reflect.DoFnSignature;
import org.apache.beam.sdk.transforms.reflect.DoFnSignatures;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.GlobalWindow;
import org.apache.beam.sdk.transforms.windowing.GlobalWindows;
import org.apache.beam.sdk.values.TupleTag;
import org.apache.beam.sdk.values.WindowedValue;
import org.apache.beam.sdk.values.WindowingStrategy;
import org.joda.time.Instant;

/** A ParDo with state or timers; late elements and window expiry are Beam's {@link StatefulDoFnRunner}. */
final class StatefulNode extends KeyedNode {
    private final DoFnHost host;
    private final DoFnRunner<Object, Object> runner;

    @SuppressWarnings("unchecked")
    StatefulNode(
            Head.Stateful head,
            Services services,
            InMemoryBundleFinalizer finalizer,
            Map<TupleTag<?>, Receiver> receivers) {
        super(head.name(), head.keyCoder(), head.parDo().windowing(), services);
        ParDoSpec spec = head.parDo();
        this.host = new DoFnHost(
                spec, spec.newFn(), spec.inputCoder(), spec.windowing(), services, finalizer, receivers, state, timers);
        Coder<BoundedWindow> windowCoder = windowCoder(head);
        StepContext context = new StepContext() {
            @Override
            public org.apache.beam.runners.core.StateInternals stateInternals() {
                return state;
            }

            @Override
            public org.apache.beam.runners.core.TimerInternals timerInternals() {
                return timers;
            }
        };
        Coder<Object> inputCoder = (Coder<Object>) spec.inputCoder();
        Expiry expiry = new Expiry(spec, windowCoder);
        StatefulDoFnRunner<Object, Object, BoundedWindow> asTheyCome = new StatefulDoFnRunner<>(
                host.runner(),
                inputCoder,
                context,
                spec.windowing(),
                expiry,
                new StatefulDoFnRunner.StateInternalsStateCleaner<>(host.fn(), state, windowCoder),
                false);
        this.runner = DoFnSignatures.getSignature(host.fn().getClass())
                        .processElement()
                        .requiresTimeSortedInput()
                ? new TimeSortedRunner(
                        host.runner(), asTheyCome, expiry, state, timers, spec.windowing(), inputCoder, windowCoder)
                : asTheyCome;
    }

    static boolean usesTimers(Head.Stateful head) {
        DoFnSignature signature = DoFnSignatures.getSignature(head.parDo().fn().getClass());
        return signature.usesTimers()
                || signature.onWindowExpiration() != null
                || signature.processElement().requiresTimeSortedInput()
                || !(head.parDo().windowing().getWindowFn() instanceof GlobalWindows);
    }

    @Override
    public boolean outputsAtBundleEnd() {
        return host.hasFinishBundle();
    }

    @Override
    boolean knowsOfBundles() {
        return host.knowsOfBundles();
    }

    @Override
    public void startBundle() {
        host.withMetrics(runner::startBundle);
    }

    @Override
    public void finishBundle() {
        host.withMetrics(runner::finishBundle);
    }

    @Override
    void element(WindowedValue<?> value) {
        host.process(runner, value);
    }

    @Override
    void timers(List<TimerData> due) {
        due.forEach(this::timer);
    }

    private void timer(TimerData timer) {
        BoundedWindow window = windowOf(timer.getNamespace());
        host.withMetrics(() -> runner.onTimer(
                timer.getTimerId(),
                timer.getTimerFamilyId(),
                state.getKey(),
                window,
                timer.getTimestamp(),
                timer.getOutputTimestamp(),
                timer.getDomain(),
                timer.causedByDrain()));
    }

    private static BoundedWindow windowOf(StateNamespace namespace) {
        if (namespace instanceof StateNamespaces.WindowNamespace<?> inWindow) {
            return inWindow.getWindow();
        }
        return namespace instanceof StateNamespaces.WindowAndTriggerNamespace<?> expiring
                ? expiring.getWindow()
                : GlobalWindow.INSTANCE;
    }

    @Override
    public void teardown() {
        host.teardown();
    }

    /**
     * The timer by which a window's state is removed. A window that ends with the pipeline has none, unless the DoFn wants
     * to hear of it. It holds the watermark at the window's end only for a DoFn that may then output.
     *
     * <p>It is due when the window is expired, and not a millisecond later as Beam's own: a watermark that stays at the
     * window's end would else keep back what the DoFn outputs. Its namespace is of a kind whose timers come behind the
     * user's of the same time.
     */
    private final class Expiry implements StatefulDoFnRunner.CleanupTimer<Object> {
        private static final String TIMER_ID = StatefulDoFnRunner.TimeInternalsCleanupTimer.GC_TIMER_ID;

        private final WindowingStrategy<?, ?> windowing;
        private final Coder<BoundedWindow> windowCoder;
        private final boolean heard;

        Expiry(ParDoSpec spec, Coder<BoundedWindow> windowCoder) {
            this.windowing = spec.windowing();
            this.windowCoder = windowCoder;
            DoFnSignature signature = DoFnSignatures.getSignature(spec.fn().getClass());
            this.heard = signature.onWindowExpiration() != null
                    || signature.processElement().requiresTimeSortedInput();
        }

        @Override
        public void setForWindow(Object input, BoundedWindow window) {
            if (!heard && window instanceof GlobalWindow) {
                return;
            }
            Instant time = LateDataUtils.garbageCollectionTime(window, windowing);
            timers.setTimer(
                    StateNamespaces.windowAndTrigger(windowCoder, window, 0),
                    TIMER_ID,
                    "",
                    time,
                    heard ? window.maxTimestamp() : time,
                    TimeDomain.EVENT_TIME);
        }

        @Override
        public boolean isForWindow(String timerId, BoundedWindow window, Instant timestamp, TimeDomain domain) {
            return domain == TimeDomain.EVENT_TIME && TIMER_ID.equals(timerId);
        }
    }
}
