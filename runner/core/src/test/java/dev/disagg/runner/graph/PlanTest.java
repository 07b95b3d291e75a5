// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.graph;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.everyItem;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThanOrEqualTo;
import static org.hamcrest.Matchers.not;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.DoubleCoder;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.io.GenerateSequence;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.Combine;
import org.apache.beam.sdk.transforms.Count;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.Flatten;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.Impulse;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.Reshuffle;
import org.apache.beam.sdk.transforms.Sum;
import org.apache.beam.sdk.transforms.Values;
import org.apache.beam.sdk.transforms.View;
import org.apache.beam.sdk.transforms.WithKeys;
import org.apache.beam.sdk.transforms.windowing.AfterPane;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.Repeatedly;
import org.apache.beam.sdk.transforms.windowing.Sessions;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.util.CombineFnUtil;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionList;
import org.apache.beam.sdk.values.PCollectionView;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.joda.time.Duration;
import org.junit.jupiter.api.Test;

/** What small pipelines become. The plans are kept as texts, to be read. */
class PlanTest {
    private static final int PARALLELISM = 3;

    private static StageGraph plan(Consumer<Pipeline> make) {
        Pipeline pipeline = Pipeline.create();
        make.accept(pipeline);
        StageGraph graph = Translation.translate(pipeline, PARALLELISM);
        checkInvariants(graph);
        return graph;
    }

    private static StageGraph golden(String name, Consumer<Pipeline> make) {
        StageGraph graph = plan(make);
        Golden.assertEqual(name, Explain.text(graph));
        return graph;
    }

    /** What is true of every plan. */
    private static void checkInvariants(StageGraph graph) {
        Set<Integer> produced = new HashSet<>();
        Set<String> ids = new HashSet<>();
        for (StageGraph.Stage stage : graph.stages()) {
            assertThat("an id names one stage", ids.add(stage.id()), is(true));
            stage.produces()
                    .forEach(collection ->
                            assertThat("a collection has one producer", produced.add(collection), is(true)));
            Set<Integer> inside = new HashSet<>(stage.head().outputs());
            for (Step step : stage.steps()) {
                assertThat("a step's input is made before it, in its stage", inside.contains(step.input()), is(true));
                inside.addAll(step.outputs());
            }
        }
        for (StageGraph.Edge edge : graph.edges()) {
            assertThat("edges lead forward", edge.toStage(), greaterThan(edge.fromStage()));
            assertThat(
                    "an edge carries what its stage makes",
                    graph.stages().get(edge.fromStage()).produces().contains(edge.collection()),
                    is(true));
            if (edge.exchange() instanceof Exchange.ByKey) {
                assertThat(
                        "only a keyed step is fed by key",
                        graph.stages().get(edge.toStage()).keyed(),
                        is(true));
            }
        }
    }

    private static PCollection<KV<String, Long>> keyed(Pipeline pipeline, String name) {
        return pipeline.apply(name, GenerateSequence.from(0).to(100))
                .apply(name + "Keys", WithKeys.of(number -> "k" + number % 7))
                .setCoder(KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of()));
    }

    static final class Remember extends DoFn<KV<String, Long>, KV<String, Long>> {
        private static final long serialVersionUID = 1L;

        @StateId("last")
        private final StateSpec<ValueState<Long>> spec = StateSpecs.value(VarLongCoder.of());

        @ProcessElement
        public void process(
                @Element KV<String, Long> element,
                @StateId("last") ValueState<Long> state,
                OutputReceiver<KV<String, Long>> out) {
            state.write(element.getValue());
            out.output(element);
        }
    }

    static final class AddView extends DoFn<KV<String, Long>, Long> {
        private static final long serialVersionUID = 1L;
        private final PCollectionView<Long> view;

        AddView(PCollectionView<Long> view) {
            this.view = view;
        }

        @ProcessElement
        public void process(ProcessContext c) {
            c.output(c.element().getValue() + c.sideInput(view));
        }
    }

    @Test
    void countWordsIsTwoStages() {
        golden(
                "count-words",
                p -> p.apply("Lines", Create.of("a b", "b"))
                        .apply(
                                "Words",
                                MapElements.into(TypeDescriptors.strings()).via(line -> line))
                        .apply("Count", Count.perElement())
                        .apply(
                                "Format",
                                MapElements.into(TypeDescriptors.strings()).via(KV::getKey)));
    }

    @Test
    void eachKeyedStepBeginsAStage() {
        StageGraph graph = golden(
                "two-keyed-steps",
                p -> keyed(p, "Numbers")
                        .apply("First", ParDo.of(new Remember()))
                        .apply("Second", ParDo.of(new Remember()))
                        .apply("Group", GroupByKey.create())
                        .apply("Values", Values.create()));
        assertThat(graph.stages().stream().filter(StageGraph.Stage::keyed).count(), is(3L));
    }

    @Test
    void aFlattenIsNoStageAndItsInputsKeepTheirOwn() {
        golden(
                "flatten-three",
                p -> PCollectionList.of(keyed(p, "One"))
                        .and(keyed(p, "Two"))
                        .and(keyed(p, "Three"))
                        .apply("All", Flatten.pCollections())
                        .apply("Sum", Sum.longsPerKey()));
    }

    @Test
    void aParDoBehindAFlattenHasAStageOfItsOwn() {
        golden(
                "flatten-then-map",
                p -> PCollectionList.of(keyed(p, "One"))
                        .and(keyed(p, "Two"))
                        .apply("All", Flatten.pCollections())
                        .apply("Map", Values.create()));
    }

    @Test
    void aReaderOfASideInputHasAStageOfItsOwn() {
        StageGraph graph = golden("side-input", p -> {
            PCollectionView<Long> view = p.apply("Ten", Create.of(10L)).apply("AsView", View.asSingleton());
            keyed(p, "Numbers").apply("Add", ParDo.of(new AddView(view)).withSideInputs(view));
        });
        List<StageGraph.Stage> readers = graph.stages().stream()
                .filter(stage -> !stage.views().isEmpty())
                .toList();
        assertThat(readers, hasSize(1));
        assertThat(
                graph.into(readers.get(0).index()).stream()
                        .map(edge -> edge.exchange().label())
                        .sorted()
                        .toList(),
                contains("broadcast", "forward"));
    }

    @Test
    void aReshuffleIsAnExchangeWithoutState() {
        StageGraph graph = golden(
                "reshuffle",
                p -> keyed(p, "Numbers").apply("Shuffle", Reshuffle.of()).apply("Values", Values.create()));
        assertThat(graph.stages().stream().filter(StageGraph.Stage::keyed).toList(), is(empty()));
    }

    @Test
    void aCombineOfEverythingHasOneTask() {
        StageGraph graph = golden(
                "combine-globally",
                p -> p.apply("Numbers", GenerateSequence.from(0).to(10)).apply("Total", Sum.longsGlobally()));
        assertThat(keyedParallelism(graph), everyItem(is(1)));
        assertThat(
                keyedParallelism(plan(p -> keyed(p, "Numbers").apply("Sum", Sum.longsPerKey()))),
                everyItem(is(PARALLELISM)));
    }

    private static List<Integer> keyedParallelism(StageGraph graph) {
        List<Integer> tasks = new ArrayList<>();
        graph.stages().stream().filter(StageGraph.Stage::keyed).forEach(stage -> tasks.add(stage.parallelism()));
        return tasks;
    }

    // ---- when the local half of a combine is done upstream

    private static boolean lifted(Consumer<Pipeline> make) {
        String text = Explain.text(plan(make));
        return text.contains("combine per key, lifted");
    }

    private static PCollection<KV<String, Long>> windowed(Pipeline p, Window<KV<String, Long>> window) {
        return keyed(p, "Numbers").apply("Window", window);
    }

    @Test
    void combinesAreLiftedWithTheDefaultTriggerAndPlainWindows() {
        assertThat(lifted(p -> keyed(p, "Numbers").apply("Sum", Sum.longsPerKey())), is(true));
        assertThat(
                lifted(p -> windowed(p, Window.into(FixedWindows.of(Duration.standardMinutes(1))))
                        .apply("Sum", Sum.longsPerKey())),
                is(true));
    }

    @Test
    void combinesAreNotLiftedUnderAnotherTrigger() {
        assertThat(
                lifted(p -> windowed(
                                p,
                                Window.<KV<String, Long>>configure()
                                        .triggering(Repeatedly.forever(AfterPane.elementCountAtLeast(2)))
                                        .withAllowedLateness(Duration.ZERO)
                                        .discardingFiredPanes())
                        .apply("Sum", Sum.longsPerKey())),
                is(false));
    }

    @Test
    void combinesAreNotLiftedIntoMergingWindows() {
        assertThat(
                lifted(p -> windowed(p, Window.into(Sessions.withGapDuration(Duration.standardMinutes(1))))
                        .apply("Sum", Sum.longsPerKey())),
                is(false));
    }

    @Test
    void combinesWithSideInputsAreNotLifted() {
        StageGraph graph = plan(p -> {
            PCollectionView<Long> view = p.apply("Ten", Create.of(10L)).apply("AsView", View.asSingleton());
            keyed(p, "Numbers")
                    .apply(
                            "Sum",
                            Combine.<String, Long, Long>perKey(CombineFnUtil.toFnWithContext(Sum.ofLongs()))
                                    .withSideInputs(List.of(view)));
        });
        List<String> sum = graph.stages().stream()
                .flatMap(stage -> stage.transforms().stream())
                .filter(name -> name.startsWith("Sum"))
                .toList();
        assertThat(sum, hasItem("Sum/GroupByKey"));
        assertThat(sum, not(hasItem("Sum/Lifted")));
    }

    // ---- details

    @Test
    void aFlattenOfNothingIsAnEmptySource() {
        StageGraph graph = plan(p -> PCollectionList.<String>empty(p)
                .apply("Nothing", Flatten.pCollections())
                .setCoder(StringUtf8Coder.of())
                .apply("Map", MapElements.into(TypeDescriptors.strings()).via(line -> line)));
        assertThat(Explain.text(graph), containsString("empty"));
    }

    @Test
    void anImpulseHasOneTask() {
        StageGraph graph = plan(p -> p.apply("Impulse", Impulse.create()));
        assertThat(graph.stages().get(0).parallelism(), is(1));
        assertThat(graph.unbounded(), is(false));
    }

    @Test
    void aPipelineWithAnEndlessSourceIsUnbounded() {
        assertThat(plan(p -> p.apply(GenerateSequence.from(0))).unbounded(), is(true));
        assertThat(plan(p -> p.apply(GenerateSequence.from(0).to(5))).unbounded(), is(false));
    }

    @Test
    void aKeyCoderThatIsNotDeterministicIsAProblemThatNamesTransformCoderAndRemedy() {
        List<String> problems = new ArrayList<>();
        Translation.checkKeyCoder("Some/Step", DoubleCoder.of(), problems);
        Translation.checkKeyCoder("Other/Step", StringUtf8Coder.of(), problems);
        assertThat(problems, hasSize(1));
        assertThat(problems.get(0), containsString("Some/Step: the key coder DoubleCoder is not deterministic"));
        assertThat(problems.get(0), containsString("Set a deterministic coder"));
        assertThat("one line is enough", problems.get(0).lines().count(), lessThanOrEqualTo(3L));
    }

    @Test
    void theSamePipelineTwiceHasOneIdentity() {
        Consumer<Pipeline> make = p -> {
            PCollection<Long> tens = p.apply("Ten", Create.of(10L));
            PCollectionView<Long> view = tens.apply("AsView", View.asSingleton());
            PCollectionView<List<Long>> another = tens.apply("AsList", View.asList());
            keyed(p, "Numbers")
                    .apply("First", ParDo.of(new Remember()))
                    .apply("Group", GroupByKey.create())
                    .apply(
                            "Ungroup",
                            MapElements.into(TypeDescriptors.kvs(TypeDescriptors.strings(), TypeDescriptors.longs()))
                                    .via(kv -> KV.of(kv.getKey(), 1L)))
                    .apply("Add", ParDo.of(new AddView(view)).withSideInputs(view, another));
        };
        assertThat(Explain.differences(Explain.identity(plan(make)), Explain.identity(plan(make))), is(empty()));
    }
}
