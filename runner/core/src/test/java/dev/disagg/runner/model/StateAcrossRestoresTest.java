// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.model;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.disagg.runner.testing.Drain;
import dev.disagg.runner.testing.Feed;
import dev.disagg.runner.testing.Restarts;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarIntCoder;
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
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.Sum;
import org.apache.beam.sdk.transforms.windowing.AfterPane;
import org.apache.beam.sdk.transforms.windowing.AfterWatermark;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.TimestampedValue;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** State and timers of every kind in one DoFn, stopped and restored in between. */
class StateAcrossRestoresTest {
    /** Each element adds itself to every kind of state; the third removes the first again, and tells what is there. */
    static final class Everything extends DoFn<KV<String, Integer>, String> {
        private static final long serialVersionUID = 1L;

        @StateId("value")
        private final StateSpec<ValueState<Integer>> valueSpec = StateSpecs.value(VarIntCoder.of());

        @StateId("bag")
        private final StateSpec<BagState<Integer>> bagSpec = StateSpecs.bag(VarIntCoder.of());

        @StateId("sum")
        private final StateSpec<CombiningState<Integer, int[], Integer>> sumSpec =
                StateSpecs.combining(Sum.ofIntegers());

        @StateId("set")
        private final StateSpec<SetState<Integer>> setSpec = StateSpecs.set(VarIntCoder.of());

        @StateId("map")
        private final StateSpec<MapState<Integer, String>> mapSpec =
                StateSpecs.map(VarIntCoder.of(), StringUtf8Coder.of());

        @StateId("multimap")
        private final StateSpec<MultimapState<String, Integer>> multimapSpec =
                StateSpecs.multimap(StringUtf8Coder.of(), VarIntCoder.of());

        @StateId("list")
        private final StateSpec<OrderedListState<Integer>> listSpec = StateSpecs.orderedList(VarIntCoder.of());

        @TimerId("timer")
        private final TimerSpec timerSpec = TimerSpecs.timer(TimeDomain.EVENT_TIME);

        @TimerFamily("family")
        private final TimerSpec familySpec = TimerSpecs.timerMap(TimeDomain.EVENT_TIME);

        @ProcessElement
        public void process(
                @Element KV<String, Integer> element,
                @StateId("value") ValueState<Integer> value,
                @StateId("bag") BagState<Integer> bag,
                @StateId("sum") CombiningState<Integer, int[], Integer> sum,
                @StateId("set") SetState<Integer> set,
                @StateId("map") MapState<Integer, String> map,
                @StateId("multimap") MultimapState<String, Integer> multimap,
                @StateId("list") OrderedListState<Integer> list,
                @TimerId("timer") Timer timer,
                @TimerFamily("family") TimerMap family,
                OutputReceiver<String> out) {
            int n = element.getValue();
            Integer before = value.read();
            value.write((before == null ? 0 : 10 * before) + n);
            bag.add(n);
            sum.add(n);
            set.add(n);
            map.put(n, "m" + n);
            multimap.put("odd-" + n % 2, n);
            list.add(TimestampedValue.of(n, new Instant(100 - n)));
            timer.set(new Instant(50));
            family.set("f" + n, new Instant(50 + n));
            if (n == 3) {
                set.remove(1);
                map.remove(1);
                multimap.remove("odd-0");
                list.clearRange(new Instant(99), new Instant(100));
                out.output(element.getKey() + " value=" + value.read() + " bag=" + sorted(bag.read()) + " sum="
                        + sum.read() + " set=" + sorted(set.read()) + " map="
                        + sorted(map.values().read())
                        + " multimap=" + sorted(multimap.get("odd-1").read())
                        + sorted(multimap.get("odd-0").read()) + " list=" + sorted(list.read()));
            }
        }

        private static String sorted(Iterable<?> values) {
            List<String> all = new ArrayList<>();
            values.forEach(value ->
                    all.add(String.valueOf(value instanceof TimestampedValue<?> v ? v.getValue() : value)));
            all.sort(Comparator.naturalOrder());
            return all.toString();
        }

        @OnTimer("timer")
        public void timer(
                @Key String key,
                @StateId("bag") BagState<Integer> bag,
                @StateId("fired") BagState<String> fired,
                OutputReceiver<String> out) {
            fired.add("timer");
            bag.clear();
            out.output(key + " timer");
        }

        @StateId("fired")
        private final StateSpec<BagState<String>> firedSpec = StateSpecs.bag(StringUtf8Coder.of());

        @OnTimerFamily("family")
        public void family(
                @Key String key,
                @TimerId String id,
                @StateId("bag") BagState<Integer> bag,
                @StateId("fired") BagState<String> fired,
                OutputReceiver<String> out) {
            fired.add(id);
            out.output(key + " " + id + " bag=" + sorted(bag.read()) + " fired=" + sorted(fired.read()));
        }
    }

    private static final KvCoder<String, Integer> CODER = KvCoder.of(StringUtf8Coder.of(), VarIntCoder.of());

    static final class Parse extends DoFn<String, KV<String, Integer>> {
        private static final long serialVersionUID = 1L;

        @ProcessElement
        public void process(@Element String element, OutputReceiver<KV<String, Integer>> out) {
            out.output(KV.of(element.substring(0, 1), Integer.parseInt(element.substring(1))));
        }
    }

    private static void everything(Pipeline pipeline, Feed feed, Drain drain) {
        drain.from(pipeline.apply("Read", feed.read())
                .apply("Parse", ParDo.of(new Parse()))
                .setCoder(CODER)
                .apply("Everything", ParDo.of(new Everything())));
    }

    @ParameterizedTest
    @CsvSource({"disagg, 1, 3", "disagg, 3, 2", "heap, 2, 2"})
    void everyKindGoesOnWhereItWas(String backend, int parallelism, int after) throws Exception {
        Feed feed = new Feed();
        Drain drain = new Drain();
        try (Restarts job = new Restarts(pipeline -> everything(pipeline, feed, drain))) {
            String options = "--stateBackend=" + backend;
            job.start(options, "--parallelism=" + parallelism);
            feed.give("a1", 0).give("b1", 0).watermark(1);
            job.checkpoint();
            job.kill();
            feed.give("a2", 0).give("b2", 0);
            job.start(options, "--parallelism=" + after, "--delayedReads=3");
            job.checkpoint();
            job.kill();
            job.start(options, "--parallelism=" + parallelism);
            feed.give("a3", 0).give("b3", 0);
            List<String> told = new ArrayList<>(List.of(drain.next(), drain.next()));
            told.sort(null);
            String all = " value=123 bag=[1, 2, 3] sum=6 set=[2, 3] map=[m2, m3] multimap=[1, 3][] list=[2, 3]";
            assertThat(told, is(List.of("a" + all, "b" + all)));
            job.checkpoint();
            feed.watermark(52);
            List<String> fired = new ArrayList<>(List.of(drain.next(), drain.next(), drain.next(), drain.next()));
            fired.sort(null);
            assertThat(
                    fired,
                    is(List.of(
                            "a f1 bag=[] fired=[f1, timer]", "a timer", "b f1 bag=[] fired=[f1, timer]", "b timer")));
            job.checkpoint();
            job.kill();
            job.start(options, "--parallelism=" + after);
            feed.close();
            job.finish();
            List<String> rest = new ArrayList<>(drain.rest());
            rest.sort(null);
            assertThat(
                    rest,
                    is(List.of(
                            "a f2 bag=[] fired=[f1, f2, timer]",
                            "a f3 bag=[] fired=[f1, f2, f3, timer]",
                            "b f2 bag=[] fired=[f1, f2, timer]",
                            "b f3 bag=[] fired=[f1, f2, f3, timer]")));
        }
    }

    /** Panes of an accumulating, triggered sum go on: early ones, the one on time, and a late one, each numbered. */
    @ParameterizedTest
    @CsvSource({"1, 2", "3, 1"})
    void triggersGoOnWhereTheyWere(int parallelism, int after) throws Exception {
        Feed feed = new Feed();
        Drain drain = new Drain();
        try (Restarts job = new Restarts(pipeline -> drain.from(pipeline.apply("Read", feed.read())
                .apply("Parse", ParDo.of(new Parse()))
                .setCoder(CODER)
                .apply(
                        "Windows",
                        Window.<KV<String, Integer>>into(FixedWindows.of(Duration.millis(10)))
                                .triggering(AfterWatermark.pastEndOfWindow()
                                        .withEarlyFirings(AfterPane.elementCountAtLeast(2))
                                        .withLateFirings(AfterPane.elementCountAtLeast(1)))
                                .withAllowedLateness(Duration.millis(100))
                                .accumulatingFiredPanes())
                .apply("Sum", Sum.integersPerKey())
                .apply("Text", ParDo.of(new WithPane()))))) {
            job.start("--parallelism=" + parallelism);
            feed.give("a1", 1).watermark(2);
            job.checkpoint();
            job.kill();
            job.start("--parallelism=" + after);
            feed.give("a2", 3);
            assertThat(drain.next(), is("a=3 EARLY 0"));
            feed.give("a4", 4);
            job.checkpoint();
            job.kill();
            job.start("--parallelism=" + parallelism);
            feed.watermark(10);
            assertThat(drain.next(), is("a=7 ON_TIME 1"));
            job.checkpoint();
            job.kill();
            job.start("--parallelism=" + after);
            feed.give("a8", 5);
            assertThat(drain.next(), is("a=15 LATE 2"));
            feed.close();
            job.finish();
            assertThat(drain.rest(), is(List.of()));
        }
    }

    static final class WithPane extends DoFn<KV<String, Integer>, String> {
        private static final long serialVersionUID = 1L;

        @ProcessElement
        public void process(ProcessContext c) {
            c.output(c.element().getKey() + "=" + c.element().getValue() + " "
                    + c.pane().getTiming() + " " + c.pane().getIndex());
        }
    }
}
