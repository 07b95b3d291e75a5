// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.badinput;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.ufs.Invalid;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.beam.model.expansion.v1.ExpansionApi;
import org.apache.beam.model.pipeline.v1.Endpoints;
import org.apache.beam.model.pipeline.v1.RunnerApi;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.AtomicCoder;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.DoubleCoder;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.Sum;
import org.apache.beam.sdk.transforms.windowing.Sessions;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.util.construction.ExpansionServiceClient;
import org.apache.beam.sdk.util.construction.ExpansionServiceClientFactory;
import org.apache.beam.sdk.util.construction.External;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.joda.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What can not run is refused before anything runs, and everything of it in one message. */
class UnsupportedPipelineTest {
    @TempDir
    Path directory;

    private static final Coder<KV<Double, Long>> DOUBLE_KEYS = KvCoder.of(DoubleCoder.of(), VarLongCoder.of());

    private Pipeline pipeline() {
        return Jobs.pipeline(Jobs.in(directory));
    }

    private String refusal(Pipeline pipeline) {
        String said = assertThrows(Invalid.class, pipeline::run).getMessage();
        assertThat("nothing was made", Jobs.contents(directory).keySet(), is(empty()));
        return said;
    }

    static final class Stateful<K> extends DoFn<KV<K, Long>, Long> {
        private static final long serialVersionUID = 1L;

        @StateId("last")
        private final StateSpec<ValueState<Long>> spec = StateSpecs.value(VarLongCoder.of());

        @ProcessElement
        public void process(@Element KV<K, Long> element, @StateId("last") ValueState<Long> state) {
            state.write(element.getValue());
        }
    }

    private static PCollection<KV<Double, Long>> doubleKeys(Pipeline pipeline) {
        return pipeline.apply("Doubles", Create.of(KV.of(1.0, 1L)).withCoder(DOUBLE_KEYS));
    }

    private static PCollection<KV<String, Long>> keyed(Pipeline pipeline) {
        return pipeline.apply(
                "Keyed", Create.of(KV.of("a", 1L)).withCoder(KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of())));
    }

    /** Beam itself looks at the key coders of these, when they are applied. */
    @Test
    void keyedTransformsUnderANonDeterministicKeyCoder() {
        Pipeline pipeline = pipeline();
        PCollection<KV<Double, Long>> doubles = doubleKeys(pipeline);
        List<Runnable> keyed = List.of(
                () -> doubles.apply(ParDo.of(new Stateful<>())),
                () -> doubles.apply(Sum.longsPerKey()),
                () -> doubles.apply(GroupByKey.create()));
        for (Runnable apply : keyed) {
            RuntimeException refused = assertThrows(RuntimeException.class, apply::run);
            assertThat(refused.getMessage(), containsString("deterministic"));
        }
    }

    @Test
    void stateInMergingWindows() {
        Pipeline pipeline = pipeline();
        keyed(pipeline)
                .apply("Sessions", Window.into(Sessions.withGapDuration(Duration.standardMinutes(1))))
                .apply("Remember", ParDo.of(new Stateful<>()));
        assertThat(
                refusal(pipeline),
                allOf(containsString("Remember"), containsString("merging windows"), containsString("Window.into")));
    }

    @Test
    void aCrossLanguageTransform() {
        Pipeline pipeline = pipeline();
        ExpansionServiceClientFactory factory = new ExpansionServiceClientFactory() {
            @Override
            public ExpansionServiceClient getExpansionServiceClient(Endpoints.ApiServiceDescriptor endpoint) {
                return new Echo();
            }

            @Override
            public void close() {}
        };
        pipeline.apply("Longs", Create.of(1L))
                .apply("Foreign", External.of("some:urn", new byte[0], "nowhere", factory));
        assertThat(
                refusal(pipeline),
                allOf(containsString("Foreign"), containsString("cross-language"), containsString("Java form")));
    }

    /** An expansion service whose every transform gives back its input. */
    private static final class Echo implements ExpansionServiceClient {
        @Override
        public ExpansionApi.ExpansionResponse expand(ExpansionApi.ExpansionRequest request) {
            RunnerApi.PTransform transform = request.getTransform();
            String input = transform.getInputsMap().values().iterator().next();
            return ExpansionApi.ExpansionResponse.newBuilder()
                    .setComponents(request.getComponents())
                    .setTransform(transform.toBuilder().putAllOutputs(Map.of("0", input)))
                    .build();
        }

        @Override
        public ExpansionApi.DiscoverSchemaTransformResponse discover(
                ExpansionApi.DiscoverSchemaTransformRequest request) {
            throw new AssertionError("not asked");
        }

        @Override
        public void close() {}
    }

    @Test
    void allProblemsComeInOneMessage() {
        Pipeline pipeline = pipeline();
        pipeline.apply("More", Create.of(KV.of("a", 1L)).withCoder(KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of())))
                .apply("Sessions", Window.into(Sessions.withGapDuration(Duration.standardMinutes(1))))
                .apply("InSessions", ParDo.of(new Stateful<>()));
        pipeline.apply(
                        "Others",
                        Create.of(KV.of("b", 1L)).withCoder(KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of())))
                .apply("OtherSessions", Window.into(Sessions.withGapDuration(Duration.standardMinutes(2))))
                .apply("InOthers", ParDo.of(new Stateful<>()));
        String said = refusal(pipeline);
        assertThat(said.lines().count(), is(3L));
        for (String name : List.of("InSessions/", "InOthers/")) {
            assertThat(said, containsString("\n  " + name));
        }
    }

    /** A deterministic coder that says so only by itself. */
    static final class OwnCoder extends AtomicCoder<Double> {
        private static final long serialVersionUID = 1L;

        @Override
        public void encode(Double value, java.io.OutputStream out) throws java.io.IOException {
            DoubleCoder.of().encode(value, out);
        }

        @Override
        public Double decode(java.io.InputStream in) throws java.io.IOException {
            return DoubleCoder.of().decode(in);
        }
    }

    @Test
    void theRemedyForAKeyCoderWorks() {
        Pipeline pipeline = pipeline();
        pipeline.apply("Doubles", Create.of(KV.of(1.0, 1L)).withCoder(KvCoder.of(new OwnCoder(), VarLongCoder.of())))
                .apply("Remember", ParDo.of(new Stateful<>()));
        assertDoesNotThrow(() -> pipeline.run().waitUntilFinish());
    }
}
