// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

import java.util.List;
import org.apache.beam.sdk.coders.ListCoder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.state.BagState;
import org.apache.beam.sdk.state.CombiningState;
import org.apache.beam.sdk.state.MapState;
import org.apache.beam.sdk.state.MultimapState;
import org.apache.beam.sdk.state.OrderedListState;
import org.apache.beam.sdk.state.SetState;
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
import org.apache.beam.sdk.transforms.windowing.GlobalWindow;
import org.apache.beam.sdk.values.KV;
import org.joda.time.Instant;
import org.jspecify.annotations.Nullable;

/** The DoFns of the programs: since a DoFn declares what it has, one for each choice of states and timers. */
final class JobFns {
    static final String VALUE = "value";
    static final String LIST = "list";
    static final String BAG = "bag";
    static final String SUM = "sum";
    static final String MAP = "map";
    static final String SET = "set";
    static final String MULTIMAP = "multimap";
    static final String ORDERED = "ordered";

    private static final long GLOBAL = GlobalWindow.INSTANCE.maxTimestamp().getMillis();

    private JobFns() {}

    private static Entry element(KV<String, Long> element, Instant timestamp, Recorder recorder, @Nullable Timer a) {
        return new Entry(
                Entry.Kind.ELEMENT,
                element.getValue(),
                "",
                timestamp.getMillis(),
                GLOBAL,
                a == null ? Long.MIN_VALUE : a.getCurrentRelativeTime().getMillis(),
                recorder.nowMillis());
    }

    private static Entry firing(
            Entry.Kind kind,
            String timer,
            Instant fires,
            Instant timestamp,
            long windowEnd,
            Timer a,
            Recorder recorder) {
        return new Entry(
                kind,
                fires.getMillis(),
                timer,
                timestamp.getMillis(),
                windowEnd,
                a.getCurrentRelativeTime().getMillis(),
                recorder.nowMillis());
    }

    /** Scalar cells, values kept in fields, outputs at the end of bundles. No timers. */
    static final class Scalars extends Recording {
        private static final long serialVersionUID = 1L;

        @FinishBundle
        public void finishBundle(FinishBundleContext context) {
            finish(context);
        }

        @Override
        boolean hearsOfEnd() {
            return true;
        }

        @StateId(VALUE)
        private final StateSpec<ValueState<Long>> value = StateSpecs.value(VarLongCoder.of());

        @StateId(LIST)
        private final StateSpec<ValueState<List<Long>>> list = StateSpecs.value(ListCoder.of(VarLongCoder.of()));

        @StateId(BAG)
        private final StateSpec<BagState<Long>> bag = StateSpecs.bag(VarLongCoder.of());

        @StateId(SUM)
        private final StateSpec<CombiningState<Long, long[], Long>> sum = StateSpecs.combining(Sum.ofLongs());

        @ProcessElement
        public void process(
                @Element KV<String, Long> element,
                @Timestamp Instant timestamp,
                BoundedWindow window,
                @AlwaysFetched @StateId(VALUE) ValueState<Long> value,
                @StateId(LIST) ValueState<List<Long>> list,
                @StateId(BAG) BagState<Long> bag,
                @StateId(SUM) CombiningState<Long, long[], Long> sum,
                OutputReceiver<KV<String, Long>> out) {
            body(
                    element.getKey(),
                    element(element, timestamp, recorder(), null),
                    States.scalars(value, list, bag, sum),
                    null,
                    GLOBAL,
                    window,
                    out);
        }
    }

    /** Collections, nothing kept. No timers. */
    static final class Collections extends Recording {
        private static final long serialVersionUID = 1L;

        @Override
        boolean hearsOfEnd() {
            return false;
        }

        @StateId(VALUE)
        private final StateSpec<ValueState<Long>> value = StateSpecs.value(VarLongCoder.of());

        @StateId(MAP)
        private final StateSpec<MapState<Integer, Long>> map = StateSpecs.map(VarIntCoder.of(), VarLongCoder.of());

        @StateId(SET)
        private final StateSpec<SetState<Integer>> set = StateSpecs.set(VarIntCoder.of());

        @StateId(MULTIMAP)
        private final StateSpec<MultimapState<Integer, Long>> multimap =
                StateSpecs.multimap(VarIntCoder.of(), VarLongCoder.of());

        @StateId(ORDERED)
        private final StateSpec<OrderedListState<Long>> ordered = StateSpecs.orderedList(VarLongCoder.of());

        @ProcessElement
        public void process(
                @Element KV<String, Long> element,
                @Timestamp Instant timestamp,
                BoundedWindow window,
                @StateId(VALUE) ValueState<Long> value,
                @StateId(MAP) MapState<Integer, Long> map,
                @StateId(SET) SetState<Integer> set,
                @StateId(MULTIMAP) MultimapState<Integer, Long> multimap,
                @StateId(ORDERED) OrderedListState<Long> ordered,
                OutputReceiver<KV<String, Long>> out) {
            body(
                    element.getKey(),
                    element(element, timestamp, recorder(), null),
                    States.collections(value, map, set, multimap, ordered),
                    null,
                    GLOBAL,
                    window,
                    out);
        }
    }

    /** As {@link Timed}, values kept in fields, outputs at the end of bundles. */
    static final class TimedKeeping extends Timed {
        private static final long serialVersionUID = 1L;

        @FinishBundle
        public void finishBundle(FinishBundleContext context) {
            finish(context);
        }

        @Override
        boolean hearsOfEnd() {
            return true;
        }
    }

    /** As {@link Timed}, nothing kept. */
    static final class TimedPlain extends Timed {
        private static final long serialVersionUID = 1L;

        @Override
        boolean hearsOfEnd() {
            return false;
        }
    }

    /** Timers of all kinds in the global window. */
    abstract static class Timed extends Recording {
        private static final long serialVersionUID = 1L;

        @StateId(VALUE)
        private final StateSpec<ValueState<Long>> value = StateSpecs.value(VarLongCoder.of());

        @StateId(LIST)
        private final StateSpec<ValueState<List<Long>>> list = StateSpecs.value(ListCoder.of(VarLongCoder.of()));

        @StateId(BAG)
        private final StateSpec<BagState<Long>> bag = StateSpecs.bag(VarLongCoder.of());

        @StateId(SUM)
        private final StateSpec<CombiningState<Long, long[], Long>> sum = StateSpecs.combining(Sum.ofLongs());

        @TimerId("a")
        private final TimerSpec specA = TimerSpecs.timer(TimeDomain.EVENT_TIME);

        @TimerId("b")
        private final TimerSpec specB = TimerSpecs.timer(TimeDomain.EVENT_TIME);

        @TimerId("p")
        private final TimerSpec specP = TimerSpecs.timer(TimeDomain.PROCESSING_TIME);

        @TimerFamily(Timers.FAMILY)
        private final TimerSpec specFamily = TimerSpecs.timerMap(TimeDomain.EVENT_TIME);

        @ProcessElement
        public void process(
                @Element KV<String, Long> element,
                @Timestamp Instant timestamp,
                BoundedWindow window,
                @StateId(VALUE) ValueState<Long> value,
                @StateId(LIST) ValueState<List<Long>> list,
                @StateId(BAG) BagState<Long> bag,
                @AlwaysFetched @StateId(SUM) CombiningState<Long, long[], Long> sum,
                @TimerId("a") Timer a,
                @TimerId("b") Timer b,
                @TimerId("p") Timer p,
                @TimerFamily(Timers.FAMILY) TimerMap family,
                OutputReceiver<KV<String, Long>> out) {
            body(
                    element.getKey(),
                    element(element, timestamp, recorder(), a),
                    States.scalars(value, list, bag, sum),
                    new Timers(a, b, family, p),
                    GLOBAL,
                    window,
                    out);
        }

        @OnTimer("a")
        public void onA(
                OnTimerContext context,
                @Key String key,
                BoundedWindow window,
                @StateId(VALUE) ValueState<Long> value,
                @StateId(LIST) ValueState<List<Long>> list,
                @StateId(BAG) BagState<Long> bag,
                @StateId(SUM) CombiningState<Long, long[], Long> sum,
                @TimerId("a") Timer a,
                @TimerId("b") Timer b,
                @TimerId("p") Timer p,
                @TimerFamily(Timers.FAMILY) TimerMap family,
                OutputReceiver<KV<String, Long>> out) {
            body(
                    key,
                    firing(
                            Entry.Kind.EVENT_TIMER,
                            Timers.HOLDING,
                            context.fireTimestamp(),
                            context.timestamp(),
                            GLOBAL,
                            a,
                            recorder()),
                    States.scalars(value, list, bag, sum),
                    new Timers(a, b, family, p),
                    GLOBAL,
                    window,
                    out);
        }

        @OnTimer("b")
        public void onB(
                OnTimerContext context,
                @Key String key,
                BoundedWindow window,
                @StateId(VALUE) ValueState<Long> value,
                @StateId(LIST) ValueState<List<Long>> list,
                @StateId(BAG) BagState<Long> bag,
                @StateId(SUM) CombiningState<Long, long[], Long> sum,
                @TimerId("a") Timer a,
                @TimerId("b") Timer b,
                @TimerId("p") Timer p,
                @TimerFamily(Timers.FAMILY) TimerMap family) {
            body(
                    key,
                    firing(
                            Entry.Kind.EVENT_TIMER,
                            Timers.SILENT,
                            context.fireTimestamp(),
                            context.timestamp(),
                            GLOBAL,
                            a,
                            recorder()),
                    States.scalars(value, list, bag, sum),
                    new Timers(a, b, family, p),
                    GLOBAL,
                    window,
                    null);
        }

        @OnTimer("p")
        public void onP(
                OnTimerContext context,
                @Key String key,
                BoundedWindow window,
                @StateId(VALUE) ValueState<Long> value,
                @StateId(LIST) ValueState<List<Long>> list,
                @StateId(BAG) BagState<Long> bag,
                @StateId(SUM) CombiningState<Long, long[], Long> sum,
                @TimerId("a") Timer a,
                @TimerId("b") Timer b,
                @TimerId("p") Timer p,
                @TimerFamily(Timers.FAMILY) TimerMap family,
                OutputReceiver<KV<String, Long>> out) {
            body(
                    key,
                    firing(
                            Entry.Kind.PROCESSING_TIMER,
                            Timers.PROCESSING,
                            context.fireTimestamp(),
                            context.timestamp(),
                            GLOBAL,
                            a,
                            recorder()),
                    States.scalars(value, list, bag, sum),
                    new Timers(a, b, family, p),
                    GLOBAL,
                    window,
                    out);
        }

        @OnTimerFamily(Timers.FAMILY)
        public void onFamily(
                OnTimerContext context,
                @TimerId String timerId,
                @Key String key,
                BoundedWindow window,
                @StateId(VALUE) ValueState<Long> value,
                @StateId(LIST) ValueState<List<Long>> list,
                @StateId(BAG) BagState<Long> bag,
                @StateId(SUM) CombiningState<Long, long[], Long> sum,
                @TimerId("a") Timer a,
                @TimerId("b") Timer b,
                @TimerId("p") Timer p,
                @TimerFamily(Timers.FAMILY) TimerMap family,
                OutputReceiver<KV<String, Long>> out) {
            body(
                    key,
                    firing(
                            Entry.Kind.EVENT_TIMER,
                            Timers.name(Timers.FAMILY, timerId),
                            context.fireTimestamp(),
                            context.timestamp(),
                            GLOBAL,
                            a,
                            recorder()),
                    States.scalars(value, list, bag, sum),
                    new Timers(a, b, family, p),
                    GLOBAL,
                    window,
                    out);
        }
    }
}
