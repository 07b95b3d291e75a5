// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.attack;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.disagg.runner.DisaggPipelineResult;
import dev.disagg.runner.testing.Feed;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.io.GenerateSequence;
import org.apache.beam.sdk.metrics.Counter;
import org.apache.beam.sdk.metrics.Metrics;
import org.apache.beam.sdk.state.BagState;
import org.apache.beam.sdk.state.OrderedListState;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.View;
import org.apache.beam.sdk.transforms.WithKeys;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollectionView;
import org.apache.beam.sdk.values.TimestampedValue;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.joda.time.Instant;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BagAttackTest {
    private static final Map<String, List<String>> WRONG = new ConcurrentHashMap<>();

    static List<String> wrong(String job) {
        return WRONG.computeIfAbsent(job, name -> java.util.Collections.synchronizedList(new ArrayList<>()));
    }

    static String value(int i) {
        return "v" + i + "-" + "x".repeat(500 + (i * 7919) % 3000);
    }

    /** Script per element: number of the step, which says deterministically what was added and cleared before. */
    static final class Bags extends DoFn<KV<String, String>, String> {
        private static final long serialVersionUID = 1;
        private final String job;
        private final Counter steps = Metrics.counter("attack", "steps");

        @StateId("bag")
        private final StateSpec<BagState<String>> bag = StateSpecs.bag(StringUtf8Coder.of());

        @StateId("list")
        private final StateSpec<OrderedListState<String>> list = StateSpecs.orderedList(StringUtf8Coder.of());

        private transient Iterable<String> kept;
        private transient List<String> keptModel;

        Bags(String job) {
            this.job = job;
        }

        /** What the bag holds before step n. */
        static List<String> model(int n) {
            List<String> all = new ArrayList<>();
            for (int i = 0; i < n; i++) {
                play(i, all);
            }
            return all;
        }

        static void play(int step, List<String> all) {
            Random random = new Random(step);
            if (random.nextInt(12) == 0) {
                all.clear();
            }
            int adds = random.nextInt(4) == 0 ? 600 : random.nextInt(60);
            for (int i = 0; i < adds; i++) {
                all.add(value(step * 1000 + i));
            }
        }

        private void check(String what, int step, List<String> model, Iterable<String> is) {
            int at = 0;
            for (String each : is) {
                if (at >= model.size() || !model.get(at).equals(each)) {
                    wrong(job).add(what + " at step " + step + ", index " + at + " of " + model.size());
                    return;
                }
                at++;
            }
            if (at != model.size()) {
                wrong(job).add(what + " at step " + step + " has " + at + " of " + model.size());
            }
        }

        @ProcessElement
        public void process(
                @Element KV<String, String> element,
                @StateId("bag") BagState<String> bag,
                @StateId("list") OrderedListState<String> list,
                OutputReceiver<String> out) {
            int step = Integer.parseInt(element.getValue());
            List<String> before = model(step);
            Random random = new Random(step * 31L);
            Iterable<String> read = null;
            Iterator<String> partial = null;
            int partialAt = 0;
            if (random.nextInt(3) > 0) {
                read = bag.read();
                partial = read.iterator();
                int most = random.nextInt(1 + before.size());
                for (; partialAt < most && partial.hasNext(); partialAt++) {
                    String next = partial.next();
                    if (!next.equals(before.get(partialAt))) {
                        wrong(job).add("partial at step " + step + ", " + partialAt);
                    }
                }
            }
            if (kept != null) {
                check("kept", step, keptModel, kept);
                kept = null;
            }
            Random same = new Random(step);
            List<String> now = new ArrayList<>(before);
            if (same.nextInt(12) == 0) {
                bag.clear();
                now.clear();
                if (!Boolean.TRUE.equals(bag.isEmpty().read())) {
                    wrong(job).add("not empty after clear, step " + step);
                }
            }
            int adds = same.nextInt(4) == 0 ? 600 : same.nextInt(60);
            for (int i = 0; i < adds; i++) {
                bag.add(value(step * 1000 + i));
                now.add(value(step * 1000 + i));
                if (i == 300 && read != null) {
                    check("twice, midway", step, before, read);
                }
            }
            if (partial != null) {
                for (; partial.hasNext(); partialAt++) {
                    String next = partial.next();
                    if (partialAt >= before.size() || !next.equals(before.get(partialAt))) {
                        wrong(job).add("rest of partial at step " + step + ", " + partialAt + " of " + before.size());
                        break;
                    }
                }
                if (partialAt != before.size()) {
                    wrong(job).add("partial at step " + step + " has " + partialAt + " of " + before.size());
                }
                check("again", step, before, read);
            }
            if (random.nextInt(3) == 0) {
                Iterable<String> after = bag.read();
                check("after", step, now, after);
                if (random.nextBoolean()) {
                    kept = after;
                    keptModel = now;
                }
            }
            if (now.isEmpty() != bag.isEmpty().read()) {
                wrong(job).add("isEmpty at step " + step);
            }
            for (int i = 0; i < 20; i++) {
                list.add(TimestampedValue.of(step + ":" + i, new Instant((step * 37L + i * 11) % 500 - 250)));
            }
            if (random.nextInt(5) == 0) {
                int count = 0;
                long last = Long.MIN_VALUE;
                for (TimestampedValue<String> each : list.read()) {
                    if (each.getTimestamp().getMillis() < last) {
                        wrong(job).add("list order at step " + step);
                    }
                    last = each.getTimestamp().getMillis();
                    count++;
                }
                if (count != (step + 1) * 20) {
                    wrong(job).add("list at step " + step + " has " + count);
                }
            }
            steps.inc();
            out.output(element.getValue());
        }

        @FinishBundle
        public void finish() {
            if (kept != null) {
                check("in @FinishBundle", -1, keptModel, kept);
                kept = null;
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"disagg", "heap"})
    void bagsOverRestores(String backend) throws Exception {
        String job = Run.name("bag");
        Feed feed = new Feed();
        Random random = new Random(5);
        Consumer<Pipeline> description = pipeline -> pipeline.apply(feed.read())
                .apply(MapElements.into(TypeDescriptors.strings()).via(s -> s))
                .apply(WithKeys.<String, String>of(s -> s.substring(0, 1)).withKeyType(TypeDescriptors.strings()))
                .setCoder(KvCoder.of(StringUtf8Coder.of(), StringUtf8Coder.of()))
                .apply(
                        "Strip",
                        MapElements.into(TypeDescriptors.kvs(TypeDescriptors.strings(), TypeDescriptors.strings()))
                                .via(kv -> KV.of(kv.getKey(), kv.getValue().substring(1))))
                .setCoder(KvCoder.of(StringUtf8Coder.of(), StringUtf8Coder.of()))
                .apply("Bags", ParDo.of(new Bags(job)));
        int step = 0;
        for (int round = 0; round < 6; round++) {
            DisaggPipelineResult running = Run.start(
                    job,
                    description,
                    "--parallelism=" + (1 + random.nextInt(3)),
                    "--stateBackend=" + backend,
                    "--stateMemory=1MiB",
                    "--checkpointInterval=100ms",
                    random.nextBoolean() ? "--asyncState=off" : "--asyncState=on",
                    "--maxBundleElements=" + (1 + random.nextInt(5)));
            for (int i = 0; i < 8; i++, step++) {
                for (String key : new String[] {"a", "b", "c"}) {
                    feed.give(key + step, 1);
                }
            }
            TimeUnit.MILLISECONDS.sleep(300 + random.nextInt(700));
            running.cancel();
        }
        feed.close();
        DisaggPipelineResult running = Run.start(job, description, "--stateMemory=1MiB", "--checkpointInterval=1h");
        Run.done(running);
        assertThat(wrong(job).stream().limit(5).toList(), is(List.of()));
        assertThat(Run.counter(running, "steps", true), is(3L * step));
    }

    static final class SideReader extends DoFn<String, String> {
        private static final long serialVersionUID = 1;
        private final String job;
        private final PCollectionView<List<Long>> list;
        private final PCollectionView<Map<Long, Iterable<Long>>> map;
        private final PCollectionView<Iterable<Long>> all;

        SideReader(
                String job,
                PCollectionView<List<Long>> list,
                PCollectionView<Map<Long, Iterable<Long>>> map,
                PCollectionView<Iterable<Long>> all) {
            this.job = job;
            this.list = list;
            this.map = map;
            this.all = all;
        }

        @ProcessElement
        public void process(ProcessContext c) {
            int n = Integer.parseInt(c.element());
            List<Long> values = c.sideInput(list);
            if (values.size() != 20_000) {
                wrong(job).add("list of " + values.size());
            }
            java.util.BitSet seen = new java.util.BitSet();
            for (int i = 0; i < 50; i++) {
                values.get((n * 131 + i * 397) % 20_000);
            }
            Iterator<Long> one = c.sideInput(all).iterator();
            Iterator<Long> two = c.sideInput(all).iterator();
            for (int i = 0; i < 100; i++) {
                if (!one.next().equals(two.next())) {
                    wrong(job).add("two iterators differ at " + i);
                }
            }
            for (Long each : c.sideInput(all)) {
                seen.set(each.intValue());
            }
            if (seen.cardinality() != 20_000) {
                wrong(job).add("iterable of " + seen.cardinality());
            }
            long count = 0;
            for (Long each : c.sideInput(map).get((long) (n % 10))) {
                count++;
                if (each % 10 != n % 10) {
                    wrong(job).add("wrong value of a key");
                }
            }
            if (count != 2000) {
                wrong(job).add("multimap value of " + count);
            }
            if (c.sideInput(map).get(77L) != null) {
                wrong(job).add("a key that is not there");
            }
            c.output(c.element());
        }
    }

    @Test
    void largeSideInputsOverRestores() throws Exception {
        String job = Run.name("side");
        Feed feed = new Feed();
        Random random = new Random(5);
        Consumer<Pipeline> description = pipeline -> {
            var numbers = pipeline.apply("Numbers", GenerateSequence.from(0).to(20_000));
            PCollectionView<List<Long>> list = numbers.apply("List", View.asList());
            PCollectionView<Iterable<Long>> all = numbers.apply("All", View.asIterable());
            PCollectionView<Map<Long, Iterable<Long>>> map = numbers.apply(
                            "Key", WithKeys.<Long, Long>of(x -> x % 10).withKeyType(TypeDescriptors.longs()))
                    .apply("Map", View.asMultimap());
            pipeline.apply(feed.read())
                    .apply("Read", ParDo.of(new SideReader(job, list, map, all)).withSideInputs(list, map, all))
                    .apply("Count", ParDo.of(new Count()));
        };
        int step = 0;
        for (int round = 0; round < 5; round++) {
            DisaggPipelineResult running = Run.start(
                    job,
                    description,
                    "--parallelism=" + (1 + random.nextInt(3)),
                    "--sideInputInlineBytes=0",
                    "--stateMemory=1MiB",
                    "--checkpointInterval=100ms");
            for (int i = 0; i < 5; i++, step++) {
                feed.give("" + step, 1);
            }
            TimeUnit.MILLISECONDS.sleep(300 + random.nextInt(700));
            running.cancel();
        }
        feed.close();
        DisaggPipelineResult running = Run.start(
                job, description, "--stateMemory=1MiB", "--checkpointInterval=1h", "--sideInputInlineBytes=0");
        Run.done(running);
        assertThat(wrong(job).stream().limit(5).toList(), is(List.of()));
        assertThat(Run.counter(running, "n", true), is((long) step));
    }

    static final class Count extends DoFn<String, Void> {
        private static final long serialVersionUID = 1;
        private final Counter n = Metrics.counter("attack", "n");

        @ProcessElement
        public void process(@Element String s) {
            n.inc();
        }
    }

    static final class SameTime extends DoFn<KV<String, String>, String> {
        private static final long serialVersionUID = 1;

        @StateId("list")
        private final StateSpec<OrderedListState<String>> list = StateSpecs.orderedList(StringUtf8Coder.of());

        @ProcessElement
        public void process(@Element KV<String, String> element, @StateId("list") OrderedListState<String> list) {
            for (int i = 0; i < 20_000; i++) {
                list.add(TimestampedValue.of("0123456789".repeat(10), new Instant(5)));
            }
        }
    }

    /** 2 MB of values of one time. */
    @Disabled("adding values of one time to an ordered list is quadratic")
    @Test
    void manyValuesOfOneTimeInAnOrderedList() throws Exception {
        DisaggPipelineResult running = Run.start(
                Run.name("sametime"),
                p -> p.apply(org.apache.beam.sdk.transforms.Create.of(KV.of("a", "b")))
                        .apply(ParDo.of(new SameTime())),
                "--parallelism=1");
        Run.done(running);
    }
}
