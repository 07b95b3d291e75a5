// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.attack;

import dev.disagg.runner.DisaggPipelineResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.PipelineResult.State;
import org.apache.beam.sdk.metrics.MetricNameFilter;
import org.apache.beam.sdk.metrics.MetricResult;
import org.apache.beam.sdk.metrics.MetricsFilter;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.joda.time.Duration;

/** One job that is started again and again. */
final class Run {
    static final AtomicLong NAMES = new AtomicLong();

    private static final long LIMIT_SECONDS = 120;

    private Run() {}

    static String name(String prefix) {
        return prefix + "-" + NAMES.incrementAndGet();
    }

    static DisaggPipelineResult start(String name, Consumer<Pipeline> description, String... options) {
        List<String> all = new ArrayList<>(List.of(
                "--runner=DisaggRunner",
                "--jobName=" + name,
                "--stateUri=memory://" + name,
                "--restore=auto",
                "--keepState"));
        all.addAll(List.of(options));
        Pipeline pipeline = Pipeline.create(
                PipelineOptionsFactory.fromArgs(all.toArray(String[]::new)).create());
        description.accept(pipeline);
        return (DisaggPipelineResult) pipeline.run();
    }

    static void done(DisaggPipelineResult job) throws Exception {
        State state = job.waitUntilFinish(Duration.standardSeconds(LIMIT_SECONDS));
        if (state != State.DONE) {
            String progress = String.valueOf(job.progress());
            job.cancel();
            throw new AssertionError("after " + LIMIT_SECONDS + " s the job is " + state + ": " + progress);
        }
    }

    static long counter(DisaggPipelineResult job, String name, boolean committed) {
        long sum = 0;
        for (MetricResult<Long> each :
                job.metrics().queryMetrics(MetricsFilter.builder().build()).getCounters()) {
            if (each.getName().getName().equals(name)) {
                sum += committed ? each.getCommitted() : each.getAttempted();
            }
        }
        return sum;
    }

    static MetricsFilter named(String space, String name) {
        return MetricsFilter.builder()
                .addNameFilter(MetricNameFilter.named(space, name))
                .build();
    }
}
