// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

import dev.disagg.runner.graph.Head;
import dev.disagg.runner.graph.StageGraph;
import dev.disagg.runner.graph.Translation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.View;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.IntervalWindow;
import org.apache.beam.sdk.transforms.windowing.PaneInfo;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionView;
import org.apache.beam.sdk.values.WindowedValues;
import org.joda.time.Duration;
import org.joda.time.Instant;

/** Random input for a {@link DigestFn}: elements that are never late, and panes of its side input, if it has one. */
final class DigestProgram {
    /** Which DoFn a program runs; translated once. */
    enum Kind {
        SIDE_INPUT,
        STABLE_INPUT;

        final StageGraph graph;
        final StageGraph.Stage stage;

        Kind() {
            Pipeline pipeline = Pipeline.create();
            PCollection<KV<String, Long>> input =
                    input(pipeline, "Main").apply(Window.into(FixedWindows.of(Duration.millis(WINDOW_MILLIS))));
            PCollection<KV<String, Long>> output;
            if (ordinal() == 0) {
                PCollectionView<Iterable<KV<String, Long>>> view = input(pipeline, "Side")
                        .apply("SideWindows", Window.into(FixedWindows.of(Duration.millis(SIDE_MILLIS))))
                        .apply("AsView", View.asIterable());
                output = input.apply(
                        "Step", ParDo.of(new DigestFn.WithSide(view)).withSideInputs(view));
            } else {
                output = input.apply("Step", ParDo.of(new DigestFn.Stable()));
            }
            output.setCoder(KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of())).apply("Behind", GroupByKey.create());
            graph = Translation.translate(pipeline, 1);
            stage = graph.stages().stream()
                    .filter(each -> each.head() instanceof Head.Stateful)
                    .findFirst()
                    .orElseThrow();
        }

        private static PCollection<KV<String, Long>> input(Pipeline pipeline, String name) {
            return pipeline.apply(
                    name, Create.of(KV.of("k", 1L)).withCoder(KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of())));
        }
    }

    static final long WINDOW_MILLIS = 10;
    /** A window of the side input is that of two of the elements. */
    static final long SIDE_MILLIS = 20;
    /** What is fed after a failure is told from what was fed before by this much. */
    static final long ATTEMPT = 1000;

    private static final int MOST_RESTORES_ID = 6;

    final Kind kind;
    final List<String> keys = new ArrayList<>();
    final Plan plan;
    /** Per begin of a window of the side input, how many panes it gets. */
    final Map<Long, Integer> panes = new HashMap<>();

    DigestProgram(long seed, Kind kind) {
        this.kind = kind;
        SplittableRandom random = new SplittableRandom(Mix.of(seed, kind.ordinal(), 12));
        for (int i = 1 + random.nextInt(5); i > 0; i--) {
            keys.add("k" + i);
        }
        Map<Long, Integer> restores = new HashMap<>();
        List<Fed> items = items(random, restores);
        if (kind == Kind.STABLE_INPUT && seed % 2 == 0) {
            restores.replaceAll((id, tasks) -> 1);
        }
        int channels = kind == Kind.SIDE_INPUT ? 2 : 1;
        plan = new Plan(kind.graph, kind.stage, channels, items, restores, Setting.random(random));
    }

    private List<Fed> items(RandomGenerator random, Map<Long, Integer> restores) {
        List<Fed> items = new ArrayList<>();
        boolean side = kind == Kind.SIDE_INPUT;
        long[] time = new long[2];
        long number = 1;
        long checkpoint = 0;
        int barriers = random.nextInt(4);
        for (int n = 12 + random.nextInt(35); n > 0; n--) {
            int choice = random.nextInt(side ? 32 : 24);
            if (choice < 16) {
                String key = keys.get(random.nextInt(keys.size()));
                items.add(element(key, number++, time[0] + random.nextInt(25)));
            } else if (choice < 21) {
                time[0] += random.nextInt(14);
                items.add(new Fed.Mark(0, time[0], false));
            } else if (choice < 24) {
                if (barriers-- > 0) {
                    checkpoint++;
                    int first = side ? random.nextInt(2) : 0;
                    items.add(new Fed.BarrierAt(first, checkpoint));
                    if (side) {
                        items.add(new Fed.BarrierAt(1 - first, checkpoint));
                    }
                }
            } else if (choice < 29) {
                long in = time[1] + random.nextInt(30);
                long begin = in - in % SIDE_MILLIS;
                int pane = panes.merge(begin, 1, Integer::sum) - 1;
                items.add(new Fed.Pane(
                        new IntervalWindow(new Instant(begin), Duration.millis(SIDE_MILLIS)),
                        pane,
                        List.of(KV.of("side", sideValue(begin, pane)))));
            } else {
                time[1] += random.nextInt(24);
                items.add(new Fed.Mark(1, time[1], false));
            }
        }
        // Of stable input, also checkpoints that tasks ask for in the end.
        for (long id = 1; id <= (side ? checkpoint : MOST_RESTORES_ID); id++) {
            if (random.nextInt(3) != 0) {
                restores.put(id, 1 + random.nextInt(2));
            }
        }
        return items;
    }

    /** Whether a task is ever restored from several. */
    boolean merges() {
        return plan.restores().containsValue(2);
    }

    static long sideValue(long begin, long pane) {
        return begin * 100 + pane;
    }

    private static Fed.Give element(String key, long number, long millis) {
        return new Fed.Give(WindowedValues.of(
                KV.of(key, number),
                new Instant(millis),
                FixedWindows.of(Duration.millis(WINDOW_MILLIS)).assignWindow(new Instant(millis)),
                PaneInfo.NO_FIRING));
    }

    /** As a source feeds it that gives other elements after each failure. */
    static Fed fedAgain(Fed item, long attempt) {
        if (!(item instanceof Fed.Give give)) {
            return item;
        }
        KV<String, Object> pair = give.value().getValue();
        return new Fed.Give(give.value().withValue(KV.of(pair.getKey(), (Long) pair.getValue() + attempt * ATTEMPT)));
    }

    List<Fed.Give> elements(String key) {
        return plan.items().stream()
                .filter(item -> item instanceof Fed.Give give && give.key().equals(key))
                .map(item -> (Fed.Give) item)
                .toList();
    }

    /** Per element of the key, the first checkpoint that contains it. */
    List<Long> containedIn(String key) {
        List<Long> in = new ArrayList<>();
        long next = 1;
        for (Fed item : plan.items()) {
            if (item instanceof Fed.BarrierAt at) {
                next = at.checkpoint() + 1;
            } else if (item instanceof Fed.Give give && give.key().equals(key)) {
                in.add(next);
            }
        }
        return in;
    }

    @Override
    public String toString() {
        return kind + ", " + keys.size() + " keys, " + plan;
    }
}
