// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThan;
import static org.hamcrest.Matchers.not;

import dev.disagg.runner.DisaggPipelineResult;
import dev.disagg.runner.testing.Drain;
import dev.disagg.runner.testing.Feed;
import dev.disagg.ufs.RequestCounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.Count;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.View;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionView;
import org.joda.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pipelines whose side inputs are written once and linked by their readers. */
class LargeSideInputTest {
    private static final int PAIRS = 600;

    @TempDir
    Path directory;

    private DisaggPipelineResult job;

    @AfterEach
    void stop() throws IOException {
        if (job != null) {
            job.cancel();
        }
    }

    /** Looks up its element in all forms, and says what is not as it should be. */
    private static final class LookUp extends DoFn<Long, String> {
        private static final long serialVersionUID = 1L;
        private final PCollectionView<Iterable<KV<String, Long>>> iterable;
        private final PCollectionView<List<KV<String, Long>>> list;
        private final PCollectionView<List<KV<String, Long>>> randomAccess;
        private final PCollectionView<Map<String, Long>> map;
        private final PCollectionView<Map<String, Iterable<Long>>> multimap;
        private final PCollectionView<Map<String, Long>> inMemory;
        private final PCollectionView<Long> singleton;

        LookUp(PCollection<KV<String, Long>> pairs) {
            iterable = pairs.apply("Iterable", View.asIterable());
            list = pairs.apply("List", View.asList());
            randomAccess =
                    pairs.apply("RandomAccess", View.<KV<String, Long>>asList().withRandomAccess());
            map = pairs.apply("Map", View.asMap());
            multimap = pairs.apply("Multimap", View.asMultimap());
            inMemory = pairs.apply("InMemory", View.<String, Long>asMap().inMemory());
            singleton = pairs.apply(Count.globally()).apply("Singleton", View.asSingleton());
        }

        ParDo.SingleOutput<Long, String> step() {
            return ParDo.of(this).withSideInputs(iterable, list, randomAccess, map, multimap, inMemory, singleton);
        }

        @ProcessElement
        public void process(ProcessContext c) {
            long number = c.element();
            String key = "key-" + number;
            Set<KV<String, Long>> all = new HashSet<>();
            c.sideInput(iterable).forEach(all::add);
            List<Long> ofKey = new ArrayList<>();
            c.sideInput(multimap).get(key).forEach(ofKey::add);
            List<KV<String, Long>> random = c.sideInput(randomAccess);
            boolean right = all.size() == PAIRS
                    && all.contains(KV.of(key, number))
                    && c.sideInput(list).size() == PAIRS
                    && all.contains(c.sideInput(list).get((int) number))
                    && random.size() == PAIRS
                    && all.contains(random.get((int) number))
                    && new HashSet<>(random).equals(all)
                    && c.sideInput(map).get(key) == number
                    && c.sideInput(map).size() == PAIRS
                    && new HashMap<>(c.sideInput(map)).equals(new HashMap<>(c.sideInput(inMemory)))
                    && ofKey.equals(List.of(number))
                    && c.sideInput(multimap).get("none") == null
                    && c.sideInput(singleton) == PAIRS;
            c.output(right ? "right" : "wrong for " + number);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"disagg", "heap"})
    void everyFormOfALargeViewIsThereForEveryTask(String backend) {
        Pipeline pipeline = Pipeline.create(PipelineOptionsFactory.fromArgs(
                        "--runner=TestDisaggRunner",
                        "--parallelism=3",
                        "--stateBackend=" + backend,
                        "--sideInputInlineBytes=0")
                .create());
        List<KV<String, Long>> pairs = new ArrayList<>();
        List<Long> numbers = new ArrayList<>();
        for (long i = 0; i < PAIRS; i++) {
            pairs.add(KV.of("key-" + i, i));
            if (i % 30 == 0) {
                numbers.add(i);
            }
        }
        LookUp lookUp = new LookUp(pipeline.apply(
                "Pairs", Create.of(pairs).withCoder(KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of()))));
        PAssert.that(pipeline.apply("Numbers", Create.of(numbers))
                        .apply(lookUp.step())
                        .apply(org.apache.beam.sdk.transforms.Distinct.create()))
                .containsInAnyOrder("right");
        pipeline.run().waitUntilFinish();
    }

    // ---- with checkpoints

    /** Each element with the number of elements of its side input. */
    private static final class Counted extends DoFn<String, String> {
        private static final long serialVersionUID = 1L;
        private final PCollectionView<Iterable<String>> view;

        Counted(PCollectionView<Iterable<String>> view) {
            this.view = view;
        }

        @ProcessElement
        public void process(ProcessContext c) {
            int count = 0;
            for (String each : c.sideInput(view)) {
                count += each.isEmpty() ? 0 : 1;
            }
            c.output(c.element() + ":" + count);
        }
    }

    private final Feed main = new Feed();
    private final Feed side = new Feed();
    private final Drain drain = new Drain();

    private void start(int parallelism) {
        Pipeline pipeline = Pipeline.create(PipelineOptionsFactory.fromArgs(
                        "--runner=DisaggRunner",
                        "--jobName=job",
                        "--stateUri=" + directory.toUri(),
                        "--restore=auto",
                        "--checkpointInterval=1h",
                        "--sideInputInlineBytes=1000",
                        "--parallelism=" + parallelism)
                .create());
        PCollectionView<Iterable<String>> view = pipeline.apply("Side", side.read())
                .apply("SideWindows", Window.into(FixedWindows.of(Duration.millis(10))))
                .apply(View.asIterable());
        drain.from(pipeline.apply("Main", main.read())
                .apply("Windows", Window.into(FixedWindows.of(Duration.millis(10))))
                .apply("Reshuffle", org.apache.beam.sdk.transforms.Reshuffle.viaRandomKey())
                .apply("Counted", ParDo.of(new Counted(view)).withSideInputs(view)));
        job = (DisaggPipelineResult) pipeline.run();
    }

    private void giveSide(int elements, long millis) {
        Random random = new Random(millis);
        for (int i = 0; i < elements; i++) {
            byte[] noise = new byte[150];
            random.nextBytes(noise);
            side.give(java.util.HexFormat.of().formatHex(noise), millis);
        }
    }

    private RequestCounts checkpoint() throws Exception {
        RequestCounts before = job.requests();
        job.checkpoint().get(60, TimeUnit.SECONDS);
        return job.requests().minus(before);
    }

    private Set<String> objects() throws IOException {
        Path data = directory.resolve("job").resolve("data");
        if (!Files.exists(data)) {
            return Set.of();
        }
        try (Stream<Path> files = Files.list(data)) {
            return new HashSet<>(
                    files.map(file -> file.getFileName().toString()).toList());
        }
    }

    @Test
    void aRestoreAtAnotherParallelismReadsTheSameObjectWhichGoesWhenItIsForgotten() throws Exception {
        start(2);
        giveSide(400, 1);
        side.watermark(20);
        main.give("a", 5);
        assertThat(drain.next(), is("a:400"));
        List<String> written = new ArrayList<>(objects());
        assertThat("one writer, one object", written, hasSize(1));
        long size = Files.size(directory.resolve("job").resolve("data").resolve(written.get(0)));
        RequestCounts cost = checkpoint();
        assertThat("linked, not copied: " + cost, cost.bytesWritten(), is(lessThan(size / 2)));
        job.cancel();

        start(3);
        main.give("b", 6);
        assertThat("the same object", drain.next(), is("b:400"));
        assertThat(objects(), hasItem(written.get(0)));
        cost = checkpoint();
        assertThat("not copied: " + cost, cost.bytesWritten(), is(lessThan(size / 2)));
        assertThat(objects(), hasItem(written.get(0)));

        main.watermark(1000);
        side.watermark(1000);
        // The watermark comes to all tasks at last, and the object stays for two seconds for those who still read.
        for (int tries = 0; objects().contains(written.get(0)) && tries < 20_000; tries++) {
            checkpoint();
        }
        assertThat(objects(), not(hasItem(written.get(0))));
    }

    @Test
    void aPaneWrittenAfterTheLastCheckpointIsWrittenAgainAndTheOldObjectIsSwept() throws Exception {
        start(2);
        checkpoint();
        giveSide(400, 1);
        side.watermark(20);
        main.give("a", 5);
        assertThat(drain.next(), is("a:400"));
        Set<String> lost = objects();
        lost.removeIf(name -> !isLarge(name));
        assertThat(lost, hasSize(1));
        job.cancel();

        start(2);
        assertThat("again", drain.next(), is("a:400"));
        for (int tries = 0; objects().containsAll(lost) && tries < 20_000; tries++) {
            checkpoint();
        }
        Set<String> left = objects();
        left.removeIf(name -> !isLarge(name));
        assertThat(left, hasSize(1));
        assertThat(left, not(contains(lost.iterator().next())));
        main.give("b", 6);
        assertThat(drain.next(), is("b:400"));
    }

    private boolean isLarge(String name) {
        try {
            return Files.size(directory.resolve("job").resolve("data").resolve(name)) > 60_000;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
