// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.lessons;

import dev.disagg.runner.testing.Mode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.state.BagState;
import org.apache.beam.sdk.state.MapState;
import org.apache.beam.sdk.state.MultimapState;
import org.apache.beam.sdk.state.OrderedListState;
import org.apache.beam.sdk.state.SetState;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.TimestampedValue;
import org.joda.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Lesson 22: an iterator over state that was taken before the state was changed, and even moved on, shows what was there.
 * {@code StateSemanticsTest} has the same of what was read, one kind of state at a time.
 */
class Lesson22IteratorsDoNotChangeTest {
    /** The first element puts three entries everywhere; the second takes iterators, changes everything, and goes on. */
    static final class ChangeWhileIterating extends DoFn<KV<String, Integer>, String> {
        private static final long serialVersionUID = 1L;

        @StateId("bag")
        private final StateSpec<BagState<Integer>> bagSpec = StateSpecs.bag(VarIntCoder.of());

        @StateId("set")
        private final StateSpec<SetState<Integer>> setSpec = StateSpecs.set(VarIntCoder.of());

        @StateId("map")
        private final StateSpec<MapState<Integer, Integer>> mapSpec =
                StateSpecs.map(VarIntCoder.of(), VarIntCoder.of());

        @StateId("multimap")
        private final StateSpec<MultimapState<Integer, Integer>> multimapSpec =
                StateSpecs.multimap(VarIntCoder.of(), VarIntCoder.of());

        @StateId("list")
        private final StateSpec<OrderedListState<Integer>> listSpec = StateSpecs.orderedList(VarIntCoder.of());

        @ProcessElement
        public void process(
                @Element KV<String, Integer> element,
                @StateId("bag") BagState<Integer> bag,
                @StateId("set") SetState<Integer> set,
                @StateId("map") MapState<Integer, Integer> map,
                @StateId("multimap") MultimapState<Integer, Integer> multimap,
                @StateId("list") OrderedListState<Integer> list,
                OutputReceiver<String> out) {
            if (element.getValue() == 1) {
                for (int i = 1; i <= 3; i++) {
                    bag.add(i);
                    set.add(i);
                    map.put(i, 10 * i);
                    multimap.put(i, 10 * i);
                    multimap.put(i, 10 * i + 1);
                    list.add(TimestampedValue.of(10 * i, new Instant(i)));
                }
                return;
            }
            Open<Integer> bagged = new Open<>("bag", bag.read());
            Open<Integer> inSet = new Open<>("set", set.read());
            Open<Integer> keys = new Open<>("keys", map.keys().read());
            Open<Integer> values = new Open<>("values", map.values().read());
            Open<Map.Entry<Integer, Integer>> entries =
                    new Open<>("entries", map.entries().read());
            Open<Integer> multikeys = new Open<>("multikeys", multimap.keys().read());
            Open<Integer> ofTwo = new Open<>("ofTwo", multimap.get(2).read());
            Open<Map.Entry<Integer, Integer>> multientries =
                    new Open<>("multientries", multimap.entries().read());
            Open<TimestampedValue<Integer>> listed = new Open<>("list", list.read());
            Open<TimestampedValue<Integer>> ranged =
                    new Open<>("range", list.readRange(new Instant(2), new Instant(4)));
            for (int i = 2; i <= 3; i++) {
                set.remove(i);
                map.remove(i);
                map.put(i, 7);
                map.remove(i);
                map.put(i, 8);
                multimap.remove(i);
                multimap.put(i, 7);
                multimap.remove(i);
                multimap.put(i, 8);
            }
            map.put(4, 4);
            multimap.put(4, 4);
            bag.add(4);
            set.add(4);
            bag.clear();
            list.clearRange(new Instant(2), new Instant(3));
            list.add(TimestampedValue.of(99, new Instant(3)));
            out.output(bagged.rest());
            out.output(inSet.rest());
            out.output(keys.rest());
            out.output(values.rest());
            out.output(entries.rest());
            out.output(multikeys.rest());
            out.output(ofTwo.rest());
            out.output(multientries.rest());
            out.output(listed.rest());
            out.output(ranged.rest());
            Open<Integer> after = new Open<>("after", map.values().read());
            out.output(after.rest());
        }
    }

    /** An iterator that has been moved on once. */
    private static final class Open<T> {
        private final String name;
        private final Iterator<T> iterator;
        private final List<String> seen = new ArrayList<>();

        Open(String name, Iterable<T> values) {
            this.name = name;
            this.iterator = values.iterator();
            seen.add(text(iterator.next()));
        }

        private static String text(Object value) {
            if (value instanceof Map.Entry<?, ?> entry) {
                return entry.getKey() + ":" + entry.getValue();
            }
            return value instanceof TimestampedValue<?> stamped
                    ? stamped.getValue() + "@" + stamped.getTimestamp().getMillis()
                    : String.valueOf(value);
        }

        String rest() {
            iterator.forEachRemaining(value -> seen.add(text(value)));
            return name + seen.stream().sorted().toList();
        }
    }

    /** Beam's own runner is left out: its maps and sets do change under an iterator. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "DIRECT")
    void iteratorsOverEveryKindOfStateShowWhatWasThere(Mode mode) {
        for (String backend : List.of("disagg", "heap")) {
            Pipeline pipeline = mode.pipeline("--stateBackend=" + backend);
            PAssert.that(pipeline.apply(Create.of(KV.of("key", 1), KV.of("key", 2))
                                    .withCoder(KvCoder.of(StringUtf8Coder.of(), VarIntCoder.of())))
                            .apply(ParDo.of(new ChangeWhileIterating())))
                    .containsInAnyOrder(
                            "bag[1, 2, 3]",
                            "set[1, 2, 3]",
                            "keys[1, 2, 3]",
                            "values[10, 20, 30]",
                            "entries[1:10, 2:20, 3:30]",
                            "multikeys[1, 2, 3]",
                            "ofTwo[20, 21]",
                            "multientries[1:10, 1:11, 2:20, 2:21, 3:30, 3:31]",
                            "list[10@1, 20@2, 30@3]",
                            "range[20@2, 30@3]",
                            "after[10, 4, 8, 8]");
            Mode.run(pipeline);
        }
    }
}
