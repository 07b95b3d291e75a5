// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.lessons;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThan;

import dev.disagg.runner.state.StepState;
import dev.disagg.runner.testing.Mode;
import dev.disagg.ufs.CountingStore;
import dev.disagg.ufs.ObjectStore;
import dev.disagg.ufs.ObjectStores;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.RequestCounts;
import dev.disagg.ufs.Unavailable;
import dev.disagg.ufs.testkit.CallRecorder;
import dev.disagg.ufs.testkit.Faults;
import dev.disagg.ufs.testkit.FaultyStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.StreamSupport;
import org.apache.beam.runners.core.StateTag;
import org.apache.beam.runners.core.StateTags;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.io.GenerateSequence;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.state.BagState;
import org.apache.beam.sdk.state.OrderedListState;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.Reshuffle;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.TimestampedValue;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.joda.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lesson 30: lists and bags that are larger than what is read of them, or than memory. */
class Lesson30LargeStateTest {
    private static final StateTag<BagState<String>> BAG = StateTags.bag("bag", StringUtf8Coder.of());
    private static final StateTag<OrderedListState<String>> LIST = StateTags.orderedList("list", StringUtf8Coder.of());

    private static final AtomicLong NAMES = new AtomicLong();

    private static ObjectStore fresh() {
        return ObjectStores.open("memory://lesson-30-" + NAMES.incrementAndGet());
    }

    private static OrderedListState<String> list(TaskStore store) {
        StepState step = store.step();
        store.bind(step, "key");
        return step.state(TaskStore.GLOBAL, LIST);
    }

    private static BagState<String> bag(TaskStore store) {
        StepState step = store.step();
        store.bind(step, "key");
        return step.state(TaskStore.GLOBAL, BAG);
    }

    @Test
    void aRangeOfALongOrderedListReadsItsRangeAlone() {
        int entries = Boolean.getBoolean("disagg.night") ? 1_000_000 : 50_000;
        CountingStore objects = new CountingStore(fresh());
        OwnerRecord checkpoint;
        try (TaskStore store = new TaskStore(objects, 1, List.of())) {
            OrderedListState<String> list = list(store);
            for (int i = 0; i < entries; i++) {
                list.add(TimestampedValue.of("value " + i, new Instant(10L * i)));
            }
            checkpoint = store.checkpoint();
        }
        assertThat("it is large", objects.counts().bytesWritten(), is(greaterThan(10L * entries)));
        try (TaskStore store = new TaskStore(objects, 2, List.of(checkpoint))) {
            OrderedListState<String> list = list(store);
            // Brings the list's own row, and indexes and filters of the tables.
            list.readRange(new Instant(0), new Instant(1)).forEach(value -> {});
            list.readRange(new Instant(10L * entries - 10), new Instant(10L * entries))
                    .forEach(value -> {});
            RequestCounts before = objects.counts();
            long middle = 10L * (entries / 2);
            List<String> range = StreamSupport.stream(
                            list.readRange(new Instant(middle), new Instant(middle + 100))
                                    .spliterator(),
                            false)
                    .map(TimestampedValue::getValue)
                    .toList();
            RequestCounts took = objects.counts().minus(before);
            assertThat(range.size(), is(10));
            assertThat(range.get(0), is("value " + entries / 2));
            assertThat("bytes read for ten entries", took.bytesRead(), is(lessThan(256L << 10)));
            assertThat("requests", took.reads(), is(lessThan(20L)));
            list.clearRange(new Instant(middle), new Instant(middle + 90));
            assertThat(
                    list.readRange(new Instant(middle - 5), new Instant(middle + 100)),
                    contains(TimestampedValue.of("value " + (entries / 2 + 9), new Instant(middle + 90))));
        }
    }

    /** A value of 1 KiB. */
    private static String value(int i) {
        return String.format("%08d", i).repeat(128);
    }

    private static void fill(BagState<String> bag, int from, int to) {
        for (int i = from; i < to; i++) {
            bag.add(value(i));
        }
    }

    /** Looks at each value while it is iterated; returns how many there were. */
    private static int inOrder(Iterator<String> values) {
        int count = 0;
        while (values.hasNext()) {
            assertThat(values.next(), is(value(count)));
            count++;
        }
        return count;
    }

    @Test
    void aBagOfManyPagesIsReadInItsOrderAgainAndAgain() {
        ObjectStore objects = fresh();
        OwnerRecord first;
        try (TaskStore store = new TaskStore(objects, 1, List.of())) {
            BagState<String> bag = bag(store);
            fill(bag, 0, 5000);
            Iterable<String> read = bag.read();
            assertThat(inOrder(read.iterator()), is(5000));
            assertThat(inOrder(read.iterator()), is(5000));
            assertThat(bag.isEmpty().read(), is(false));
            first = store.checkpoint();
        }
        try (TaskStore store = new TaskStore(objects, 2, List.of(first))) {
            BagState<String> bag = bag(store);
            // Of a bag that nothing is known of.
            fill(bag, 5000, 7000);
            Iterable<String> read = bag.read();
            fill(bag, 7000, 9000);
            assertThat("what was read does not change", inOrder(read.iterator()), is(7000));
            assertThat(inOrder(bag.read().iterator()), is(9000));
            Iterator<String> open = read.iterator();
            open.next();
            bag.clear();
            assertThat(bag.isEmpty().read(), is(true));
            assertThat(bag.read().iterator().hasNext(), is(false));
            bag.add("new");
            for (int i = 0; i < 100; i++) {
                // Would remove what is no longer in the bag.
                store.cells().maintain();
            }
            int rest = 1;
            while (open.hasNext()) {
                assertThat(open.next(), is(value(rest)));
                rest++;
            }
            assertThat("of an iterator from before it was cleared", rest, is(7000));
            assertThat(bag.read(), contains("new"));
        }
    }

    /** Additions that know nothing of the bag make pages too. */
    @Test
    void aBagThatIsOnlyAddedToBecomesPages() {
        ObjectStore objects = fresh();
        List<OwnerRecord> checkpoint = List.of();
        int each = 500;
        for (int epoch = 1; epoch <= 10; epoch++) {
            try (TaskStore store = new TaskStore(objects, epoch, checkpoint)) {
                fill(bag(store), (epoch - 1) * each, epoch * each);
                checkpoint = List.of(store.checkpoint());
            }
        }
        CountingStore counted = new CountingStore(objects);
        try (TaskStore store = new TaskStore(counted, 11, checkpoint)) {
            Iterator<String> values = bag(store).read().iterator();
            values.next();
            assertThat("bytes read for the first value", counted.counts().bytesRead(), is(lessThan(4L << 20)));
        }
        try (TaskStore store = new TaskStore(objects, 12, checkpoint)) {
            assertThat(inOrder(bag(store).read().iterator()), is(10 * each));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void aBagOfManyPagesIsWholeAfterAReadFailedInItsMiddle(long seed) {
        ObjectStore objects = fresh();
        OwnerRecord checkpoint;
        int count = 12_000;
        try (TaskStore store = new TaskStore(objects, 1, List.of())) {
            fill(bag(store), 0, count);
            checkpoint = store.checkpoint();
        }
        List<Integer> failedAt = new ArrayList<>();
        ObjectStore faulty =
                new FaultyStore(objects, new Faults(0.15, 0, 0, 0, 0), new Random(seed), new CallRecorder());
        for (int attempt = 0; attempt < 200; attempt++) {
            int seen = 0;
            try (TaskStore store = new TaskStore(faulty, 3, List.of(checkpoint))) {
                Iterable<String> read = bag(store).read();
                // The second time it goes on in the same bag, which has failed before.
                for (int again = 0; again < 20; again++) {
                    seen = 0;
                    try {
                        for (String value : read) {
                            assertThat(value, is(value(seen)));
                            seen++;
                        }
                        assertThat("seed " + seed, seen, is(count));
                        if (!failedAt.isEmpty()) {
                            return;
                        }
                        break;
                    } catch (Unavailable e) {
                        if (seen > 0) {
                            failedAt.add(seen);
                        }
                    }
                }
            } catch (Unavailable e) {
                // Not even the beginning came.
                continue;
            }
        }
        throw new AssertionError("never whole, seed " + seed + "; failed at " + failedAt);
    }

    /** A bag of 1 KiB values is grouped, iterated twice in the same stage, and once more in another stage's thread. */
    public static final class LargeBag {
        private LargeBag() {}

        public static void main(String[] arguments) {
            int values = Integer.parseInt(arguments[0]);
            Pipeline pipeline =
                    Pipeline.create(PipelineOptionsFactory.fromArgs(Arrays.copyOfRange(arguments, 1, arguments.length))
                            .create());
            PCollection<KV<String, Iterable<String>>> grouped = pipeline.apply(
                            GenerateSequence.from(0).to(values))
                    .apply(MapElements.into(TypeDescriptors.kvs(TypeDescriptors.strings(), TypeDescriptors.strings()))
                            .via(i -> KV.of("key", value((int) (long) i))))
                    .apply(GroupByKey.create());
            PAssert.that(grouped.apply("Count", ParDo.of(new CountTwice()))).containsInAnyOrder(2 * values);
            PAssert.that(grouped.apply(Reshuffle.viaRandomKey()).apply("CountThere", ParDo.of(new CountTwice())))
                    .containsInAnyOrder(2 * values);
            Mode.run(pipeline);
            System.out.println("counted " + values);
        }
    }

    static final class CountTwice extends DoFn<KV<String, Iterable<String>>, Integer> {
        private static final long serialVersionUID = 1L;

        @ProcessElement
        public void process(@Element KV<String, Iterable<String>> element, OutputReceiver<Integer> out) {
            int count = 0;
            for (int again = 0; again < 2; again++) {
                for (String value : element.getValue()) {
                    count += value.length() / 1024;
                }
            }
            out.output(count);
        }
    }

    @Test
    void aBagLargerThanTheHeapIsGrouped(@TempDir Path directory) throws Exception {
        boolean night = Boolean.getBoolean("disagg.night");
        int values = night ? 200 << 10 : 64 << 10;
        SmallHeap.run(
                night ? 80 : 56,
                LargeBag.class,
                List.of(
                        String.valueOf(values),
                        "--runner=DisaggRunner",
                        "--parallelism=1",
                        "--stateMemory=8MB",
                        "--stateUri=" + directory.toUri()),
                "counted " + values);
    }
}
