// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.apache.beam.runners.core.LateDataDroppingDoFnRunner;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.PipelineResult;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.metrics.MetricNameFilter;
import org.apache.beam.sdk.metrics.MetricResult;
import org.apache.beam.sdk.metrics.MetricsFilter;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.testing.TestStream;
import org.apache.beam.sdk.transforms.Count;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.TimestampedValue;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.junit.jupiter.api.Test;

/** Grouping at the edges of windows, and what is said when a step fails. */
class GroupingTest {
    private static final KvCoder<String, Integer> CODER = KvCoder.of(StringUtf8Coder.of(), VarIntCoder.of());

    private static Pipeline pipeline() {
        return Pipeline.create(
                PipelineOptionsFactory.fromArgs("--runner=TestDisaggRunner").create());
    }

    @Test
    void windowThatEndsAndIsCleanedUpInOneStepGivesOnePane() {
        Pipeline p = pipeline();
        PAssert.that(p.apply(Create.timestamped(
                                        TimestampedValue.of(KV.of("a", 1), new Instant(5)),
                                        TimestampedValue.of(KV.of("a", 2), new Instant(6)))
                                .withCoder(CODER))
                        .apply(Window.<KV<String, Integer>>into(FixedWindows.of(Duration.millis(10)))
                                .withAllowedLateness(Duration.millis(15))
                                .discardingFiredPanes())
                        .apply(Count.perKey()))
                .containsInAnyOrder(KV.of("a", 2L));
        p.run().waitUntilFinish();
    }

    @Test
    void elementsThatAreTooLateAreCounted() {
        Pipeline p = pipeline();
        p.apply(TestStream.create(CODER)
                        .advanceWatermarkTo(new Instant(100))
                        .addElements(TimestampedValue.of(KV.of("a", 1), new Instant(5)))
                        .advanceWatermarkToInfinity())
                .apply(Window.into(FixedWindows.of(Duration.millis(10))))
                .apply(GroupByKey.create());
        PipelineResult result = p.run();
        result.waitUntilFinish();
        long dropped = 0;
        for (MetricResult<Long> counter : result.metrics()
                .queryMetrics(MetricsFilter.builder()
                        .addNameFilter(MetricNameFilter.named(
                                LateDataDroppingDoFnRunner.class, LateDataDroppingDoFnRunner.DROPPED_DUE_TO_LATENESS))
                        .build())
                .getCounters()) {
            dropped += counter.getAttempted();
        }
        assertThat(dropped, is(1L));
    }

    @Test
    void failingStepOfAFusedStageIsNamed() {
        Pipeline p = pipeline();
        p.apply(Create.of(1, 2, 3))
                .apply("Fine", ParDo.of(new Pass(false)))
                .apply("Bad", ParDo.of(new Pass(true)))
                .apply("After", ParDo.of(new Pass(false)));
        RuntimeException failure =
                assertThrows(RuntimeException.class, () -> p.run().waitUntilFinish());
        assertThat(failure.getMessage(), containsString("step 'Bad"));
        assertThat(failure.getMessage(), containsString("boom"));
    }

    private static final class Pass extends DoFn<Integer, Integer> {
        private static final long serialVersionUID = 1L;
        private final boolean bad;

        Pass(boolean bad) {
            this.bad = bad;
        }

        @ProcessElement
        public void process(@Element Integer element, OutputReceiver<Integer> out) {
            if (bad) {
                throw new IllegalStateException("boom");
            }
            out.output(element);
        }
    }
}
