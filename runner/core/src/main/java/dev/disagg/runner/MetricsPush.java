// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner;

import dev.disagg.runner.engine.EmbeddedJob;
import java.time.Duration;
import org.apache.beam.runners.core.metrics.NoOpMetricsSink;
import org.apache.beam.sdk.metrics.MetricQueryResults;
import org.apache.beam.sdk.metrics.MetricsOptions;
import org.apache.beam.sdk.metrics.MetricsSink;
import org.apache.beam.sdk.util.InstanceBuilder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives a job's metrics to the sink of {@code --metricsSink}, every {@code --metricsPushPeriod} seconds and at the end. Beam's
 * own pusher reads one set of metrics that never changes places; a job's are the sum over its tasks.
 */
final class MetricsPush {
    private static final Logger LOG = LoggerFactory.getLogger(MetricsPush.class);

    private final MetricsSink sink;
    private final DisaggPipelineResult result;

    private MetricsPush(MetricsSink sink, DisaggPipelineResult result) {
        this.sink = sink;
        this.result = result;
    }

    /** Begins to push, if there is a sink to push to. */
    static void start(EmbeddedJob job, MetricsOptions options, DisaggPipelineResult result) {
        Class<? extends MetricsSink> sink = options.getMetricsSink();
        if (sink != null && !NoOpMetricsSink.class.equals(sink)) {
            MetricsPush push = new MetricsPush(
                    InstanceBuilder.ofType(MetricsSink.class)
                            .fromClass(sink)
                            .withArg(MetricsOptions.class, options)
                            .build(),
                    result);
            job.everyInterval(Duration.ofSeconds(options.getMetricsPushPeriod()), push::push);
            job.outcome().thenRun(push::push);
        }
    }

    private synchronized void push() {
        MetricQueryResults all = result.metrics().allMetrics();
        try {
            sink.writeMetrics(all);
        } catch (Exception e) {
            LOG.warn("metrics could not be written to {}: {}", sink.getClass().getName(), e.toString(), e);
        }
    }
}
