// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.testing;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.PipelineResult;
import org.apache.beam.sdk.metrics.MetricNameFilter;
import org.apache.beam.sdk.metrics.MetricResult;
import org.apache.beam.sdk.metrics.MetricsFilter;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.testing.PAssert;

/**
 * The ways in which one pipeline with one right answer is run. Beam's own runner is among them: it tells a wrong
 * expectation from a wrong runner.
 */
public enum Mode {
    DEFAULTS("--runner=TestDisaggRunner"),
    SMALL_BUNDLES("--runner=TestDisaggRunner", "--parallelism=4", "--maxBundleElements=1"),
    DELAYED_READS("--runner=TestDisaggRunner", "--parallelism=2", "--delayedReads=7"),
    DIRECT("--runner=DirectRunner");

    private final List<String> options;

    Mode(String... options) {
        this.options = List.of(options);
    }

    /** An empty pipeline that will run in this way; {@code more} options are of this runner alone. */
    public Pipeline pipeline(String... more) {
        List<String> all = new ArrayList<>(options);
        if (this != DIRECT) {
            all.addAll(List.of(more));
        }
        return Pipeline.create(
                PipelineOptionsFactory.fromArgs(all.toArray(String[]::new)).create());
    }

    /** Runs a pipeline to its end, and holds that each of its assertions was evaluated. */
    public static PipelineResult run(Pipeline pipeline) {
        int asserts = PAssert.countAsserts(pipeline);
        PipelineResult result = pipeline.run();
        result.waitUntilFinish();
        long evaluated = 0;
        for (MetricResult<Long> counter : result.metrics()
                .queryMetrics(MetricsFilter.builder()
                        .addNameFilter(MetricNameFilter.named(PAssert.class, PAssert.SUCCESS_COUNTER))
                        .build())
                .getCounters()) {
            evaluated += counter.getAttempted();
        }
        assertThat("assertions evaluated", evaluated, is((long) asserts));
        return result;
    }
}
