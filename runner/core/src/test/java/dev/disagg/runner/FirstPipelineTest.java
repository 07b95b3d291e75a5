// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import java.util.Arrays;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.PipelineResult;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.TimeDomain;
import org.apache.beam.sdk.state.Timer;
import org.apache.beam.sdk.state.TimerSpec;
import org.apache.beam.sdk.state.TimerSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.Count;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.Sum;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.junit.jupiter.api.Test;

/** The shortest pipelines that touch each kind of stage. */
class FirstPipelineTest {
    private static Pipeline pipeline(String... args) {
        String[] all = Arrays.copyOf(args, args.length + 1);
        all[args.length] = "--runner=TestDisaggRunner";
        return Pipeline.create(PipelineOptionsFactory.fromArgs(all).create());
    }

    @Test
    void pipelineWithoutAnyTransformIsDone() {
        assertThat(pipeline().run().waitUntilFinish(), is(PipelineResult.State.DONE));
    }

    @Test
    void countsAndSumsPerKey() {
        Pipeline p = pipeline("--parallelism=2");
        PCollection<KV<String, Integer>> in = p.apply(Create.of(KV.of("a", 1), KV.of("b", 2), KV.of("a", 3)));
        PAssert.that(in.apply(Sum.integersPerKey())).containsInAnyOrder(KV.of("a", 4), KV.of("b", 2));
        PAssert.that(in.apply(Count.perKey())).containsInAnyOrder(KV.of("a", 2L), KV.of("b", 1L));
        PAssert.that(in.apply(GroupByKey.create())
                        .apply(MapElements.into(TypeDescriptors.strings()).via(kv -> kv.getKey())))
                .containsInAnyOrder("a", "b");
        p.run().waitUntilFinish();
    }

    static final class CountThenTimer extends DoFn<KV<String, Integer>, KV<String, Long>> {
        private static final long serialVersionUID = 1L;

        @StateId("count")
        private final StateSpec<ValueState<Long>> count = StateSpecs.value(VarLongCoder.of());

        @TimerId("end")
        private final TimerSpec end = TimerSpecs.timer(TimeDomain.EVENT_TIME);

        @StateId("key")
        private final StateSpec<ValueState<String>> key = StateSpecs.value(StringUtf8Coder.of());

        @ProcessElement
        public void process(
                ProcessContext c,
                @StateId("count") ValueState<Long> state,
                @StateId("key") ValueState<String> keyState,
                @TimerId("end") Timer timer) {
            Long before = state.read();
            state.write(before == null ? 1 : before + 1);
            keyState.write(c.element().getKey());
            timer.withOutputTimestamp(c.timestamp()).set(c.timestamp().plus(org.joda.time.Duration.millis(5)));
        }

        @OnTimer("end")
        public void end(
                OnTimerContext c,
                @StateId("count") ValueState<Long> state,
                @StateId("key") ValueState<String> keyState) {
            c.output(KV.of(keyState.read(), state.read()));
        }
    }

    private static void statefulPipeline(String... args) {
        Pipeline p = pipeline(args);
        PCollection<KV<String, Long>> out = p.apply(Create.of(KV.of("a", 1), KV.of("b", 2), KV.of("a", 3))
                        .withCoder(org.apache.beam.sdk.coders.KvCoder.of(StringUtf8Coder.of(), VarIntCoder.of())))
                .apply(ParDo.of(new CountThenTimer()));
        PAssert.that(out).containsInAnyOrder(KV.of("a", 2L), KV.of("b", 1L));
        p.run().waitUntilFinish();
    }

    @Test
    void statefulDoFnWithTimer() {
        statefulPipeline();
    }

    @Test
    void statefulDoFnWithTimerOnHeap() {
        statefulPipeline("--stateBackend=heap");
    }

    @Test
    void statefulDoFnWithDelayedReads() {
        statefulPipeline("--delayedReads=1");
    }
}
