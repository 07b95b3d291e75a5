// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.badinput;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThan;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.state.MapState;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.KV;
import org.junit.jupiter.api.Test;

/** User code with threads of its own, or that goes on after a failure. */
class MisusedThreadsTest {
    private static List<KV<String, Integer>> elements(int count) {
        List<KV<String, Integer>> elements = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            elements.add(KV.of("k" + i, i));
        }
        return elements;
    }

    /** What a step uses on a thread of its own, while the call waits for it. */
    private enum Use {
        STATE,
        OUTPUT,
        NOTHING
    }

    private static final class OwnThread extends DoFn<KV<String, Integer>, Integer> {
        private static final long serialVersionUID = 1L;

        @StateId("last")
        private final StateSpec<ValueState<Integer>> spec = StateSpecs.value(VarIntCoder.of());

        private final Use use;

        OwnThread(Use use) {
            this.use = use;
        }

        @ProcessElement
        public void process(
                @Element KV<String, Integer> element,
                @StateId("last") ValueState<Integer> last,
                OutputReceiver<Integer> out)
                throws Exception {
            FutureTask<Integer> work = new FutureTask<>(() -> {
                switch (use) {
                    case STATE -> last.read();
                    case OUTPUT -> out.output(element.getValue());
                    case NOTHING -> {}
                }
                return element.getValue() + 1;
            });
            Thread own = new Thread(work, "a thread of the user");
            own.start();
            int result = work.get();
            last.write(result);
            out.output(result);
        }
    }

    private static Pipeline withOwnThread(Use use, String... more) {
        List<String> arguments = new ArrayList<>(List.of("--runner=TestDisaggRunner", "--parallelism=1"));
        arguments.addAll(List.of(more));
        Pipeline pipeline = Jobs.pipeline(arguments.toArray(String[]::new));
        PAssert.that(pipeline.apply("Elements", Create.of(elements(5)).withCoder(Jobs.kvCoder()))
                        .apply("Threads", ParDo.of(new OwnThread(use))))
                .containsInAnyOrder(1, 2, 3, 4, 5);
        return pipeline;
    }

    @Test
    void aThreadOfTheUserMayWorkForTheCallThatWaitsForIt() {
        assertThat(
                withOwnThread(Use.NOTHING, "--delayedReads=5").run().getState(),
                is(org.apache.beam.sdk.PipelineResult.State.DONE));
    }

    @Test
    void stateIsRefusedToAThreadOfTheUserByName() {
        Pipeline pipeline = withOwnThread(Use.STATE);
        RuntimeException failed = assertThrows(RuntimeException.class, pipeline::run);
        assertThat(
                failed.getMessage(),
                allOf(containsString("Threads"), containsString("a thread of the user"), containsString("key ")));
    }

    @Test
    void soIsAnOutput() {
        Pipeline pipeline = withOwnThread(Use.OUTPUT);
        RuntimeException failed = assertThrows(RuntimeException.class, pipeline::run);
        assertThat(failed.getMessage(), allOf(containsString("Threads"), containsString("a thread of the user")));
    }

    /** Goes on whatever is thrown at it; counts how far it comes once others have failed. */
    private static final class Stubborn extends DoFn<KV<String, Integer>, Integer> {
        private static final long serialVersionUID = 1L;
        static final AtomicInteger WRITES_AFTER_FAILURE = new AtomicInteger();

        @StateId("map")
        private final StateSpec<MapState<Integer, Integer>> map = StateSpecs.map(VarIntCoder.of(), VarIntCoder.of());

        @StateId("last")
        private final StateSpec<ValueState<Integer>> value = StateSpecs.value(VarIntCoder.of());

        @ProcessElement
        public void process(
                @Element KV<String, Integer> element,
                @StateId("map") MapState<Integer, Integer> entries,
                @StateId("last") ValueState<Integer> last,
                OutputReceiver<Integer> out) {
            boolean failed = false;
            try {
                entries.get(1).read();
            } catch (RuntimeException e) {
                failed = true;
            }
            if (element.getKey().equals("k7")) {
                throw new StackOverflowError("as if the user's code had gone too deep");
            }
            for (Runnable use : List.<Runnable>of(
                    () -> last.write(1), () -> out.output(1), () -> entries.put(1, 1), () -> last.clear())) {
                try {
                    use.run();
                    if (failed) {
                        WRITES_AFTER_FAILURE.incrementAndGet();
                    }
                } catch (RuntimeException e) {
                    failed = true;
                }
            }
        }
    }

    @Test
    void codeThatCatchesTheFailureComesNoFurtherAndAnErrorFailsTheJobOnce() {
        Stubborn.WRITES_AFTER_FAILURE.set(0);
        Pipeline pipeline = Jobs.pipeline("--runner=TestDisaggRunner", "--delayedReads=11", "--parallelism=1");
        pipeline.apply("Elements", Create.of(elements(100)).withCoder(Jobs.kvCoder()))
                .apply("Stubborn", ParDo.of(new Stubborn()));
        Throwable failed = assertThrows(Throwable.class, pipeline::run);
        assertThat(String.valueOf(failed), allOf(containsString("Stubborn"), containsString("gone too deep")));
        assertThat("state, outputs and timers are shut", Stubborn.WRITES_AFTER_FAILURE.get(), lessThan(1));
    }

    @Test
    void aNameOfATransformThatThereIsNotIsRefusedWithThoseThatThereAre() {
        Pipeline pipeline = Jobs.pipeline("--runner=TestDisaggRunner", "--synchronousTransforms=Stuborn,Elements");
        pipeline.apply("Elements", Create.of(elements(1)).withCoder(Jobs.kvCoder()))
                .apply("Stubborn", ParDo.of(new Stubborn()));
        RuntimeException refused = assertThrows(RuntimeException.class, pipeline::run);
        assertThat(
                refused.getMessage(),
                allOf(
                        containsString("--synchronousTransforms: the pipeline has no transform Stuborn;"),
                        containsString("Stubborn")));
    }
}
