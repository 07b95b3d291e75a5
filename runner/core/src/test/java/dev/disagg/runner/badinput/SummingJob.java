// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.badinput;

import dev.disagg.runner.DisaggPipelineResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.io.Read;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.WithKeys;
import org.apache.beam.sdk.values.KV;

/** A job that sums the first 1100 numbers into ten keys, and is left after 1000 of them with a checkpoint. */
final class SummingJob {
    private static final long FIRST = 1000;
    private static final long END = 1100;
    private static final Map<String, Map<String, Long>> SUMS = new ConcurrentHashMap<>();
    private static final Map<String, CountDownLatch> SEEN = new ConcurrentHashMap<>();

    private SummingJob() {}

    static final class Sum extends DoFn<KV<String, Long>, Void> {
        private static final long serialVersionUID = 1L;

        @StateId("sum")
        private final StateSpec<ValueState<Long>> spec = StateSpecs.value(VarLongCoder.of());

        private final String name;

        Sum(String name) {
            this.name = name;
        }

        @ProcessElement
        public void process(@Element KV<String, Long> element, @StateId("sum") ValueState<Long> state) {
            Long before = state.read();
            long sum = (before == null ? 0 : before) + element.getValue();
            state.write(sum);
            SUMS.get(name).put(element.getKey(), sum);
            SEEN.get(name).countDown();
        }
    }

    private static Pipeline pipeline(String name, String... arguments) {
        Pipeline pipeline = Jobs.pipeline(arguments);
        pipeline.apply("Numbers", Read.from(new Numbers(name, END)))
                .apply("Keys", WithKeys.of(Jobs.TEN_KEYS))
                .setCoder(KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of()))
                .apply("Sum", ParDo.of(new Sum(name)));
        return pipeline;
    }

    /** Runs the first part of the job, and leaves one checkpoint of it. */
    static void leave(Path directory) {
        String name = "job";
        Numbers.LIMITS.put(name, FIRST);
        SUMS.put(name, new ConcurrentHashMap<>());
        SEEN.put(name, new CountDownLatch((int) FIRST));
        DisaggPipelineResult result =
                (DisaggPipelineResult) pipeline(name, Jobs.in(directory, "--checkpointInterval=1h", "--keepState"))
                        .run();
        try {
            if (!SEEN.get(name).await(60, TimeUnit.SECONDS)) {
                throw new AssertionError("the first " + FIRST + " numbers did not come: " + result.getState());
            }
            result.checkpoint().join();
            result.cancel();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Goes on from the newest checkpoint to the end; returns the last sum of each key. */
    static Map<String, Long> finish(Path directory) {
        String name = "job";
        Numbers.LIMITS.put(name, END);
        SUMS.put(name, new ConcurrentHashMap<>());
        SEEN.put(name, new CountDownLatch((int) (END - FIRST)));
        pipeline(name, Jobs.in(directory, "--restore=latest", "--checkpointInterval=1h", "--keepState"))
                .run()
                .waitUntilFinish();
        return new TreeMap<>(SUMS.get(name));
    }

    /** The right answer. */
    static Map<String, Long> sums() {
        Map<String, Long> sums = new TreeMap<>();
        for (long number = 0; number < END; number++) {
            sums.merge(Jobs.TEN_KEYS.apply(number), number, Long::sum);
        }
        return sums;
    }
}
