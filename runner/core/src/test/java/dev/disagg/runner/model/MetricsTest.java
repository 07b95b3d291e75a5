// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.model;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.disagg.runner.testing.Drain;
import dev.disagg.runner.testing.Feed;
import dev.disagg.runner.testing.Mode;
import dev.disagg.runner.testing.Restarts;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.PipelineResult;
import org.apache.beam.sdk.metrics.Counter;
import org.apache.beam.sdk.metrics.Distribution;
import org.apache.beam.sdk.metrics.Gauge;
import org.apache.beam.sdk.metrics.MetricQueryResults;
import org.apache.beam.sdk.metrics.MetricResult;
import org.apache.beam.sdk.metrics.Metrics;
import org.apache.beam.sdk.metrics.StringSet;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Metrics of every kind, as users query them. */
class MetricsTest {
    static final class Measured extends DoFn<String, String> {
        private static final long serialVersionUID = 1L;

        private final Counter counter = Metrics.counter("model", "counter");
        private final Distribution distribution = Metrics.distribution("model", "distribution");
        private final Gauge gauge = Metrics.gauge("model", "gauge");
        private final StringSet strings = Metrics.stringSet("model", "strings");

        @ProcessElement
        public void process(@Element String element, OutputReceiver<String> out) {
            counter.inc(element.length());
            distribution.update(element.length());
            gauge.set(7);
            strings.add(element);
            out.output(element);
        }
    }

    private static <T> void add(
            Map<String, Object> to, Iterable<MetricResult<T>> results, Function<MetricResult<T>, T> value) {
        for (MetricResult<T> result : results) {
            if (result.getName().getNamespace().equals("model")) {
                Object said = value.apply(result);
                // A gauge's own time differs from run to run.
                to.put(
                        result.getName().getName(),
                        said instanceof org.apache.beam.sdk.metrics.GaugeResult g ? g.getValue() : said);
            }
        }
    }

    private static Map<String, Object> values(PipelineResult result, boolean committed) {
        MetricQueryResults all = result.metrics().allMetrics();
        Map<String, Object> values = new TreeMap<>();
        add(values, all.getCounters(), r -> committed ? r.getCommitted() : r.getAttempted());
        add(values, all.getDistributions(), r -> committed ? r.getCommitted() : r.getAttempted());
        add(values, all.getGauges(), r -> committed ? r.getCommitted() : r.getAttempted());
        add(values, all.getStringSets(), r -> committed ? r.getCommitted() : r.getAttempted());
        return values;
    }

    private static Map<String, Object> expected() {
        return Map.of(
                "counter",
                6L,
                "distribution",
                org.apache.beam.sdk.metrics.DistributionResult.create(6, 3, 1, 3),
                "gauge",
                7L,
                "strings",
                org.apache.beam.sdk.metrics.StringSetResult.create(Set.of("a", "bb", "ccc")));
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void attemptedAndCommittedAtTheEnd(Mode mode) {
        Pipeline pipeline = mode.pipeline();
        pipeline.apply(Create.of("a", "bb", "ccc")).apply(ParDo.of(new Measured()));
        PipelineResult result = Mode.run(pipeline);
        assertThat(values(result, false), is(expected()));
        assertThat(values(result, true), is(expected()));
    }

    /** What a running stream has attempted can be asked for at any time. */
    @Test
    void attemptedWhileItRuns() throws Exception {
        Feed feed = new Feed();
        Drain drain = new Drain();
        try (Restarts job = new Restarts(pipeline ->
                drain.from(pipeline.apply("Read", feed.read()).apply("Measure", ParDo.of(new Measured()))))) {
            PipelineResult running = job.start("--parallelism=2");
            feed.give("a", 1).give("bb", 1).give("ccc", 1);
            for (int i = 0; i < 3; i++) {
                drain.next();
            }
            // The checkpoint's barrier is behind them, so their bundle is over.
            job.checkpoint();
            assertThat(values(running, false), is(expected()));
        }
    }

    @Test
    void committedMetricsGoOnAfterARestore() throws Exception {
        Feed feed = new Feed();
        Drain drain = new Drain();
        try (Restarts job = new Restarts(pipeline ->
                drain.from(pipeline.apply("Read", feed.read()).apply("Measure", ParDo.of(new Measured()))))) {
            job.start("--parallelism=2");
            feed.give("a", 1).give("bb", 1);
            drain.next();
            drain.next();
            job.checkpoint();
            feed.give("ccc", 1);
            drain.next();
            job.kill();
            // Measured again, since the checkpoint does not have it.
            PipelineResult last = job.start("--parallelism=1");
            feed.close();
            job.finish();
            assertThat(values(last, true), is(expected()));
        }
    }
}
