// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.attack;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.disagg.runner.DisaggPipelineResult;
import dev.disagg.runner.testing.Feed;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.metrics.Counter;
import org.apache.beam.sdk.metrics.Metrics;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.WithKeys;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.joda.time.Duration;
import org.junit.jupiter.api.Test;

/** A drain that is interrupted, and goes on: elements that are given after it began are not lost late, windows not split. */
class RestoredDrainAttackTest {
    private static final Map<String, Set<String>> GROUPS = new ConcurrentHashMap<>();

    static final class Groups extends DoFn<KV<String, Iterable<String>>, Void> {
        private static final long serialVersionUID = 1;
        private final String job;
        private final Counter n = Metrics.counter("attack", "n");

        Groups(String job) {
            this.job = job;
        }

        @ProcessElement
        public void process(@Element KV<String, Iterable<String>> group) throws Exception {
            int size = 0;
            for (String each : group.getValue()) {
                size++;
            }
            n.inc(size);
            TimeUnit.MILLISECONDS.sleep(2);
            GROUPS.computeIfAbsent(job, name -> ConcurrentHashMap.newKeySet()).add(group.getKey() + ":" + size);
        }
    }

    @Test
    void drainedThenKilledThenRestored() throws Exception {
        for (int seed = 0; seed < 6; seed++) {
            String job = Run.name("redrain");
            Feed feed = new Feed();
            for (int i = 0; i < 400; i++) {
                feed.give("k" + i % 50, 1);
            }
            Consumer<Pipeline> description = p -> p.apply(feed.read())
                    .apply(WithKeys.<String, String>of(s -> s).withKeyType(TypeDescriptors.strings()))
                    .setCoder(KvCoder.of(StringUtf8Coder.of(), StringUtf8Coder.of()))
                    .apply(Window.into(FixedWindows.of(Duration.millis(1000))))
                    .apply(GroupByKey.create())
                    .apply("Groups", ParDo.of(new Groups(job)));
            DisaggPipelineResult running = Run.start(
                    job, description, "--parallelism=2", "--checkpointInterval=10ms", "--maxBundleElements=1");
            for (int i = 0; i < 1000 && running.progress().records() < 400; i++) {
                TimeUnit.MILLISECONDS.sleep(2);
            }
            running.drain();
            long before = running.progress().lastCheckpoint();
            for (int i = 0; i < 1000 && running.progress().lastCheckpoint() < before + 2 + seed; i++) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
            running.cancel();
            for (int i = 0; i < 100; i++) {
                feed.give("k" + i % 50, 2);
            }
            running = Run.start(job, description, "--parallelism=" + (1 + seed % 3), "--checkpointInterval=10ms");
            Run.done(running);
            long n = Run.counter(running, "n", true);
            long dropped = Run.counter(running, "droppedDueToLateness", true);
            assertThat(seed + " n " + n + ", dropped", dropped, is(0L));
            assertThat(seed + " n is " + n, n > 0 && n <= 500, is(true));
        }
    }

    /** As drain() promises: also after a restart the job goes on to its end. */
    @Test
    void aDrainThatIsDurableIsNotForgotten() throws Exception {
        String job = Run.name("redrain");
        Feed feed = new Feed();
        for (int i = 0; i < 100; i++) {
            feed.give("k" + i, 1);
        }
        feed.watermark(5000);
        Consumer<Pipeline> description = p -> p.apply(feed.read())
                .apply(WithKeys.<String, String>of(s -> s).withKeyType(TypeDescriptors.strings()))
                .setCoder(KvCoder.of(StringUtf8Coder.of(), StringUtf8Coder.of()))
                .apply(Window.into(FixedWindows.of(Duration.millis(1000))))
                .apply(GroupByKey.create())
                .apply("Groups", ParDo.of(new Groups(job)));
        DisaggPipelineResult running = Run.start(job, description, "--parallelism=1", "--checkpointInterval=1h");
        running.checkpoint().get(20, TimeUnit.SECONDS);
        running.drain().get(20, TimeUnit.SECONDS);
        running.cancel();
        running = Run.start(job, description, "--parallelism=1", "--checkpointInterval=1h");
        Run.done(running);
    }
}
