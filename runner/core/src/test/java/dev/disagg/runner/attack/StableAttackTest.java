// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.attack;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.disagg.runner.DisaggPipelineResult;
import dev.disagg.runner.testing.Feed;
import dev.disagg.runner.testing.Feeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.io.GenerateSequence;
import org.apache.beam.sdk.io.range.OffsetRange;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.Flatten;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.View;
import org.apache.beam.sdk.transforms.splittabledofn.RestrictionTracker;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.Sessions;
import org.apache.beam.sdk.transforms.windowing.SlidingWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionList;
import org.apache.beam.sdk.values.PCollectionView;
import org.joda.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StableAttackTest {
    private static final AtomicLong TAGS = new AtomicLong();
    /** Per job, by id, the tags that the sink saw. */
    private static final Map<String, Map<String, Set<String>>> SEEN = new ConcurrentHashMap<>();

    private static final Map<String, CountDownLatch> LATCHES = new ConcurrentHashMap<>();

    private static Map<String, Set<String>> seen(String job) {
        return SEEN.computeIfAbsent(job, name -> new ConcurrentHashMap<>());
    }

    static final class Tag extends DoFn<String, KV<String, String>> {
        private static final long serialVersionUID = 1;
        private final int keys;

        Tag(int keys) {
            this.keys = keys;
        }

        @ProcessElement
        public void process(@Element String id, OutputReceiver<KV<String, String>> out) {
            String key = keys == 0 ? id : "k" + Math.floorMod(id.hashCode(), keys);
            out.output(KV.of(key, id + "#" + TAGS.incrementAndGet()));
        }
    }

    static void note(String job, String value) {
        for (String one : value.split("[+]")) {
            String[] parts = one.split("#", 2);
            seen(job)
                    .computeIfAbsent(parts[0], id -> ConcurrentHashMap.newKeySet())
                    .add(parts[1]);
        }
    }

    static final class Sink extends DoFn<KV<String, String>, KV<String, String>> {
        private static final long serialVersionUID = 1;
        private final String job;

        Sink(String job) {
            this.job = job;
        }

        @ProcessElement
        @RequiresStableInput
        public void process(@Element KV<String, String> element, OutputReceiver<KV<String, String>> out) {
            note(job, element.getValue());
            out.output(element);
        }
    }

    /** Retags, so that a second stable step has something unstable in front of it. */
    static final class Retag extends DoFn<KV<String, String>, KV<String, String>> {
        private static final long serialVersionUID = 1;

        @ProcessElement
        public void process(@Element KV<String, String> element, OutputReceiver<KV<String, String>> out) {
            out.output(KV.of(element.getKey(), element.getValue().split("#")[0] + "#" + TAGS.incrementAndGet()));
        }
    }

    static final class KeyedSink extends DoFn<KV<String, String>, KV<String, String>> {
        private static final long serialVersionUID = 1;
        private final String job;

        @StateId("n")
        private final StateSpec<ValueState<Long>> n = StateSpecs.value(VarLongCoder.of());

        KeyedSink(String job) {
            this.job = job;
        }

        @ProcessElement
        @RequiresStableInput
        public void process(
                @Element KV<String, String> element,
                @StateId("n") ValueState<Long> n,
                OutputReceiver<KV<String, String>> out) {
            Long before = n.read();
            n.write(before == null ? 1 : before + 1);
            note(job, element.getValue());
            out.output(element);
        }
    }

    static final class SideSink extends DoFn<KV<String, String>, KV<String, String>> {
        private static final long serialVersionUID = 1;
        private final String job;
        private final PCollectionView<List<String>> view;

        SideSink(String job, PCollectionView<List<String>> view) {
            this.job = job;
            this.view = view;
        }

        @ProcessElement
        @RequiresStableInput
        public void process(ProcessContext c) {
            c.sideInput(view).size();
            note(job, c.element().getValue());
            c.output(c.element());
        }
    }

    @DoFn.BoundedPerElement
    static final class SdfSink extends DoFn<KV<String, String>, KV<String, String>> {
        private static final long serialVersionUID = 1;
        private final String job;

        SdfSink(String job) {
            this.job = job;
        }

        @GetInitialRestriction
        public OffsetRange all() {
            return new OffsetRange(0, 3);
        }

        @ProcessElement
        @RequiresStableInput
        public void process(
                @Element KV<String, String> element,
                RestrictionTracker<OffsetRange, Long> tracker,
                OutputReceiver<KV<String, String>> out) {
            for (long i = tracker.currentRestriction().getFrom(); tracker.tryClaim(i); i++) {
                note(
                        job,
                        element.getValue().split("#")[0] + "~" + i + "#"
                                + element.getValue().split("#")[1]);
                out.output(element);
            }
        }
    }

    static final class Join extends DoFn<KV<String, Iterable<String>>, KV<String, String>> {
        private static final long serialVersionUID = 1;

        @ProcessElement
        public void process(@Element KV<String, Iterable<String>> element, OutputReceiver<KV<String, String>> out) {
            out.output(KV.of(element.getKey(), String.join("+", element.getValue())));
        }
    }

    private static KvCoder<String, String> kv() {
        return KvCoder.of(StringUtf8Coder.of(), StringUtf8Coder.of());
    }

    private static Consumer<Pipeline> shape(String shape, String job, Feed feed, Feed other, Feeds splits) {
        return pipeline -> {
            PCollection<String> ids = pipeline.apply("Read", splits.read());
            switch (shape) {
                case "plain" -> ids.apply(ParDo.of(new Tag(0))).setCoder(kv()).apply("Sink", ParDo.of(new Sink(job)));
                case "keyed" ->
                    ids.apply(ParDo.of(new Tag(5))).setCoder(kv()).apply("Sink", ParDo.of(new KeyedSink(job)));
                case "sliding" ->
                    ids.apply(ParDo.of(new Tag(5)))
                            .setCoder(kv())
                            .apply(Window.into(
                                    SlidingWindows.of(Duration.millis(40)).every(Duration.millis(10))))
                            .apply("Sink", ParDo.of(new KeyedSink(job)));
                case "slidingPlain" ->
                    ids.apply(ParDo.of(new Tag(5)))
                            .setCoder(kv())
                            .apply(Window.into(
                                    SlidingWindows.of(Duration.millis(40)).every(Duration.millis(10))))
                            .apply("Sink", ParDo.of(new Sink(job)))
                            .apply(GroupByKey.create());
                case "flatten" ->
                    PCollectionList.of(ids.apply("T1", ParDo.of(new Tag(0))).setCoder(kv()))
                            .and(pipeline.apply("Other", other.read())
                                    .apply("T2", ParDo.of(new Tag(3)))
                                    .setCoder(kv()))
                            .and(pipeline.apply("Third", feed.read())
                                    .apply("T3", ParDo.of(new Tag(3)))
                                    .setCoder(kv())
                                    .apply("S3", ParDo.of(new KeyedSink(job + "x"))))
                            .apply(Flatten.pCollections())
                            .apply("Sink", ParDo.of(new Sink(job)));
                case "sessions" ->
                    ids.apply(ParDo.of(new Tag(7)))
                            .setCoder(kv())
                            .apply(Window.into(Sessions.withGapDuration(Duration.millis(15))))
                            .apply(GroupByKey.create())
                            .apply(ParDo.of(new Join()))
                            .setCoder(kv())
                            .apply("Sink", ParDo.of(new Sink(job)));
                case "twice" ->
                    ids.apply(ParDo.of(new Tag(5)))
                            .setCoder(kv())
                            .apply("Sink1", ParDo.of(new Sink(job + "1")))
                            .apply("R", ParDo.of(new Retag()))
                            .apply("Sink2", ParDo.of(new KeyedSink(job)));
                case "adjacent" ->
                    ids.apply(ParDo.of(new Tag(5)))
                            .setCoder(kv())
                            .apply("Sink1", ParDo.of(new Sink(job + "1")))
                            .apply("Sink2", ParDo.of(new Sink(job)));
                case "sdf" -> ids.apply(ParDo.of(new Tag(5))).setCoder(kv()).apply("Sink", ParDo.of(new SdfSink(job)));
                case "side" -> {
                    PCollectionView<List<String>> view = pipeline.apply("Other", other.read())
                            .apply("OW", Window.<String>into(FixedWindows.of(Duration.millis(100))))
                            .apply(View.asList());
                    ids.apply(ParDo.of(new Tag(5)))
                            .setCoder(kv())
                            .apply("MW", Window.into(FixedWindows.of(Duration.millis(20))))
                            .apply("Sink", ParDo.of(new SideSink(job, view)).withSideInputs(view));
                }
                default -> throw new IllegalArgumentException(shape);
            }
        };
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "plain",
                "keyed",
                "sliding",
                "slidingPlain",
                "flatten",
                "sessions",
                "twice",
                "adjacent",
                "sdf",
                "side"
            })
    void oneTagPerId(String shape) throws Exception {
        for (long seed = 1; seed <= Long.getLong("seeds", 2); seed++) {
            Random random = new Random(seed);
            String job = Run.name("stable-" + shape);
            Feed feed = new Feed();
            Feed other = new Feed();
            Feeds splits = new Feeds(3);
            Consumer<Pipeline> description = shape(shape, job, feed, other, splits);
            int given = 0;
            Set<String> ids = new java.util.TreeSet<>();
            for (int round = 0; round < 12; round++) {
                DisaggPipelineResult running = Run.start(
                        job,
                        description,
                        "--parallelism=" + (1 + random.nextInt(4)),
                        "--checkpointInterval=" + (5 + random.nextInt(30)) + "ms",
                        random.nextBoolean() ? "--stateBackend=heap" : "--stateBackend=disagg",
                        random.nextInt(3) == 0 ? "--asyncState=off" : "--asyncState=on",
                        random.nextInt(3) == 0 ? "--maxInFlightComputations=1" : "--maxInFlightComputations=100");
                for (int i = 0; i < 6; i++) {
                    String id = "e" + given;
                    int time = given++;
                    ids.add(id);
                    splits.feed(random.nextInt(3)).give(id, time);
                    if (random.nextInt(3) == 0) {
                        other.give("o" + given, time);
                        feed.give("f" + given, time);
                    }
                }
                for (int i = 0; i < 3; i++) {
                    splits.feed(i).watermark(given - 3);
                }
                other.watermark(given - random.nextInt(50));
                TimeUnit.MILLISECONDS.sleep(random.nextInt(120));
                running.cancel();
            }
            splits.close();
            other.close();
            feed.close();
            DisaggPipelineResult last = Run.start(job, description, "--checkpointInterval=1h", "--parallelism=2");
            try {
                Run.done(last);
            } catch (AssertionError e) {
                throw new AssertionError(shape + ", seed " + seed + ": " + e.getMessage(), e);
            }
            Map<String, Set<String>> wrong = new TreeMap<>();
            for (String sub : List.of(job, job + "1", job + "x")) {
                seen(sub).forEach((id, tags) -> {
                    if (tags.size() != 1) {
                        wrong.put(sub + ":" + id, tags);
                    }
                });
            }
            assertThat(shape + ", seed " + seed, wrong, is(Map.of()));
            Set<String> missing = new java.util.TreeSet<>(ids);
            seen(job).keySet().forEach(id -> missing.remove(id.split("~")[0]));
            assertThat(shape + ", seed " + seed + ": missing", missing, is(Set.of()));
        }
    }

    static final class Slow extends DoFn<Long, Long> {
        private static final long serialVersionUID = 1;
        private final String job;

        Slow(String job) {
            this.job = job;
        }

        @ProcessElement
        public void process(@Element Long element, OutputReceiver<Long> out) throws Exception {
            LATCHES.get(job).await(20, TimeUnit.SECONDS);
            out.output(element);
        }
    }

    /** Elements that were in a checkpoint that was given up, with none coming by itself. */
    @Test
    void anElementOfACheckpointThatWasGivenUpIsNotForgotten() throws Exception {
        String job = Run.name("givenup");
        LATCHES.put(job, new CountDownLatch(1));
        Feed feed = new Feed();
        DisaggPipelineResult running = Run.start(
                job,
                pipeline -> {
                    pipeline.apply("Slow", Create.of(1L)).apply(ParDo.of(new Slow(job)));
                    pipeline.apply(feed.read())
                            .apply(ParDo.of(new Tag(0)))
                            .setCoder(kv())
                            .apply("Sink", ParDo.of(new Sink(job)));
                },
                "--parallelism=1",
                "--checkpointInterval=1h",
                "--checkpointTimeout=500ms");
        feed.give("a", 1);
        for (int i = 0; i < 1000 && running.progress().records() < 1; i++) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
        TimeUnit.MILLISECONDS.sleep(200);
        try {
            running.checkpoint().get(20, TimeUnit.SECONDS);
            throw new AssertionError("the checkpoint was to be given up");
        } catch (java.util.concurrent.ExecutionException e) {
            // As planned.
        }
        LATCHES.get(job).countDown();
        feed.close();
        Run.done(running);
        assertThat(seen(job).keySet(), is(Set.of("a")));
    }

    static final class OrderSink extends DoFn<KV<String, Long>, KV<String, Long>> {
        private static final long serialVersionUID = 1;
        private final String job;

        @StateId("last")
        private final StateSpec<ValueState<Long>> last = StateSpecs.value(VarLongCoder.of());

        OrderSink(String job) {
            this.job = job;
        }

        @ProcessElement
        @RequiresStableInput
        public void process(
                @Element KV<String, Long> element,
                @StateId("last") ValueState<Long> last,
                OutputReceiver<KV<String, Long>> out) {
            Long before = last.read();
            if (before != null && before >= element.getValue()) {
                seen(job)
                        .computeIfAbsent("order", id -> ConcurrentHashMap.newKeySet())
                        .add(element.getKey() + ": " + before + " then " + element.getValue());
            }
            last.write(element.getValue());
            out.output(element);
        }
    }

    static final class KeyIt extends DoFn<Long, KV<String, Long>> {
        private static final long serialVersionUID = 1;
        private final String padding = "x".repeat(60);

        @ProcessElement
        public void process(@Element Long n, OutputReceiver<KV<String, Long>> out) {
            out.output(KV.of(padding + n % 10, n));
        }
    }

    static final class CountSink extends DoFn<KV<String, Long>, Void> {
        private static final long serialVersionUID = 1;
        private final org.apache.beam.sdk.metrics.Counter counted =
                org.apache.beam.sdk.metrics.Metrics.counter("attack", "counted");
        private final org.apache.beam.sdk.metrics.Counter sum =
                org.apache.beam.sdk.metrics.Metrics.counter("attack", "sum");

        @ProcessElement
        public void process(@Element KV<String, Long> n) {
            counted.inc();
            sum.inc(n.getValue());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"off", "1h", "restarts"})
    void manyElementsSpillAndStayInOrder(String interval) throws Exception {
        String job = Run.name("spill");
        long n = 200_000;
        Consumer<Pipeline> description =
                pipeline -> pipeline.apply(GenerateSequence.from(0).to(n))
                        .apply(ParDo.of(new KeyIt()))
                        .setCoder(KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of()))
                        .apply("Sink", ParDo.of(new OrderSink(job)))
                        .apply("Count", ParDo.of(new CountSink()));
        if (interval.equals("restarts")) {
            Random random = new Random(3);
            for (int i = 0; i < 6; i++) {
                DisaggPipelineResult running = Run.start(
                        job,
                        description,
                        "--parallelism=" + (1 + random.nextInt(3)),
                        "--stateMemory=2MB",
                        "--checkpointInterval=300ms");
                TimeUnit.MILLISECONDS.sleep(300 + random.nextInt(1000));
                running.cancel();
            }
        }
        DisaggPipelineResult running = Run.start(
                job,
                description,
                "--parallelism=1",
                "--stateMemory=2MB",
                "--checkpointInterval=" + (interval.equals("restarts") ? "500ms" : interval));
        Run.done(running);
        assertThat(Run.counter(running, "counted", true), is(n));
        assertThat(Run.counter(running, "sum", true), is(n * (n - 1) / 2));
        if (!interval.equals("restarts")) {
            // With restarts, splits move: only then is the order free.
            assertThat(
                    new ArrayList<>(seen(job).getOrDefault("order", Set.of()))
                            .stream().limit(5).toList(),
                    is(List.of()));
        }
    }

    static final class Parity extends DoFn<String, KV<String, Long>> {
        private static final long serialVersionUID = 1;

        @ProcessElement
        public void process(@Element String s, OutputReceiver<KV<String, Long>> out) {
            out.output(KV.of("k" + Long.parseLong(s) % 2 + "y".repeat(50), Long.parseLong(s)));
        }
    }

    /** What waited at a restore comes before what is let in later, per key. */
    @Test
    void whatWaitedAtARestoreComesFirst() throws Exception {
        String job = Run.name("restoredorder");
        Feed feed = new Feed();
        Consumer<Pipeline> description = pipeline -> pipeline.apply(feed.read())
                .apply(ParDo.of(new Parity()))
                .setCoder(KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of()))
                .apply("Sink", ParDo.of(new OrderSink(job)))
                .apply("Count", ParDo.of(new CountSink()));
        int n = 100_000;
        for (int i = 0; i < n; i++) {
            feed.give("" + i, 1);
        }
        DisaggPipelineResult running = Run.start(job, description, "--parallelism=1", "--checkpointInterval=1h");
        for (int i = 0; i < 6000 && running.progress().records() < n; i++) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
        running.checkpoint().get(60, TimeUnit.SECONDS);
        running.cancel();
        SEEN.remove(job);
        for (int i = n; i < n + 100; i++) {
            feed.give("" + i, 1);
        }
        running = Run.start(
                job,
                description,
                "--parallelism=1",
                "--checkpointInterval=5ms",
                "--maxInFlightComputations=6000",
                "--stateMemory=1MiB",
                "--stateLatency=20ms");
        feed.close();
        Run.done(running);
        assertThat(Run.counter(running, "counted", true), is(n + 100L));
        assertThat(
                new ArrayList<>(seen(job).getOrDefault("order", Set.of()))
                        .stream().limit(5).toList(),
                is(List.of()));
    }

    /** As {@link #manyElementsSpillAndStayInOrder}, but never started again: what waits at a checkpoint is in many batches. */
    @Test
    void manyBatchesWithSlowStore() throws Exception {
        String job = Run.name("batches");
        long n = 100_000;
        DisaggPipelineResult running = Run.start(
                job,
                pipeline -> pipeline.apply(GenerateSequence.from(0).to(n))
                        .apply(ParDo.of(new KeyIt()))
                        .setCoder(KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of()))
                        .apply("Sink", ParDo.of(new OrderSink(job)))
                        .apply("Count", ParDo.of(new CountSink())),
                "--parallelism=1",
                "--stateMemory=1MiB",
                "--stateLatency=20ms",
                "--maxInFlightComputations=50",
                "--checkpointInterval=20ms");
        Run.done(running);
        assertThat(Run.counter(running, "counted", true), is(n));
        assertThat(Run.counter(running, "sum", true), is(n * (n - 1) / 2));
        assertThat(
                new ArrayList<>(seen(job).getOrDefault("order", Set.of()))
                        .stream().limit(5).toList(),
                is(List.of()));
    }
}
