// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.badinput;

import dev.disagg.runner.DisaggPipelineResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.io.GenerateSequence;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.beam.sdk.transforms.WithKeys;
import org.apache.beam.sdk.values.KV;

/** Small jobs with state in a directory, and what their directories hold. */
final class Jobs {
    /** Sums per job and key, as of the last element; a job's entry says that it has processed something. */
    static final Map<String, Map<String, Long>> SUMS = new ConcurrentHashMap<>();

    private Jobs() {}

    static Pipeline pipeline(String... arguments) {
        return Pipeline.create(PipelineOptionsFactory.fromArgs(arguments).create());
    }

    static String[] in(Path directory, String... more) {
        List<String> all = new ArrayList<>(List.of(
                "--runner=DisaggRunner", "--stateUri=" + directory.toUri(), "--jobName=job", "--parallelism=2"));
        all.addAll(Arrays.asList(more));
        return all.toArray(String[]::new);
    }

    /** Sums values per key. */
    static final class SumPerKey extends DoFn<KV<String, Long>, Long> {
        private static final long serialVersionUID = 1L;

        @StateId("sum")
        private final StateSpec<ValueState<Long>> spec = StateSpecs.value(VarLongCoder.of());

        private final String job;

        SumPerKey(String job) {
            this.job = job;
        }

        @ProcessElement
        public void process(@Element KV<String, Long> element, @StateId("sum") ValueState<Long> state) {
            Long before = state.read();
            long sum = (before == null ? 0 : before) + element.getValue();
            state.write(sum);
            SUMS.computeIfAbsent(job, name -> new ConcurrentHashMap<>()).put(element.getKey(), sum);
        }
    }

    static final SerializableFunction<Long, String> TEN_KEYS = number -> "key-" + number % 10;

    /** An endless stream of numbers, summed per key. */
    static Pipeline endless(String job, String... arguments) {
        Pipeline pipeline = pipeline(arguments);
        pipeline.apply("Numbers", GenerateSequence.from(0).withRate(2000, org.joda.time.Duration.standardSeconds(1)))
                .apply("Keys", WithKeys.of(TEN_KEYS))
                .setCoder(KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of()))
                .apply("Sum", ParDo.of(new SumPerKey(job)));
        return pipeline;
    }

    /** Runs {@link #endless} until {@code checkpoints} are committed on request, then cancels it. */
    static void leaveCheckpoints(Path directory, int checkpoints, String... more) {
        String[] off = Arrays.copyOf(more, more.length + 1);
        off[more.length] = "--checkpointInterval=1h";
        String name = "left-in-" + directory;
        DisaggPipelineResult result =
                (DisaggPipelineResult) endless(name, in(directory, off)).run();
        try {
            for (int i = 0; i < checkpoints; i++) {
                result.checkpoint().join();
            }
            result.cancel();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A few numbers, summed. */
    static Pipeline short_(String job, String... arguments) {
        Pipeline pipeline = pipeline(arguments);
        pipeline.apply("Numbers", Create.of(1L, 2L, 3L))
                .apply("Keys", WithKeys.of(TEN_KEYS))
                .setCoder(KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of()))
                .apply("Sum", ParDo.of(new SumPerKey(job)));
        return pipeline;
    }

    /** Every file below a directory, with its bytes' hash; temporary files left out. */
    static Map<String, Integer> contents(Path directory) {
        Map<String, Integer> contents = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                String name = directory.relativize(file).toString();
                if (!name.contains("~tmp")) {
                    contents.put(name, Arrays.hashCode(Files.readAllBytes(file)));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return contents;
    }

    static Coder<KV<String, Integer>> kvCoder() {
        return KvCoder.of(StringUtf8Coder.of(), VarIntCoder.of());
    }
}
