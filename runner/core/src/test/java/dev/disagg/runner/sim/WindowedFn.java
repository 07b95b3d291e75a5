// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

import java.util.List;
import org.apache.beam.sdk.coders.ListCoder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.state.BagState;
import org.apache.beam.sdk.state.CombiningState;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.TimeDomain;
import org.apache.beam.sdk.state.Timer;
import org.apache.beam.sdk.state.TimerMap;
import org.apache.beam.sdk.state.TimerSpec;
import org.apache.beam.sdk.state.TimerSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.Sum;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.values.KV;
import org.joda.time.Instant;

/** State and timers of event time in windows that end, and what is left when one does. */
final class WindowedFn extends Recording {
    private static final long serialVersionUID = 1L;

    @StateId(JobFns.VALUE)
    private final StateSpec<ValueState<Long>> value = StateSpecs.value(VarLongCoder.of());

    @StateId(JobFns.LIST)
    private final StateSpec<ValueState<List<Long>>> list = StateSpecs.value(ListCoder.of(VarLongCoder.of()));

    @StateId(JobFns.BAG)
    private final StateSpec<BagState<Long>> bag = StateSpecs.bag(VarLongCoder.of());

    @StateId(JobFns.SUM)
    private final StateSpec<CombiningState<Long, long[], Long>> sum = StateSpecs.combining(Sum.ofLongs());

    @TimerId("a")
    private final TimerSpec specA = TimerSpecs.timer(TimeDomain.EVENT_TIME);

    @TimerId("b")
    private final TimerSpec specB = TimerSpecs.timer(TimeDomain.EVENT_TIME);

    @TimerFamily(Timers.FAMILY)
    private final TimerSpec specFamily = TimerSpecs.timerMap(TimeDomain.EVENT_TIME);

    @FinishBundle
    public void finishBundle(FinishBundleContext context) {
        finish(context);
    }

    @Override
    boolean hearsOfEnd() {
        return true;
    }

    @ProcessElement
    public void process(
            @Element KV<String, Long> element,
            @Timestamp Instant timestamp,
            BoundedWindow window,
            @StateId(JobFns.VALUE) ValueState<Long> value,
            @StateId(JobFns.LIST) ValueState<List<Long>> list,
            @StateId(JobFns.BAG) BagState<Long> bag,
            @AlwaysFetched @StateId(JobFns.SUM) CombiningState<Long, long[], Long> sum,
            @TimerId("a") Timer a,
            @TimerId("b") Timer b,
            @TimerFamily(Timers.FAMILY) TimerMap family,
            OutputReceiver<KV<String, Long>> out) {
        Entry entry = entry(Entry.Kind.ELEMENT, element.getValue(), "", timestamp, window, watermark(a));
        body(
                element.getKey(),
                entry,
                States.scalars(value, list, bag, sum),
                new Timers(a, b, family, null),
                entry.windowEndMillis(),
                window,
                out);
    }

    @OnTimer("a")
    public void onA(
            OnTimerContext context,
            @Key String key,
            BoundedWindow window,
            @StateId(JobFns.VALUE) ValueState<Long> value,
            @StateId(JobFns.LIST) ValueState<List<Long>> list,
            @StateId(JobFns.BAG) BagState<Long> bag,
            @StateId(JobFns.SUM) CombiningState<Long, long[], Long> sum,
            @TimerId("a") Timer a,
            @TimerId("b") Timer b,
            @TimerFamily(Timers.FAMILY) TimerMap family,
            OutputReceiver<KV<String, Long>> out) {
        fired(Timers.HOLDING, context, key, window, States.scalars(value, list, bag, sum), a, b, family, out);
    }

    @OnTimer("b")
    public void onB(
            OnTimerContext context,
            @Key String key,
            BoundedWindow window,
            @StateId(JobFns.VALUE) ValueState<Long> value,
            @StateId(JobFns.LIST) ValueState<List<Long>> list,
            @StateId(JobFns.BAG) BagState<Long> bag,
            @StateId(JobFns.SUM) CombiningState<Long, long[], Long> sum,
            @TimerId("a") Timer a,
            @TimerId("b") Timer b,
            @TimerFamily(Timers.FAMILY) TimerMap family) {
        fired(Timers.SILENT, context, key, window, States.scalars(value, list, bag, sum), a, b, family, null);
    }

    @OnTimerFamily(Timers.FAMILY)
    public void onFamily(
            OnTimerContext context,
            @TimerId String timerId,
            @Key String key,
            BoundedWindow window,
            @StateId(JobFns.VALUE) ValueState<Long> value,
            @StateId(JobFns.LIST) ValueState<List<Long>> list,
            @StateId(JobFns.BAG) BagState<Long> bag,
            @StateId(JobFns.SUM) CombiningState<Long, long[], Long> sum,
            @TimerId("a") Timer a,
            @TimerId("b") Timer b,
            @TimerFamily(Timers.FAMILY) TimerMap family,
            OutputReceiver<KV<String, Long>> out) {
        String name = Timers.name(Timers.FAMILY, timerId);
        fired(name, context, key, window, States.scalars(value, list, bag, sum), a, b, family, out);
    }

    @OnWindowExpiration
    public void expired(
            @Key String key,
            BoundedWindow window,
            @StateId(JobFns.VALUE) ValueState<Long> value,
            @StateId(JobFns.LIST) ValueState<List<Long>> list,
            @StateId(JobFns.BAG) BagState<Long> bag,
            @StateId(JobFns.SUM) CombiningState<Long, long[], Long> sum,
            OutputReceiver<KV<String, Long>> out) {
        Instant end = window.maxTimestamp();
        Entry entry = entry(Entry.Kind.EXPIRY, end.getMillis(), "", end, window, Long.MIN_VALUE);
        body(key, entry, States.scalars(value, list, bag, sum), null, end.getMillis(), window, out);
    }

    private void fired(
            String name,
            OnTimerContext context,
            String key,
            BoundedWindow window,
            States states,
            Timer a,
            Timer b,
            TimerMap family,
            @org.jspecify.annotations.Nullable OutputReceiver<KV<String, Long>> out) {
        Entry entry = entry(
                Entry.Kind.EVENT_TIMER,
                context.fireTimestamp().getMillis(),
                name,
                context.timestamp(),
                window,
                watermark(a));
        body(key, entry, states, new Timers(a, b, family, null), entry.windowEndMillis(), window, out);
    }

    private static long watermark(Timer timer) {
        return timer.getCurrentRelativeTime().getMillis();
    }

    private Entry entry(
            Entry.Kind kind, long number, String timer, Instant timestamp, BoundedWindow window, long watermark) {
        return new Entry(
                kind,
                number,
                timer,
                timestamp.getMillis(),
                window.maxTimestamp().getMillis(),
                watermark,
                recorder().nowMillis());
    }
}
