// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.lessons;

import dev.disagg.runner.testing.Mode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.io.GenerateSequence;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.Count;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.WithKeys;
import org.apache.beam.sdk.values.KV;
import org.junit.jupiter.api.Test;

/** Lesson 29: what bundles keep goes with them. That each is finished, BundleLifeTest says. */
class Lesson29BoundedHeapTest {
    /** Keeps 64 KiB per element until its bundle ends; together several times the heap. */
    static final class KeepUntilTheEnd extends DoFn<KV<String, Long>, Long> {
        private static final long serialVersionUID = 1L;

        @StateId("count")
        private final StateSpec<ValueState<Long>> spec = StateSpecs.value(VarLongCoder.of());

        private transient List<byte[]> kept;

        @StartBundle
        public void start() {
            kept = new ArrayList<>();
        }

        @ProcessElement
        public void process(
                @Element KV<String, Long> element, @StateId("count") ValueState<Long> count, OutputReceiver<Long> out) {
            kept.add(new byte[64 << 10]);
            Long before = count.read();
            count.write(before == null ? 1L : before + 1);
            out.output(element.getValue());
        }

        @FinishBundle
        public void finish() {
            kept = List.of();
        }
    }

    /** The pipeline of the process with the small heap. */
    public static final class ManyBundles {
        private ManyBundles() {}

        public static void main(String[] arguments) {
            long elements = Long.parseLong(arguments[0]);
            Pipeline pipeline =
                    Pipeline.create(PipelineOptionsFactory.fromArgs(Arrays.copyOfRange(arguments, 1, arguments.length))
                            .create());
            PAssert.that(pipeline.apply(GenerateSequence.from(0).to(elements))
                            .apply(WithKeys.of(number -> "key-" + number % 100))
                            .setCoder(KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of()))
                            .apply(ParDo.of(new KeepUntilTheEnd()))
                            .apply(Count.globally()))
                    .containsInAnyOrder(elements);
            Mode.run(pipeline);
            System.out.println("counted " + elements);
        }
    }

    @Test
    void manyBundlesThatKeepMuchFitASmallHeap() throws Exception {
        SmallHeap.run(
                64,
                ManyBundles.class,
                List.of(
                        "4000",
                        "--runner=TestDisaggRunner",
                        "--parallelism=2",
                        "--maxBundleElements=20",
                        "--maxParkedComputations=4",
                        "--delayedReads=3"),
                "counted 4000");
    }
}
