// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.graph;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.VoidCoder;
import org.apache.beam.sdk.transforms.windowing.WindowFn;
import org.apache.beam.sdk.util.AppliedCombineFn;
import org.apache.beam.sdk.util.construction.SplittableParDo;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionView;
import org.apache.beam.sdk.values.PValue;
import org.apache.beam.sdk.values.WindowedValue;
import org.apache.beam.sdk.values.WindowingStrategy;
import org.jspecify.annotations.Nullable;

/**
 * Fuses transforms into stages. A transform joins the stage that produces its input, unless it needs an exchange, reads a
 * side input or requires stable input (elements have to wait, which they do at the door of a stage), or has several
 * producers.
 */
final class GraphBuilder {
    private final int parallelism;
    private final List<String> problems;
    private final Map<PValue, Integer> numbers = new HashMap<>();
    private final Map<Integer, Coder<WindowedValue<Object>>> coders = new HashMap<>();
    private int nextNumber;
    /** What a collection consists of: itself, or the inputs of a Flatten. */
    private final Map<Integer, List<Integer>> parts = new HashMap<>();

    private final Map<Integer, Draft> producers = new HashMap<>();
    private final List<Draft> drafts = new ArrayList<>();
    private final List<StageGraph.Edge> edges = new ArrayList<>();
    private final Map<PCollectionView<?>, Materialized> materialized = new HashMap<>();
    private final Set<String> ids = new HashSet<>();
    private boolean unbounded;

    GraphBuilder(int parallelism, List<String> problems) {
        this.parallelism = parallelism;
        this.problems = problems;
    }

    /** A stage being built. */
    private static final class Draft {
        final int index;
        final String id;
        final Head head;
        final int parallelism;
        final List<Step> steps = new ArrayList<>();
        final List<PCollectionView<?>> views = new ArrayList<>();
        boolean stableInput;

        Draft(int index, String id, Head head, int parallelism) {
            this.index = index;
            this.id = id;
            this.head = head;
            this.parallelism = parallelism;
        }
    }

    private record Materialized(String name, List<Integer> collections) {}

    int number(PValue collection) {
        return numbers.computeIfAbsent(collection, c -> {
            if (c instanceof PCollection<?> real) {
                coders.put(nextNumber, EdgeCoders.of(real.getCoder(), real.getWindowingStrategy()));
            }
            return nextNumber++;
        });
    }

    /** A collection that exists only between the halves of a transform. */
    private int fresh(Coder<WindowedValue<Object>> coder) {
        coders.put(nextNumber, coder);
        return nextNumber++;
    }

    private Coder<WindowedValue<Object>> coder(int collection) {
        Coder<WindowedValue<Object>> coder = coders.get(collection);
        if (coder == null) {
            throw new IllegalStateException("collection " + collection + " has no coder");
        }
        return coder;
    }

    private List<Integer> partsOf(PValue collection) {
        int number = number(collection);
        return parts.getOrDefault(number, List.of(number));
    }

    private Draft newStage(String name, Head head, int tasks) {
        String id = name;
        for (int i = 2; !ids.add(id); i++) {
            id = name + " #" + i;
        }
        Draft draft = new Draft(drafts.size(), id, head, tasks);
        drafts.add(draft);
        head.outputs().forEach(output -> producers.put(output, draft));
        return draft;
    }

    private Draft producer(int collection) {
        Draft draft = producers.get(collection);
        if (draft == null) {
            throw new IllegalStateException("collection " + collection + " has no producer");
        }
        return draft;
    }

    private void addStep(Draft stage, Step step) {
        stage.steps.add(step);
        step.outputs().forEach(output -> producers.put(output, stage));
    }

    private void connect(Draft to, Collection<Integer> collections, Exchange exchange) {
        for (int collection : collections) {
            edges.add(new StageGraph.Edge(
                    edges.size(), producer(collection).index, collection, to.index, exchange, coder(collection)));
        }
    }

    void source(String name, PCollection<?> output, IntFunction<Head.Source> head, boolean endless) {
        Head.Source source = head.apply(number(output));
        boolean one = source instanceof Head.Scripted || source instanceof Head.Impulse || source instanceof Head.Empty;
        newStage(name, source, one ? 1 : parallelism);
        unbounded |=
                endless && output.isBounded() == PCollection.IsBounded.UNBOUNDED && !(source instanceof Head.Scripted);
    }

    void flatten(String name, Collection<? extends PValue> inputs, PCollection<?> output) {
        if (inputs.isEmpty()) {
            newStage(name, new Head.Empty(name, number(output)), 1);
            return;
        }
        List<Integer> all = new ArrayList<>();
        inputs.forEach(input -> all.addAll(partsOf(input)));
        parts.put(number(output), List.copyOf(all));
    }

    void alias(PCollection<?> input, PCollection<?> output) {
        if (number(input) != number(output)) {
            parts.put(number(output), partsOf(input));
        }
    }

    /** The stage, and the collection in it, where a straight transform that consumes {@code input} belongs. */
    private Place placeFor(String name, PCollection<?> input, boolean ownStage) {
        List<Integer> collections = partsOf(input);
        if (!ownStage && collections.size() == 1) {
            return new Place(producer(collections.get(0)), collections.get(0));
        }
        int tasks = collections.stream()
                .mapToInt(c -> producer(c).parallelism)
                .max()
                .orElse(1);
        int inside = fresh(coder(collections.get(0)));
        Draft stage = newStage(name, new Head.Pass("", inside), tasks);
        connect(stage, collections, new Exchange.Forward());
        return new Place(stage, inside);
    }

    private record Place(Draft stage, int collection) {}

    void assignWindows(String name, PCollection<?> input, PCollection<?> output, @Nullable WindowFn<?, ?> windowFn) {
        if (windowFn == null) {
            alias(input, output);
            return;
        }
        Place place = placeFor(name, input, false);
        addStep(place.stage(), new Step.AssignWindows(name, place.collection(), windowFn, number(output)));
    }

    void parDo(ParDoSpec spec, PCollection<?> input) {
        Place place = placeFor(spec.name(), input, !spec.sideInputs().isEmpty() || spec.stableInput());
        place.stage().views.addAll(MaterializedViews.of(spec));
        place.stage().stableInput |= spec.stableInput();
        addStep(place.stage(), new Step.Do(place.collection(), spec));
    }

    void statefulParDo(ParDoSpec spec, PCollection<?> input) {
        Head.Stateful head = new Head.Stateful(spec);
        Draft stage = newStage(spec.name(), head, parallelism);
        stage.views.addAll(MaterializedViews.of(spec));
        stage.stableInput = spec.stableInput();
        connect(stage, partsOf(input), new Exchange.ByKey(head.keyCoder()));
    }

    void splittable(ParDoSpec spec, SplittableParDo.ProcessKeyedElements<?, ?, ?, ?> process, PCollection<?> input) {
        Coder<?> keyCoder = ((KvCoder<?, ?>) input.getCoder()).getKeyCoder();
        Draft stage = newStage(spec.name(), new Head.Splittable(spec, process, keyCoder), parallelism);
        stage.views.addAll(MaterializedViews.of(spec));
        stage.stableInput = spec.stableInput();
        connect(stage, partsOf(input), new Exchange.ByKey(keyCoder));
    }

    void groupByKey(
            String name,
            PCollection<?> input,
            PCollection<?> output,
            KvCoder<?, ?> coder,
            WindowingStrategy<?, ?> windowing) {
        Draft stage = newStage(name, new Head.Group(name, coder, windowing, number(output)), tasksFor(coder));
        connect(stage, partsOf(input), new Exchange.ByKey(coder.getKeyCoder()));
    }

    void combine(
            String name,
            PCollection<?> input,
            PCollection<?> output,
            KvCoder<?, ?> coder,
            AppliedCombineFn<?, ?, ?, ?> combine,
            boolean lift,
            WindowingStrategy<?, ?> windowing) {
        List<Integer> collections = partsOf(input);
        if (lift) {
            List<Integer> lifted = new ArrayList<>();
            for (int collection : collections) {
                int partial =
                        fresh(EdgeCoders.of(KvCoder.of(coder.getKeyCoder(), combine.getAccumulatorCoder()), windowing));
                addStep(
                        producer(collection),
                        new Step.Lift(name + "/Lifted", collection, coder, combine, windowing, partial));
                lifted.add(partial);
            }
            collections = lifted;
        }
        Head.Combine head = new Head.Combine(name, coder, combine, lift, windowing, number(output));
        Draft stage = newStage(name, head, tasksFor(coder));
        connect(stage, collections, new Exchange.ByKey(coder.getKeyCoder()));
    }

    /** One key needs one task. */
    private int tasksFor(KvCoder<?, ?> coder) {
        return coder.getKeyCoder() instanceof VoidCoder ? 1 : parallelism;
    }

    void reshuffle(String name, PCollection<?> input, PCollection<?> output, Coder<?> keyCoder) {
        Draft stage = newStage(name, new Head.Pass(name, number(output)), parallelism);
        connect(stage, partsOf(input), new Exchange.Reshuffle(keyCoder));
    }

    void materialize(String name, PCollection<?> panes, PCollectionView<?> view) {
        materialized.put(view, new Materialized(name, partsOf(panes)));
    }

    StageGraph build() {
        List<List<View>> views = new ArrayList<>();
        for (Draft draft : drafts) {
            List<View> ofStage = new ArrayList<>();
            for (PCollectionView<?> handle : new java.util.LinkedHashSet<>(draft.views)) {
                Materialized from = materialized.get(handle);
                if (from == null) {
                    problems.add(draft.id + ": the side input " + handle + " is not materialized in this pipeline");
                    continue;
                }
                View view = new View(from.name(), handle);
                ofStage.add(view);
                connect(draft, from.collections(), new Exchange.Broadcast(view));
            }
            views.add(ofStage);
        }
        return new Order(drafts.size(), edges)
                .graph(
                        (index, newIndex) -> {
                            Draft draft = drafts.get(index);
                            return new StageGraph.Stage(
                                    newIndex,
                                    draft.id,
                                    draft.head,
                                    draft.steps,
                                    views.get(index),
                                    draft.parallelism,
                                    draft.stableInput);
                        },
                        unbounded);
    }
}
