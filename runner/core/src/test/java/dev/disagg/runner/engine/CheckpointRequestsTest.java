// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.engine;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.endsWith;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThan;
import static org.hamcrest.Matchers.lessThanOrEqualTo;

import dev.disagg.runner.DisaggPipelineResult;
import dev.disagg.runner.testing.Drain;
import dev.disagg.runner.testing.Feed;
import dev.disagg.ufs.RequestCounts;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.WithKeys;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What checkpoints ask of the object store, counted. */
class CheckpointRequestsTest {
    private static final AtomicLong JOBS = new AtomicLong();
    private static final int KEYED_STAGES = 3;

    private final Feed feed = new Feed();
    private final Drain drain = new Drain();
    private DisaggPipelineResult job;

    /** Counts the elements of each key. */
    private static final class Count extends DoFn<KV<String, String>, String> {
        private static final long serialVersionUID = 1;

        @StateId("count")
        private final StateSpec<ValueState<Long>> count = StateSpecs.value(VarLongCoder.of());

        @ProcessElement
        public void process(
                @Element KV<String, String> element,
                @StateId("count") ValueState<Long> count,
                OutputReceiver<String> out) {
            Long before = count.read();
            long now = before == null ? 1 : before + 1;
            count.write(now);
            out.output(element.getValue() + "," + now);
        }
    }

    /** Three keyed stages, one after the other, of {@code parallelism} tasks each; no checkpoint by itself. */
    private void start(int parallelism) {
        Pipeline pipeline = Pipeline.create(PipelineOptionsFactory.fromArgs(
                        "--runner=DisaggRunner",
                        "--jobName=counted",
                        "--stateUri=memory://counted-" + JOBS.incrementAndGet(),
                        "--parallelism=" + parallelism,
                        "--checkpointInterval=1h")
                .create());
        PCollection<String> lines = pipeline.apply(feed.read());
        for (int stage = 1; stage <= KEYED_STAGES; stage++) {
            lines = lines.apply(
                            "Key" + stage,
                            WithKeys.<String, String>of(line -> line.substring(0, 1))
                                    .withKeyType(TypeDescriptors.strings()))
                    .setCoder(KvCoder.of(StringUtf8Coder.of(), StringUtf8Coder.of()))
                    .apply("Count" + stage, ParDo.of(new Count()));
        }
        drain.from(lines.apply(MapElements.into(TypeDescriptors.strings()).via(line -> line)));
        job = (DisaggPipelineResult) pipeline.run();
    }

    @AfterEach
    void stop() throws Exception {
        if (job != null) {
            job.cancel();
        }
    }

    private RequestCounts checkpoint() throws Exception {
        RequestCounts before = job.requests();
        job.checkpoint().get(60, TimeUnit.SECONDS);
        return job.requests().minus(before);
    }

    /** Until the watermark has come to all tasks: a watermark is a change, and stored. */
    private void checkpointUntilWatermark(long millis) throws Exception {
        for (int tries = 0; job.progress().watermarkMillis() < millis; tries++) {
            assertThat("the watermark comes at last", tries, is(lessThan(1000)));
            checkpoint();
        }
    }

    @Test
    void secondCheckpointWithNothingChangedWritesOneRecordAlone() throws Exception {
        start(2);
        feed.give("a", 1).give("b", 2).watermark(2);
        drain.next();
        drain.next();
        assertThat("log record and pack", checkpoint().writes(), is(2L));
        checkpointUntilWatermark(2);
        checkpoint();
        RequestCounts second = checkpoint();
        assertThat(second.toString(), second.conditionalPuts(), is(1L));
        assertThat(second.toString(), second.total(), is(1L));
        RequestCounts third = checkpoint();
        assertThat(third.toString(), third.total(), is(1L));
    }

    @Test
    void thirtyNearlyIdleKeyedTasksCostThreePutsACheckpoint() throws Exception {
        start(10);
        for (int checkpoint = 1; checkpoint <= 20; checkpoint++) {
            String element = Character.toString('a' + checkpoint % 5);
            feed.give(element, checkpoint);
            String times = "," + ((checkpoint + 4) / 5);
            assertThat(drain.next(), is(element + times.repeat(KEYED_STAGES)));
            RequestCounts cost = checkpoint();
            assertThat("checkpoint " + checkpoint + ": " + cost, cost.writes(), is(lessThanOrEqualTo(3L)));
        }
    }

    /** Not one task after the other: all of them have a little to write, and to compact, at the same time. */
    @Test
    void thirtyTasksWithOneElementEachCostThreePutsACheckpoint() throws Exception {
        start(10);
        int keys = 60;
        for (int checkpoint = 1; checkpoint <= 20; checkpoint++) {
            for (int key = 0; key < keys; key++) {
                feed.give(Character.toString('0' + key), checkpoint);
            }
            for (int key = 0; key < keys; key++) {
                assertThat(drain.next(), endsWith(("," + checkpoint).repeat(KEYED_STAGES)));
            }
            RequestCounts cost = checkpoint();
            assertThat("checkpoint " + checkpoint + ": " + cost, cost.writes(), is(lessThanOrEqualTo(3L)));
        }
    }

    @Test
    void sourceIsToldOfWhatIsCommittedAlone() throws Exception {
        start(1);
        feed.give("a", 1).give("b", 2);
        drain.next();
        drain.next();
        assertThat(feed.finalized(), is(0));
        checkpoint();
        // The source hears of the first commit before it can take part in a second checkpoint.
        checkpoint();
        assertThat(feed.finalized(), is(2));
    }
}
