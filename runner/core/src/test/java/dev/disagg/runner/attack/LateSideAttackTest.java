// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.attack;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.disagg.runner.DisaggPipelineResult;
import dev.disagg.runner.testing.Feed;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.metrics.Counter;
import org.apache.beam.sdk.metrics.Metrics;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.View;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollectionView;
import org.joda.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many stable elements that wait for a side input, per key in order, over restores. */
class LateSideAttackTest {
    static final class Ordered extends DoFn<KV<String, Long>, Void> {
        private static final long serialVersionUID = 1;
        private final PCollectionView<List<String>> view;
        private final Counter n = Metrics.counter("attack", "n");
        private final Counter sum = Metrics.counter("attack", "sum");
        private final Counter disorder = Metrics.counter("attack", "disorder");

        @StateId("last")
        private final StateSpec<ValueState<Long>> last = StateSpecs.value(VarLongCoder.of());

        Ordered(PCollectionView<List<String>> view) {
            this.view = view;
        }

        @ProcessElement
        @RequiresStableInput
        public void process(ProcessContext c, @StateId("last") ValueState<Long> last) {
            Long before = last.read();
            if (before != null && before >= c.element().getValue()) {
                disorder.inc();
            }
            last.write(c.element().getValue());
            if (c.sideInput(view).size() == 1) {
                n.inc();
                sum.inc(c.element().getValue());
            }
        }
    }

    static final class Key extends DoFn<String, KV<String, Long>> {
        private static final long serialVersionUID = 1;

        @ProcessElement
        public void process(@Element String s, OutputReceiver<KV<String, Long>> out) {
            out.output(KV.of("k" + Long.parseLong(s) % 7 + "y".repeat(90), Long.parseLong(s)));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void inOrder(boolean restores) throws Exception {
        String job = Run.name("lateside");
        Feed main = new Feed();
        Feed side = new Feed();
        long n = 80_000;
        for (long i = 0; i < n; i++) {
            main.give("" + i, i % 3 == 2 ? 150 : 50);
        }
        Consumer<Pipeline> description = p -> {
            PCollectionView<List<String>> view = p.apply("Side", side.read())
                    .apply("SW", Window.into(FixedWindows.of(Duration.millis(100))))
                    .apply(View.asList());
            p.apply("Main", main.read())
                    .apply("Key", ParDo.of(new Key()))
                    .setCoder(KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of()))
                    .apply("MW", Window.into(FixedWindows.of(Duration.millis(100))))
                    .apply("Ordered", ParDo.of(new Ordered(view)).withSideInputs(view));
        };
        DisaggPipelineResult running =
                Run.start(job, description, "--parallelism=2", "--stateMemory=2MiB", "--checkpointInterval=200ms");
        for (int i = 0; i < 3000 && running.progress().records() < n; i++) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
        running.checkpoint().get(30, TimeUnit.SECONDS);
        running.checkpoint().get(30, TimeUnit.SECONDS);
        side.give("s", 10).watermark(100);
        if (restores) {
            for (int parallelism : new int[] {1, 3, 2}) {
                TimeUnit.MILLISECONDS.sleep(150);
                running.cancel();
                running = Run.start(
                        job,
                        description,
                        "--parallelism=" + parallelism,
                        "--stateMemory=2MiB",
                        "--checkpointInterval=100ms");
            }
        }
        TimeUnit.MILLISECONDS.sleep(300);
        side.give("t", 110);
        side.close();
        main.close();
        Run.done(running);
        assertThat("n", Run.counter(running, "n", true), is(n));
        assertThat("sum", Run.counter(running, "sum", true), is(n * (n - 1) / 2));
        assertThat("dropped", Run.counter(running, "droppedDueToLateness", true), is(0L));
    }
}
