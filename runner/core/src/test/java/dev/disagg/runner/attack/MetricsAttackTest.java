// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.attack;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.disagg.runner.DisaggPipelineResult;
import dev.disagg.runner.testing.Feeds;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.metrics.BoundedTrie;
import org.apache.beam.sdk.metrics.Counter;
import org.apache.beam.sdk.metrics.DelegatingHistogram;
import org.apache.beam.sdk.metrics.Distribution;
import org.apache.beam.sdk.metrics.Gauge;
import org.apache.beam.sdk.metrics.MetricName;
import org.apache.beam.sdk.metrics.MetricQueryResults;
import org.apache.beam.sdk.metrics.MetricResult;
import org.apache.beam.sdk.metrics.Metrics;
import org.apache.beam.sdk.metrics.MetricsFilter;
import org.apache.beam.sdk.metrics.StringSet;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.WithKeys;
import org.apache.beam.sdk.util.HistogramData;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MetricsAttackTest {
    static final class Counts extends DoFn<KV<String, String>, String> {
        private static final long serialVersionUID = 1;
        private final Counter seen = Metrics.counter("attack", "seen");
        private final Counter never = Metrics.counter("attack", "never");
        private final Distribution values = Metrics.distribution("attack", "values");
        private final Distribution rare = Metrics.distribution("attack", "rare");
        private final Gauge gauge = Metrics.gauge("attack", "gauge");
        private final StringSet names = Metrics.stringSet("attack", "names");
        private final DelegatingHistogram histogram = new DelegatingHistogram(
                MetricName.named("attack", "histogram"), HistogramData.LinearBuckets.of(0, 100, 20), false);
        private final BoundedTrie trie = Metrics.boundedTrie("attack", "trie");

        @StateId("n")
        private final StateSpec<ValueState<Long>> n = StateSpecs.value(VarLongCoder.of());

        @ProcessElement
        public void process(
                @Element KV<String, String> element, @StateId("n") ValueState<Long> n, OutputReceiver<String> out) {
            Long before = n.read();
            n.write(before == null ? 1 : before + 1);
            seen.inc();
            never.inc(0);
            int value = Integer.parseInt(element.getValue());
            values.update(value);
            if (value == 7) {
                rare.update(-3);
            }
            gauge.set(value);
            histogram.update(value);
            names.add("n" + value % 13);
            trie.add("a", "b" + value % 3, "c" + value % 5);
            out.output(element.getValue());
        }

        @FinishBundle
        public void finish() {
            seen.inc(0);
        }
    }

    /** 0 where there is no checkpoint yet. */
    private static long committed(DisaggPipelineResult running) {
        try {
            return Run.counter(running, "seen", true);
        } catch (UnsupportedOperationException e) {
            return 0;
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void exactOverRestores(long seed) throws Exception {
        String job = Run.name("metrics");
        Random random = new Random(seed);
        Feeds feeds = new Feeds(3);
        Consumer<Pipeline> description = p -> p.apply(feeds.read())
                .apply(WithKeys.<String, String>of(s -> s.substring(s.length() - 1))
                        .withKeyType(TypeDescriptors.strings()))
                .setCoder(KvCoder.of(StringUtf8Coder.of(), StringUtf8Coder.of()))
                .apply("Counts", ParDo.of(new Counts()));
        int given = 0;
        long lastCommitted = 0;
        for (int round = 0; round < 10; round++) {
            DisaggPipelineResult running = Run.start(
                    job,
                    description,
                    "--parallelism=" + (1 + random.nextInt(4)),
                    "--checkpointInterval=10ms",
                    random.nextBoolean() ? "--stateBackend=heap" : "--stateBackend=disagg");
            for (int i = 0; i < 100; i++) {
                feeds.feed(random.nextInt(3)).give("" + given++, 1);
            }
            long end = random.nextInt(150);
            for (int i = 0; i < end; i += 10) {
                long committed = committed(running);
                long attempted = Run.counter(running, "seen", false);
                if (committed < lastCommitted || attempted < committed || attempted > given) {
                    throw new AssertionError("committed " + lastCommitted + ", then " + committed + ", attempted "
                            + attempted + " of " + given);
                }
                lastCommitted = committed;
                TimeUnit.MILLISECONDS.sleep(10);
            }
            running.cancel();
            lastCommitted = Math.max(lastCommitted, committed(running));
        }
        feeds.close();
        DisaggPipelineResult running = Run.start(job, description, "--checkpointInterval=1h", "--parallelism=2");
        Run.done(running);
        MetricQueryResults all =
                running.metrics().queryMetrics(MetricsFilter.builder().build());
        assertThat(Run.counter(running, "seen", true), is((long) given));
        for (MetricResult<org.apache.beam.sdk.metrics.DistributionResult> each : all.getDistributions()) {
            if (each.getName().getName().equals("values")) {
                assertThat(each.getCommitted().getCount(), is((long) given));
                assertThat(each.getCommitted().getSum(), is((long) given * (given - 1) / 2));
                assertThat(each.getCommitted().getMin(), is(0L));
                assertThat(each.getCommitted().getMax(), is(given - 1L));
            } else if (each.getName().getName().equals("rare")) {
                assertThat(each.getCommitted().getCount(), is(1L));
                assertThat(each.getCommitted().getMax(), is(-3L));
                assertThat(each.getCommitted().getMin(), is(-3L));
            }
        }
        Set<String> names = new HashSet<>();
        all.getStringSets().forEach(each -> names.addAll(each.getCommitted().getStringSet()));
        assertThat(names.size(), is(13));
        Set<List<String>> tries = new HashSet<>();
        all.getBoundedTries().forEach(each -> each.getCommitted().getResult().forEach(path -> tries.add(path)));
        assertThat(tries.toString(), tries.size(), is(15));
    }

    /** What is committed before there is a checkpoint is nothing, not an error that says it is not supported. */
    @Test
    void committedMetricsBeforeTheFirstCheckpoint() throws Exception {
        String job = Run.name("committed");
        Feeds feeds = new Feeds(1);
        DisaggPipelineResult running = Run.start(
                job,
                p -> p.apply(feeds.read())
                        .apply(WithKeys.<String, String>of(s -> s).withKeyType(TypeDescriptors.strings()))
                        .setCoder(KvCoder.of(StringUtf8Coder.of(), StringUtf8Coder.of()))
                        .apply("Counts", ParDo.of(new Counts())),
                "--checkpointInterval=1h");
        try {
            feeds.feed(0).give("1", 1);
            for (int i = 0; i < 1000 && Run.counter(running, "seen", false) == 0; i++) {
                TimeUnit.MILLISECONDS.sleep(5);
            }
            assertThat(Run.counter(running, "seen", true), is(0L));
        } finally {
            running.cancel();
        }
    }
}
