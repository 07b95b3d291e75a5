// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.state;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.ListCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.state.BagState;
import org.apache.beam.sdk.state.CombiningState;
import org.apache.beam.sdk.state.MapState;
import org.apache.beam.sdk.state.MultimapState;
import org.apache.beam.sdk.state.ReadableState;
import org.apache.beam.sdk.state.SetState;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.Sum;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What user code may rely on when it reads and writes state: small pipelines whose right answer is known. */
class StateSemanticsTest {
    private static final String PLAIN = "--asyncState=on";
    private static final String HEAP = "--stateBackend=heap";
    private static final String DELAYED = "--delayedReads=11";

    private static Pipeline pipeline(String... more) {
        String[] all = Arrays.copyOf(more, more.length + 2);
        all[more.length] = "--runner=TestDisaggRunner";
        all[more.length + 1] = "--parallelism=2";
        return Pipeline.create(PipelineOptionsFactory.fromArgs(all).create());
    }

    /** Elements 1 to {@code count}, in order, of one key. */
    private static PCollection<KV<String, Integer>> ofOneKey(Pipeline pipeline, int count) {
        List<KV<String, Integer>> elements = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            elements.add(KV.of("key", i));
        }
        return pipeline.apply(
                "Elements", Create.of(elements).withCoder(KvCoder.of(StringUtf8Coder.of(), VarIntCoder.of())));
    }

    private static void expect(String option, int elements, DoFn<KV<String, Integer>, String> fn, String... expected) {
        Pipeline pipeline = pipeline(option);
        PAssert.that(ofOneKey(pipeline, elements).apply("Step", ParDo.of(fn))).containsInAnyOrder(expected);
        pipeline.run().waitUntilFinish();
    }

    private static List<Object> copyOf(Iterable<?> values) {
        List<Object> copy = new ArrayList<>();
        values.forEach(copy::add);
        return copy;
    }

    private static String sorted(Iterable<?> values) {
        return new TreeSet<>(copyOf(values)).toString();
    }

    static final class BagThenAdd extends DoFn<KV<String, Integer>, String> {
        private static final long serialVersionUID = 1L;

        @StateId("bag")
        private final StateSpec<BagState<Integer>> spec = StateSpecs.bag(VarIntCoder.of());

        @ProcessElement
        public void process(
                @Element KV<String, Integer> element,
                @StateId("bag") BagState<Integer> bag,
                OutputReceiver<String> out) {
            Iterable<Integer> read = bag.read();
            bag.add(element.getValue());
            out.output(copyOf(read) + " then " + copyOf(bag.read()));
            bag.clear();
            bag.add(-element.getValue());
            out.output("cleared " + copyOf(bag.read()) + ", as read " + copyOf(read));
        }
    }

    @Tag("lesson-22")
    @ParameterizedTest
    @ValueSource(strings = {PLAIN, HEAP, DELAYED})
    void whatWasReadOfABagDoesNotChangeWhenItIsAddedToOrCleared(String option) {
        expect(
                option,
                3,
                new BagThenAdd(),
                "[] then [1]",
                "cleared [-1], as read []",
                "[-1] then [-1, 2]",
                "cleared [-2], as read [-1]",
                "[-2] then [-2, 3]",
                "cleared [-3], as read [-2]");
    }

    static final class MapThenPut extends DoFn<KV<String, Integer>, String> {
        private static final long serialVersionUID = 1L;

        @StateId("map")
        private final StateSpec<MapState<Integer, Integer>> spec = StateSpecs.map(VarIntCoder.of(), VarIntCoder.of());

        @ProcessElement
        public void process(
                @Element KV<String, Integer> element,
                @StateId("map") MapState<Integer, Integer> map,
                OutputReceiver<String> out) {
            int n = element.getValue();
            Iterable<Integer> keys = map.keys().read();
            Iterable<Map.Entry<Integer, Integer>> entries = map.entries().read();
            map.remove(n - 1);
            map.put(n, 10 * n);
            map.remove(n);
            map.put(n, 100 * n);
            Map<Integer, Integer> before = new TreeMap<>();
            entries.forEach(entry -> before.put(entry.getKey(), entry.getValue()));
            out.output(sorted(keys) + " " + before + " then "
                    + sorted(map.keys().read()) + " " + sorted(map.values().read()) + " "
                    + map.get(n).read() + " " + map.get(n - 1).read());
        }
    }

    @Tag("lesson-22")
    @ParameterizedTest
    @ValueSource(strings = {PLAIN, HEAP, DELAYED})
    void whatWasReadOfAMapDoesNotChangeWhenEntriesAreRemovedAndPut(String option) {
        expect(
                option,
                3,
                new MapThenPut(),
                "[] {} then [1] [100] 100 null",
                "[1] {1=100} then [2] [200] 200 null",
                "[2] {2=200} then [3] [300] 300 null");
    }

    static final class MultimapThenPut extends DoFn<KV<String, Integer>, String> {
        private static final long serialVersionUID = 1L;

        @StateId("multimap")
        private final StateSpec<MultimapState<String, Integer>> spec =
                StateSpecs.multimap(StringUtf8Coder.of(), VarIntCoder.of());

        @ProcessElement
        public void process(
                @Element KV<String, Integer> element,
                @StateId("multimap") MultimapState<String, Integer> multimap,
                OutputReceiver<String> out) {
            int n = element.getValue();
            Iterable<Integer> before = multimap.get("k").read();
            multimap.put("k", n);
            Iterable<Integer> added = multimap.get("k").read();
            multimap.remove("k");
            Iterable<Integer> removed = multimap.get("k").read();
            multimap.put("k", -n);
            out.output(sorted(before)
                    + sorted(added)
                    + sorted(removed)
                    + sorted(multimap.get("k").read()));
        }
    }

    @Tag("lesson-22")
    @ParameterizedTest
    @ValueSource(strings = {PLAIN, HEAP, DELAYED})
    void whatWasReadOfAMultimapDoesNotChangeWhenItIsRemovedAndPutAgain(String option) {
        expect(option, 3, new MultimapThenPut(), "[][1][][-1]", "[-1][-1, 2][][-2]", "[-2][-2, 3][][-3]");
    }

    static final class Mutating extends DoFn<KV<String, Integer>, String> {
        private static final long serialVersionUID = 1L;

        @StateId("list")
        private final StateSpec<ValueState<List<Integer>>> spec = StateSpecs.value(ListCoder.of(VarIntCoder.of()));

        @ProcessElement
        public void process(
                @Element KV<String, Integer> element,
                @StateId("list") ValueState<List<Integer>> state,
                OutputReceiver<String> out) {
            List<Integer> read = state.read();
            out.output(element.getValue() + ": " + read);
            if (read == null) {
                List<Integer> written = new ArrayList<>(List.of(7));
                state.write(written);
                written.add(8);
            } else {
                read.add(element.getValue());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {PLAIN, HEAP, DELAYED})
    void modifyingAValueThatWasReadOrWrittenDoesNotModifyTheState(String option) {
        expect(option, 3, new Mutating(), "1: null", "2: [7]", "3: [7]");
    }

    static final class ClearThenAdd extends DoFn<KV<String, Integer>, String> {
        private static final long serialVersionUID = 1L;

        @StateId("bag")
        private final StateSpec<BagState<Integer>> bagSpec = StateSpecs.bag(VarIntCoder.of());

        @StateId("set")
        private final StateSpec<SetState<Integer>> setSpec = StateSpecs.set(VarIntCoder.of());

        @StateId("map")
        private final StateSpec<MapState<Integer, Integer>> mapSpec =
                StateSpecs.map(VarIntCoder.of(), VarIntCoder.of());

        @StateId("sum")
        private final StateSpec<CombiningState<Integer, int[], Integer>> sumSpec =
                StateSpecs.combining(Sum.ofIntegers());

        @ProcessElement
        public void process(
                @Element KV<String, Integer> element,
                @StateId("bag") BagState<Integer> bag,
                @StateId("set") SetState<Integer> set,
                @StateId("map") MapState<Integer, Integer> map,
                @StateId("sum") CombiningState<Integer, int[], Integer> sum,
                OutputReceiver<String> out) {
            int n = element.getValue();
            if (n == 4) {
                out.output(copyOf(bag.read())
                        + sorted(set.read())
                        + sorted(map.keys().read())
                        + sum.read()
                        + set.contains(1).read()
                        + map.get(2).read());
                return;
            }
            // Nothing is read first: what is added after a clear must not meet what was there.
            bag.clear();
            set.clear();
            map.clear();
            sum.clear();
            bag.add(n);
            set.add(n);
            map.put(n, n);
            sum.add(n);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {PLAIN, HEAP, DELAYED})
    void whatIsAddedAfterAClearIsAllThatIsThere(String option) {
        expect(option, 4, new ClearThenAdd(), "[3][3][3]3falsenull");
    }

    static final class Deferred extends DoFn<KV<String, Integer>, String> {
        private static final long serialVersionUID = 1L;

        @StateId("set")
        private final StateSpec<SetState<Integer>> setSpec = StateSpecs.set(VarIntCoder.of());

        @StateId("map")
        private final StateSpec<MapState<Integer, Integer>> mapSpec =
                StateSpecs.map(VarIntCoder.of(), VarIntCoder.of());

        @ProcessElement
        public void process(
                @Element KV<String, Integer> element,
                @StateId("set") SetState<Integer> set,
                @StateId("map") MapState<Integer, Integer> map,
                OutputReceiver<String> out) {
            int n = element.getValue();
            ReadableState<Boolean> added = set.addIfAbsent(n % 2);
            map.computeIfAbsent(n % 2, key -> 10 * n);
            if (n >= 3) {
                out.output(n + " " + added.read() + " " + map.get(n % 2).read());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {PLAIN, HEAP, DELAYED})
    void conditionalAddsThatNobodyReadsStillHappen(String option) {
        expect(option, 4, new Deferred(), "3 false 10", "4 false 20");
    }

    static final class AskedInOrder extends DoFn<KV<String, Integer>, String> {
        private static final long serialVersionUID = 1L;

        @StateId("set")
        private final StateSpec<SetState<Integer>> spec = StateSpecs.set(VarIntCoder.of());

        @ProcessElement
        public void process(
                @Element KV<String, Integer> element,
                @StateId("set") SetState<Integer> set,
                OutputReceiver<String> out) {
            int n = element.getValue();
            ReadableState<Boolean> before = set.contains(n);
            ReadableState<Boolean> first = set.addIfAbsent(n);
            ReadableState<Boolean> second = set.addIfAbsent(n);
            ReadableState<Boolean> after = set.contains(n);
            set.remove(n);
            out.output(second.read() + " " + first.read() + " " + after.read() + " " + before.read());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {PLAIN, HEAP, DELAYED})
    void setAnswersByTheOrderInWhichItWasAskedAndNotInWhichAnswersAreRead(String option) {
        expect(option, 2, new AskedInOrder(), "false true true false", "false true true false");
    }

    /** Counts in a cell that another step names alike. */
    static final class CountInSharedName extends DoFn<KV<String, Integer>, KV<String, Integer>> {
        private static final long serialVersionUID = 1L;

        @StateId("same")
        private final StateSpec<ValueState<Integer>> spec = StateSpecs.value(VarIntCoder.of());

        private final int step;

        CountInSharedName(int step) {
            this.step = step;
        }

        @ProcessElement
        public void process(
                @Element KV<String, Integer> element,
                @StateId("same") ValueState<Integer> state,
                OutputReceiver<KV<String, Integer>> out) {
            Integer before = state.read();
            int now = (before == null ? 0 : before) + step;
            state.write(now);
            out.output(KV.of(element.getKey(), now));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {PLAIN, HEAP, DELAYED})
    void cellsOfTwoStepsWithOneNameNeverMeet(String option) {
        Pipeline pipeline = pipeline(option);
        PCollection<KV<String, Integer>> elements = ofOneKey(pipeline, 3);
        PCollection<KV<String, Integer>> ones = elements.apply("Ones", ParDo.of(new CountInSharedName(1)));
        PAssert.that(ones).containsInAnyOrder(KV.of("key", 1), KV.of("key", 2), KV.of("key", 3));
        PAssert.that(ones.apply("Hundreds", ParDo.of(new CountInSharedName(100))))
                .containsInAnyOrder(KV.of("key", 100), KV.of("key", 200), KV.of("key", 300));
        PAssert.that(elements.apply("Tens", ParDo.of(new CountInSharedName(10))))
                .containsInAnyOrder(KV.of("key", 10), KV.of("key", 20), KV.of("key", 30));
        pipeline.run().waitUntilFinish();
    }
}
