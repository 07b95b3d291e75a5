// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.engine;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.runner.DisaggPipelineResult;
import dev.disagg.runner.testing.Drain;
import dev.disagg.runner.testing.Feed;
import dev.disagg.ufs.Corrupt;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.beam.runners.core.metrics.MetricsContainerStepMap;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.PipelineResult.State;
import org.apache.beam.sdk.metrics.Counter;
import org.apache.beam.sdk.metrics.Distribution;
import org.apache.beam.sdk.metrics.Gauge;
import org.apache.beam.sdk.metrics.MetricName;
import org.apache.beam.sdk.metrics.MetricNameFilter;
import org.apache.beam.sdk.metrics.MetricQueryResults;
import org.apache.beam.sdk.metrics.MetricResult;
import org.apache.beam.sdk.metrics.Metrics;
import org.apache.beam.sdk.metrics.MetricsFilter;
import org.apache.beam.sdk.metrics.StringSet;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Metrics are part of a checkpoint: each element counts once, whatever failures come between. */
class JobMetricsTest {
    private static final AtomicLong JOBS = new AtomicLong();

    private final Feed feed = new Feed();
    private final Drain drain = new Drain();
    private final String stateUri = "memory://metrics-" + JOBS.incrementAndGet();
    private DisaggPipelineResult job;

    private static final class Counts extends DoFn<String, String> {
        private static final long serialVersionUID = 1;
        private final Counter seen = Metrics.counter("test", "seen");
        private final Distribution lengths = Metrics.distribution("test", "lengths");
        private final Gauge last = Metrics.gauge("test", "last");
        private final StringSet names = Metrics.stringSet("test", "names");

        @ProcessElement
        public void process(@Element String element, OutputReceiver<String> out) {
            seen.inc();
            lengths.update(element.length());
            last.set(element.length());
            names.add(element);
            out.output(element);
        }
    }

    private void start(int parallelism) {
        Pipeline pipeline = Pipeline.create(PipelineOptionsFactory.fromArgs(
                        "--runner=DisaggRunner",
                        "--jobName=counted",
                        "--stateUri=" + stateUri,
                        "--restore=auto",
                        "--checkpointInterval=1h",
                        "--parallelism=" + parallelism)
                .create());
        drain.from(pipeline.apply(feed.read()).apply("Count", ParDo.of(new Counts())));
        job = (DisaggPipelineResult) pipeline.run();
    }

    @AfterEach
    void stop() throws Exception {
        if (job != null) {
            job.cancel();
        }
    }

    private MetricQueryResults metrics() {
        return job.metrics()
                .queryMetrics(MetricsFilter.builder()
                        .addNameFilter(MetricNameFilter.inNamespace("test"))
                        .build());
    }

    private static <T> MetricResult<T> only(Iterable<MetricResult<T>> results) {
        return results.iterator().next();
    }

    @Test
    void whatACheckpointContainsIsCommittedAndCountsOnAfterARestore() throws Exception {
        start(2);
        feed.give("a", 1).give("bbb", 2);
        drain.next();
        drain.next();
        job.checkpoint().get(60, TimeUnit.SECONDS);
        assertThat(only(metrics().getCounters()).getCommitted(), is(2L));
        feed.give("cc", 3);
        drain.next();
        assertThat("no checkpoint has it", only(metrics().getCounters()).getCommitted(), is(2L));
        assertThat(only(metrics().getCounters()).getAttempted(), is(3L));
        job.cancel();

        start(3);
        assertThat(only(metrics().getCounters()).getCommitted(), is(2L));
        assertThat("the third element is read again", drain.next(), is("cc"));
        feed.close();
        assertThat(job.waitUntilFinish(), is(State.DONE));
        assertThat(only(metrics().getCounters()).getAttempted(), is(3L));
        assertThat(only(metrics().getCounters()).getCommitted(), is(3L));
        assertThat(only(metrics().getDistributions()).getCommitted().getSum(), is(6L));
        assertThat(only(metrics().getDistributions()).getCommitted().getMax(), is(3L));
        assertThat(only(metrics().getGauges()).getCommitted().getValue(), is(2L));
        assertThat(only(metrics().getStringSets()).getCommitted().getStringSet(), is(Set.of("a", "bbb", "cc")));
    }

    @Test
    void storedMetricsAreReadBackAndDamageIsNoticed() {
        MetricsContainerStepMap metrics = new MetricsContainerStepMap();
        metrics.getContainer("step")
                .getCounter(MetricName.named("space", "name"))
                .inc(7);
        metrics.getContainer("other")
                .getDistribution(MetricName.named("space", "name"))
                .update(3);
        byte[] stored = JobMetrics.encode(metrics);
        MetricsContainerStepMap read = JobMetrics.decode(stored);
        assertThat(JobMetrics.encode(read), is(stored));
        assertThat(
                read.getContainer("step")
                        .getCounter(MetricName.named("space", "name"))
                        .getCumulative(),
                is(7L));
        for (int length = 0; length < stored.length; length++) {
            byte[] cut = Arrays.copyOf(stored, length);
            assertThrows(Corrupt.class, () -> JobMetrics.decode(cut));
        }
    }
}
