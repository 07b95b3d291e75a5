// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.testing.TestStream;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.Filter;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.Wait;
import org.apache.beam.sdk.transforms.windowing.AfterWatermark;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.TimestampedValue;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When elements that read a side input may go in. */
class SideInputReadinessTest {
    private static final int MAIN = 100;
    private static final AtomicInteger SIGNALS = new AtomicInteger();

    static final class CountSignals extends DoFn<Integer, Integer> {
        private static final long serialVersionUID = 1L;

        @ProcessElement
        public void process(@Element Integer signal, OutputReceiver<Integer> out) {
            SIGNALS.incrementAndGet();
            out.output(signal);
        }
    }

    static final class SayHowManySignals extends DoFn<Integer, Integer> {
        private static final long serialVersionUID = 1L;

        @ProcessElement
        public void process(OutputReceiver<Integer> out) {
            out.output(SIGNALS.get());
        }
    }

    /** The window that the element waits for is empty; of the one before it comes a signal, late. */
    @ParameterizedTest
    @ValueSource(strings = {"--parallelism=1", "--parallelism=3", "--delayedReads=5"})
    void waitIsForLateSignalsTooWhileTheyAreAllowed(String option) {
        SIGNALS.set(0);
        Pipeline pipeline = Pipeline.create(PipelineOptionsFactory.fromArgs("--runner=TestDisaggRunner", option)
                .create());
        PCollection<Integer> all = pipeline.apply(TestStream.create(VarIntCoder.of())
                        .advanceWatermarkTo(new Instant(0))
                        .addElements(at(MAIN, 11_000))
                        .advanceWatermarkTo(new Instant(21_000))
                        .addElements(at(1, 1000))
                        .advanceWatermarkToInfinity())
                .apply(Window.<Integer>into(FixedWindows.of(Duration.standardSeconds(10)))
                        .triggering(AfterWatermark.pastEndOfWindow())
                        .withAllowedLateness(Duration.standardSeconds(15))
                        .discardingFiredPanes());
        PCollection<Integer> signals =
                all.apply("Signals", Filter.lessThan(MAIN)).apply(ParDo.of(new CountSignals()));

        PCollection<Integer> waited =
                all.apply("Main", Filter.equal(MAIN)).apply(Wait.on(signals)).apply(ParDo.of(new SayHowManySignals()));

        PAssert.that(waited).containsInAnyOrder(1);
        pipeline.run().waitUntilFinish();
    }

    private static TimestampedValue<Integer> at(int value, long millis) {
        return TimestampedValue.of(value, new Instant(millis));
    }
}
