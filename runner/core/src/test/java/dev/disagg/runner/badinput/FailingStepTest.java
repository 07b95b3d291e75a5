// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.badinput;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.instanceOf;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.Pipeline.PipelineExecutionException;
import org.apache.beam.sdk.PipelineResult;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.state.MapState;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.KV;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** User code that throws, or that misuses its thread. */
class FailingStepTest {
    @TempDir
    Path directory;

    /** Reads a cold map, then throws at one key. */
    static final class ThrowAtKey extends DoFn<KV<String, Integer>, Integer> {
        private static final long serialVersionUID = 1L;
        static final AtomicInteger THROWN = new AtomicInteger();

        @StateId("map")
        private final StateSpec<MapState<Integer, Integer>> spec = StateSpecs.map(VarIntCoder.of(), VarIntCoder.of());

        private final String badKey;

        ThrowAtKey(String badKey) {
            this.badKey = badKey;
        }

        @ProcessElement
        public void process(
                @Element KV<String, Integer> element,
                @StateId("map") MapState<Integer, Integer> map,
                OutputReceiver<Integer> out) {
            Integer before = map.get(element.getValue()).read();
            if (element.getKey().equals(badKey)) {
                THROWN.incrementAndGet();
                throw new IllegalStateException("this key can not be processed");
            }
            map.put(element.getValue(), before == null ? 1 : before + 1);
            out.output(element.getValue());
        }
    }

    private static List<KV<String, Integer>> elements(int count) {
        List<KV<String, Integer>> elements = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            elements.add(KV.of("k" + i, i));
        }
        return elements;
    }

    private static Pipeline throwing(String badKey, String... arguments) {
        Pipeline pipeline = Jobs.pipeline(arguments);
        pipeline.apply("Elements", Create.of(elements(200)).withCoder(Jobs.kvCoder()))
                .apply("Count", ParDo.of(new ThrowAtKey(badKey)));
        return pipeline;
    }

    /** The encoded key is what the message can show: UTF-8, in hexadecimal digits. */
    private static String hex(String key) {
        return java.util.HexFormat.of().formatHex(key.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void theMessageNamesStepAndKeyAndTheCauseIsWhatWasThrown() {
        PipelineResult result = throwing("k77", Jobs.in(directory)).run();
        PipelineExecutionException failed = assertThrows(PipelineExecutionException.class, result::waitUntilFinish);
        assertThat(
                failed.getMessage(),
                allOf(
                        containsString("Count"),
                        containsString("key " + hex("k77")),
                        containsString("this key can not be processed")));
        assertThat(failed.getCause(), instanceOf(IllegalStateException.class));
        assertThat(failed.getCause().getMessage(), is("this key can not be processed"));
        assertThat(result.getState(), is(PipelineResult.State.FAILED));
    }

    @Test
    void othersThatAreParkedEndWithTheFirstFailure() {
        ThrowAtKey.THROWN.set(0);
        // Every read is put off, so that bodies are parked all around the one that throws.
        Pipeline pipeline = throwing("k50", "--runner=TestDisaggRunner", "--delayedReads=7", "--parallelism=1");
        PipelineExecutionException failed = assertThrows(PipelineExecutionException.class, pipeline::run);
        assertThat(failed.getMessage(), allOf(containsString("Count"), containsString("key " + hex("k50"))));
        assertThat("once", ThrowAtKey.THROWN.get(), is(1));
        assertThat(failed.getSuppressed().length, is(1));
        assertThat(
                "the parked ones have no failures of their own",
                java.util.Arrays.stream(failed.getSuppressed()[0].getSuppressed())
                        .toList(),
                is(List.of()));
    }

    @Test
    void theStateOfAFailedJobIsKept() {
        PipelineResult result = throwing("k77", Jobs.in(directory)).run();
        assertThrows(PipelineExecutionException.class, result::waitUntilFinish);
        assertThat(Jobs.contents(directory), not(equalTo(Map.of())));
    }

    /** Sets its thread's interrupt flag before it reads. */
    static final class Interrupting extends DoFn<KV<String, Integer>, Integer> {
        private static final long serialVersionUID = 1L;

        @StateId("map")
        private final StateSpec<MapState<Integer, Integer>> spec = StateSpecs.map(VarIntCoder.of(), VarIntCoder.of());

        @ProcessElement
        public void process(@Element KV<String, Integer> element, @StateId("map") MapState<Integer, Integer> map) {
            if (element.getKey().equals("k3")) {
                Thread.currentThread().interrupt();
            }
            map.get(1).read();
        }
    }

    @Test
    void aDoFnThatInterruptsItsThreadFailsTheJobAndDoesNotHangIt() {
        Pipeline pipeline = Jobs.pipeline("--runner=TestDisaggRunner", "--delayedReads=3", "--parallelism=1");
        pipeline.apply("Elements", Create.of(elements(20)).withCoder(Jobs.kvCoder()))
                .apply("Interrupt", ParDo.of(new Interrupting()));
        RuntimeException failed = assertThrows(RuntimeException.class, pipeline::run);
        assertThat(failed.getMessage(), allOf(containsString("Interrupt"), containsString("was interrupted")));
    }

    /** A program whose pipeline fails. */
    public static final class Program {
        private Program() {}

        public static void main(String[] arguments) {
            throwing("k5", arguments).run().waitUntilFinish();
        }
    }

    @Test
    void aProgramWhosePipelineFailsEndsWithANonZeroCode() throws IOException, InterruptedException {
        Path log = directory.resolve("log");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                Program.class.getName()));
        command.addAll(List.of(Jobs.in(directory.resolve("state"))));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            assertThat("ended by itself", process.waitFor(120, TimeUnit.SECONDS), is(true));
        } finally {
            process.destroyForcibly();
        }
        String output = Files.readString(log);
        assertThat(output, process.exitValue(), is(1));
        assertThat(
                output,
                allOf(
                        containsString("Count"),
                        containsString("key " + hex("k5")),
                        containsString("this key can not be processed")));
    }
}
