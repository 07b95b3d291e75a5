// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;

import dev.disagg.runner.DisaggPipelineResult;
import dev.disagg.runner.engine.EmbeddedJob;
import dev.disagg.runner.testing.Drain;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.PipelineResult.State;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.io.BoundedSource;
import org.apache.beam.sdk.io.CountingSource;
import org.apache.beam.sdk.io.Read;
import org.apache.beam.sdk.io.range.OffsetRange;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.WithKeys;
import org.apache.beam.sdk.transforms.splittabledofn.RestrictionTracker;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PBegin;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A task that has nothing left takes over half of what another has not done yet; each part is done once. */
class DynamicSplitTest {
    private static final AtomicLong JOBS = new AtomicLong();
    private static final Map<String, Set<String>> READERS = new ConcurrentHashMap<>();
    private static final long NUMBERS = 400_000;
    private static final int KEYS = 5;

    private final String name = "split-" + JOBS.incrementAndGet();
    private final Drain drain = new Drain();

    /** Numbers that are one split at the start, though a large one. */
    private static final class OneSplit extends BoundedSource<Long> {
        private static final long serialVersionUID = 1;
        private final BoundedSource<Long> all = CountingSource.upTo(NUMBERS);

        @Override
        public List<? extends BoundedSource<Long>> split(long desiredBytes, PipelineOptions options) {
            return List.of(this);
        }

        @Override
        public long getEstimatedSizeBytes(PipelineOptions options) throws Exception {
            return all.getEstimatedSizeBytes(options);
        }

        @Override
        public BoundedReader<Long> createReader(PipelineOptions options) throws IOException {
            return all.createReader(options);
        }

        @Override
        public Coder<Long> getOutputCoder() {
            return VarLongCoder.of();
        }
    }

    @DoFn.BoundedPerElement
    private static final class Range extends DoFn<String, Long> {
        private static final long serialVersionUID = 1;

        @GetInitialRestriction
        public OffsetRange all() {
            return new OffsetRange(0, NUMBERS);
        }

        @ProcessElement
        public void process(RestrictionTracker<OffsetRange, Long> tracker, OutputReceiver<Long> out) {
            for (long i = tracker.currentRestriction().getFrom(); tracker.tryClaim(i); i++) {
                out.output(i);
            }
        }
    }

    private static final class NoteReader extends DoFn<Long, Long> {
        private static final long serialVersionUID = 1;
        private final String job;

        NoteReader(String job) {
            this.job = job;
        }

        @ProcessElement
        public void process(@Element Long number, OutputReceiver<Long> out) {
            READERS.computeIfAbsent(job, name -> ConcurrentHashMap.newKeySet())
                    .add(Thread.currentThread().getName());
            out.output(number);
        }
    }

    /** Says at the end how many numbers there were of the key, and their sum. */
    private static final class Sum extends DoFn<KV<String, Long>, String> {
        private static final long serialVersionUID = 1;

        @StateId("count")
        private final StateSpec<ValueState<Long>> count = StateSpecs.value(VarLongCoder.of());

        @StateId("sum")
        private final StateSpec<ValueState<Long>> sum = StateSpecs.value(VarLongCoder.of());

        private static long read(ValueState<Long> state) {
            Long value = state.read();
            return value == null ? 0 : value;
        }

        @ProcessElement
        public void process(
                @Element KV<String, Long> element,
                @StateId("count") ValueState<Long> count,
                @StateId("sum") ValueState<Long> sum) {
            count.write(read(count) + 1);
            sum.write(read(sum) + element.getValue());
        }

        @OnWindowExpiration
        public void end(
                @Key String key,
                @StateId("count") ValueState<Long> count,
                @StateId("sum") ValueState<Long> sum,
                OutputReceiver<String> out) {
            out.output(key + ": " + read(count) + ", " + read(sum));
        }
    }

    private static List<String> expected() {
        List<String> expected = new ArrayList<>();
        for (long key = 0; key < KEYS; key++) {
            long count = NUMBERS / KEYS;
            expected.add(key + ": " + count + ", " + (count * key + KEYS * (count * (count - 1) / 2)));
        }
        return expected;
    }

    private static PTransform<PBegin, PCollection<Long>> numbers(boolean splittable) {
        return splittable
                ? new PTransform<>() {
                    @Override
                    public PCollection<Long> expand(PBegin begin) {
                        return begin.apply(Create.of("all")).apply(ParDo.of(new Range()));
                    }
                }
                : Read.from(new OneSplit());
    }

    private DisaggPipelineResult start(boolean splittable, int parallelism) {
        Pipeline pipeline = Pipeline.create(PipelineOptionsFactory.fromArgs(
                        "--runner=DisaggRunner",
                        "--jobName=" + name,
                        "--stateUri=memory://" + name,
                        "--restore=auto",
                        "--keepState",
                        "--checkpointInterval=20ms",
                        "--parallelism=" + parallelism)
                .create());
        drain.from(pipeline.apply("Numbers", numbers(splittable))
                .apply(ParDo.of(new NoteReader(name)))
                .apply(WithKeys.<String, Long>of(number -> Long.toString(number % KEYS))
                        .withKeyType(TypeDescriptors.strings()))
                .setCoder(KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of()))
                .apply(ParDo.of(new Sum())));
        return (DisaggPipelineResult) pipeline.run();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void severalTasksReadWhatWasOneSplit(boolean splittable) {
        assertThat(start(splittable, 2).waitUntilFinish(), is(State.DONE));
        assertThat(drain.rest(), containsInAnyOrder(expected().toArray()));
        Set<String> tasks = new java.util.TreeSet<>();
        READERS.getOrDefault(name, Set.of()).forEach(thread -> tasks.add(thread.replaceAll(".*(\\[\\d+]).*", "$1")));
        assertThat(tasks.toString(), tasks.size(), is(greaterThan(1)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eachPartIsReadOnceWhateverRestoresComeBetween(boolean splittable) throws Exception {
        for (int parallelism : new int[] {2, 4, 1, 3}) {
            DisaggPipelineResult job = start(splittable, parallelism);
            long before = committed(job);
            while (job.getState() == State.RUNNING && committed(job) < before + 4) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
            job.cancel();
        }
        start(splittable, 2).waitUntilFinish();
        // What came out after the last checkpoint before a restore comes again, the same.
        assertThat(Set.copyOf(drain.rest()), is(Set.copyOf(expected())));
    }

    private static long committed(DisaggPipelineResult job) {
        EmbeddedJob.Progress progress = job.progress();
        return progress == null ? 0 : progress.checkpoints();
    }

    @Test
    void expectedIsTheSumOfAll() {
        long all = NUMBERS * (NUMBERS - 1) / 2;
        long sum = expected().stream()
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(',') + 2)))
                .sum();
        assertThat(sum, is(all));
    }
}
