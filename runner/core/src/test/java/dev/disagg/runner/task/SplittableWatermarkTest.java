// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.io.range.OffsetRange;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.WithKeys;
import org.apache.beam.sdk.transforms.splittabledofn.ManualWatermarkEstimator;
import org.apache.beam.sdk.transforms.splittabledofn.RestrictionTracker;
import org.apache.beam.sdk.transforms.splittabledofn.WatermarkEstimators;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.KV;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.junit.jupiter.api.Test;

/** What a splittable DoFn says of its watermark while it goes on after the end of its input. */
class SplittableWatermarkTest {
    private static final long MOST_ATTEMPTS = 3000;
    private static final AtomicBoolean FIRED = new AtomicBoolean();
    private static final AtomicBoolean FIRED_MEANWHILE = new AtomicBoolean();

    /** Outputs one element, says that nothing older comes, and goes on until the element's window has fired, or long enough. */
    static final class UntilFired extends DoFn<Integer, Integer> {
        private static final long serialVersionUID = 1L;

        @GetInitialRestriction
        public OffsetRange restriction() {
            return new OffsetRange(0, MOST_ATTEMPTS);
        }

        @GetInitialWatermarkEstimatorState
        public Instant estimatorState() {
            return new Instant(0);
        }

        @NewWatermarkEstimator
        public WatermarkEstimators.Manual estimator(@WatermarkEstimatorState Instant state) {
            return new WatermarkEstimators.Manual(state);
        }

        @ProcessElement
        public ProcessContinuation process(
                RestrictionTracker<OffsetRange, Long> tracker,
                ManualWatermarkEstimator<Instant> estimator,
                OutputReceiver<Integer> out) {
            long attempt = tracker.currentRestriction().getFrom();
            if (FIRED.get()) {
                FIRED_MEANWHILE.set(true);
                tracker.tryClaim(MOST_ATTEMPTS);
                return ProcessContinuation.stop();
            }
            if (!tracker.tryClaim(attempt)) {
                return ProcessContinuation.stop();
            }
            if (attempt == 0) {
                out.outputWithTimestamp(1, new Instant(500));
            }
            estimator.setWatermark(new Instant(5000));
            return ProcessContinuation.resume().withResumeDelay(Duration.millis(1));
        }
    }

    static final class SayFired extends DoFn<KV<String, Iterable<Integer>>, Void> {
        private static final long serialVersionUID = 1L;

        @ProcessElement
        public void process() {
            FIRED.set(true);
        }
    }

    @Test
    void windowsFireWhileASplittableDoFnGoesOnAfterItsInputHasEnded() {
        FIRED.set(false);
        FIRED_MEANWHILE.set(false);
        Pipeline pipeline =
                Pipeline.create(PipelineOptionsFactory.fromArgs("--runner=TestDisaggRunner", "--parallelism=2")
                        .create());
        pipeline.apply(Create.of(1))
                .apply(ParDo.of(new UntilFired()))
                .apply(Window.into(FixedWindows.of(Duration.standardSeconds(1))))
                .apply(WithKeys.of("key"))
                .apply(GroupByKey.create())
                .apply(ParDo.of(new SayFired()));

        pipeline.run().waitUntilFinish();

        assertThat(FIRED_MEANWHILE.get(), is(true));
    }
}
