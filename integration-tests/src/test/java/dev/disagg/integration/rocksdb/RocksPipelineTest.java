// SPDX-License-Identifier: Apache-2.0
package dev.disagg.integration.rocksdb;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.runner.DisaggPipelineResult;
import dev.disagg.ufs.Invalid;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.PipelineResult;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.io.GenerateSequence;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.state.BagState;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.TimeDomain;
import org.apache.beam.sdk.state.Timer;
import org.apache.beam.sdk.state.TimerSpec;
import org.apache.beam.sdk.state.TimerSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.values.KV;
import org.joda.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
class RocksPipelineTest {
    private static final int KEYS = 40;
    private static final long LIMIT_SECONDS = 60;

    /** What the running job has counted: its tasks live in this process. */
    private static final BlockingQueue<String> COUNTED = new LinkedBlockingQueue<>();

    private static final BlockingQueue<AtEnd> ENDED = new LinkedBlockingQueue<>();

    @TempDir
    Path directory;

    @BeforeEach
    void forget() {
        COUNTED.clear();
        ENDED.clear();
    }

    static final class WithKey extends DoFn<Long, KV<Integer, Long>> {
        private static final long serialVersionUID = 1L;

        @ProcessElement
        public void process(@Element Long number, OutputReceiver<KV<Integer, Long>> out) {
            out.output(KV.of((int) (number % KEYS), number));
        }
    }

    /** Counts, gathers, and compares at the end of the window: all kinds of stored entries. */
    static final class Count extends DoFn<KV<Integer, Long>, Void> {
        private static final long serialVersionUID = 1L;

        @StateId("count")
        private final StateSpec<ValueState<Integer>> count = StateSpecs.value(VarIntCoder.of());

        @StateId("seen")
        private final StateSpec<BagState<Long>> seen = StateSpecs.bag(VarLongCoder.of());

        @StateId("key")
        private final StateSpec<ValueState<Integer>> key = StateSpecs.value(VarIntCoder.of());

        @TimerId("end")
        private final TimerSpec end = TimerSpecs.timer(TimeDomain.EVENT_TIME);

        @ProcessElement
        public void process(
                @Element KV<Integer, Long> element,
                BoundedWindow window,
                @StateId("count") ValueState<Integer> count,
                @StateId("seen") BagState<Long> seen,
                @StateId("key") ValueState<Integer> key,
                @TimerId("end") Timer end) {
            Integer before = count.read();
            int now = (before == null ? 0 : before) + 1;
            count.write(now);
            seen.add(element.getValue());
            key.write(element.getKey());
            end.set(window.maxTimestamp());
            COUNTED.add(element.getKey() + "=" + now);
        }

        @OnTimer("end")
        public void end(
                @StateId("count") ValueState<Integer> count,
                @StateId("seen") BagState<Long> seen,
                @StateId("key") ValueState<Integer> key) {
            Set<Long> numbers = new HashSet<>();
            int elements = 0;
            for (long number : seen.read()) {
                numbers.add(number);
                elements++;
            }
            ENDED.add(new AtEnd(key.read(), count.read(), elements, numbers.size(), Collections.max(numbers)));
        }
    }

    /**
     * What is kept for a key at the end.
     *
     * @param counted elements, by the value
     * @param gathered elements, in the bag
     * @param distinct numbers among these
     * @param greatest of these
     */
    private record AtEnd(int key, int counted, int gathered, int distinct, long greatest) {
        /** Each of the key's numbers up to the greatest, once. */
        boolean isExact() {
            long numbers = (greatest - key) / KEYS + 1;
            return counted == numbers && gathered == numbers && distinct == numbers;
        }
    }

    private DisaggPipelineResult start(String... options) {
        List<String> all = new ArrayList<>(List.of(
                "--runner=DisaggRunner",
                "--stateUri=" + directory.resolve("state").toUri(),
                "--jobName=job",
                "--keepState",
                "--checkpointInterval=1h",
                "--stateMemory=16MiB"));
        all.addAll(List.of(options));
        Pipeline pipeline = Pipeline.create(
                PipelineOptionsFactory.fromArgs(all.toArray(String[]::new)).create());
        // An end would make it a bounded read, which has no positions in checkpoints.
        pipeline.apply(GenerateSequence.from(0).withRate(20, Duration.millis(4)))
                .apply(ParDo.of(new WithKey()))
                .apply(ParDo.of(new Count()));
        return (DisaggPipelineResult) pipeline.run();
    }

    private String[] rocks(String... more) {
        List<String> all =
                new ArrayList<>(List.of("--stateBackend=rocksdb", "--stateCacheDir=" + directory.resolve("local")));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    /** Waits until so many elements were counted since the last call. */
    private static void count(int elements) throws InterruptedException {
        for (int i = 0; i < elements; i++) {
            if (COUNTED.poll(LIMIT_SECONDS, TimeUnit.SECONDS) == null) {
                throw new AssertionError("nothing is counted any more, after " + i + " of " + elements);
            }
        }
    }

    private static void stopAfterACheckpoint(DisaggPipelineResult job, int counted, int lost) throws Exception {
        count(counted);
        job.checkpoint().get(LIMIT_SECONDS, TimeUnit.SECONDS);
        count(lost);
        job.cancel();
        COUNTED.clear();
    }

    private static void checkEnd(DisaggPipelineResult job) throws Exception {
        count(2000);
        job.drain().get(LIMIT_SECONDS, TimeUnit.SECONDS);
        assertThat(job.waitUntilFinish(Duration.standardSeconds(LIMIT_SECONDS)), is(PipelineResult.State.DONE));
        List<AtEnd> ended = List.copyOf(ENDED);
        assertThat(ended.stream().map(AtEnd::key).distinct().count(), is((long) KEYS));
        assertThat(ended.size(), is(KEYS));
        assertThat(
                "counts that are not exact",
                ended.stream().filter(end -> !end.isExact()).toList(),
                is(empty()));
    }

    private List<Path> filesUnder(String name) throws IOException {
        try (Stream<Path> files = Files.walk(directory.resolve(name))) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> !file.toString().endsWith(".lock"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void countsAreExactAcrossRestartsWithTwoThreeAndOneTasks() throws Exception {
        stopAfterACheckpoint(start(rocks("--parallelism=2")), 3000, 500);
        stopAfterACheckpoint(start(rocks("--parallelism=3", "--restore=latest")), 3000, 500);
        DisaggPipelineResult last = start(rocks("--parallelism=1", "--restore=latest"));
        checkEnd(last);
        assertThat("local files of jobs that have ended", filesUnder("local"), is(empty()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"disagg", "heap"})
    void itGoesOnFromCheckpointsOfOtherBackends(String other) throws Exception {
        stopAfterACheckpoint(start("--stateBackend=" + other, "--parallelism=2"), 3000, 500);
        stopAfterACheckpoint(start(rocks("--parallelism=2", "--restore=latest")), 3000, 500);
        checkEnd(start(rocks("--parallelism=2", "--restore=latest")));
    }

    @Test
    void otherBackendsRefuseItsCheckpointsAndChangeNothing() throws Exception {
        stopAfterACheckpoint(start(rocks("--parallelism=2")), 1000, 10);
        List<Path> before = filesUnder("state");
        Invalid refused = assertThrows(
                Invalid.class, () -> start("--stateBackend=disagg", "--parallelism=2", "--restore=latest"));
        assertThat(
                refused.getMessage(),
                allOf(
                        containsString("was written by --stateBackend=rocksdb"),
                        containsString("--stateBackend=disagg can not open it")));
        assertThat(filesUnder("state"), is(before));
    }
}
