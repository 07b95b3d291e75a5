// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.badinput;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.hasEntry;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.runner.DisaggPipelineResult;
import dev.disagg.ufs.Invalid;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.PipelineResult;
import org.apache.beam.sdk.coders.BigEndianLongCoder;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.CustomCoder;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.io.GenerateSequence;
import org.apache.beam.sdk.state.BagState;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.WithKeys;
import org.apache.beam.sdk.values.KV;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A checkpoint is not given to a pipeline that would misread it: the refusal says what differs. */
class OtherPipelineTest {
    @TempDir
    Path directory;

    static final class Last extends DoFn<KV<Long, Long>, Void> {
        private static final long serialVersionUID = 1L;

        @StateId("last")
        private final StateSpec<ValueState<Long>> spec;

        Last(Coder<Long> coder) {
            spec = StateSpecs.value(coder);
        }

        @ProcessElement
        public void process(@Element KV<Long, Long> element, @StateId("last") ValueState<Long> state) {
            state.write(element.getValue());
        }
    }

    /** A later version of the program. */
    private static final class Changed {
        static final class Last extends DoFn<KV<Long, Long>, Void> {
            private static final long serialVersionUID = 1L;

            @StateId("last")
            private final StateSpec<BagState<Long>> spec = StateSpecs.bag(VarLongCoder.of());

            @StateId("more")
            private final StateSpec<ValueState<Long>> more = StateSpecs.value(VarLongCoder.of());

            @ProcessElement
            public void process(@Element KV<Long, Long> element, @StateId("last") BagState<Long> state) {
                state.add(element.getValue());
            }
        }
    }

    /** Has no description of its own, as most coders of users. */
    static final class UsersCoder extends CustomCoder<Long> {
        private static final long serialVersionUID = 1L;

        @Override
        public void encode(Long value, OutputStream out) throws IOException {
            VarLongCoder.of().encode(value, out);
        }

        @Override
        public Long decode(InputStream in) throws IOException {
            return VarLongCoder.of().decode(in);
        }

        @Override
        public void verifyDeterministic() {}
    }

    private Pipeline pipeline(String stage, Coder<Long> keyCoder, DoFn<KV<Long, Long>, Void> fn, String... more) {
        Pipeline pipeline = Jobs.pipeline(Jobs.in(directory, more));
        pipeline.apply("Numbers", GenerateSequence.from(0).withRate(1000, org.joda.time.Duration.standardSeconds(1)))
                .apply("Keys", WithKeys.of(number -> number % 10))
                .setCoder(KvCoder.of(keyCoder, VarLongCoder.of()))
                .apply(stage, ParDo.of(fn));
        return pipeline;
    }

    @BeforeEach
    void leaveACheckpoint() throws IOException {
        DisaggPipelineResult result = (DisaggPipelineResult)
                pipeline("Keep", new UsersCoder(), new Last(VarLongCoder.of()), "--checkpointInterval=1h")
                        .run();
        result.checkpoint().join();
        result.cancel();
    }

    private List<String> differences(Pipeline other) throws IOException {
        Map<String, Integer> before = Jobs.contents(directory);
        String said = assertThrows(Invalid.class, other::run).getMessage();
        assertThat(
                said,
                allOf(
                        containsString("checkpoint 1 was made by another pipeline"),
                        containsString("another --jobName")));
        Map<String, Integer> after = Jobs.contents(directory);
        before.forEach((name, hash) -> assertThat("untouched", after, hasEntry(name, hash)));
        theRightPipelineStillGoesOn();
        return said.lines()
                .filter(line -> line.startsWith("  "))
                .map(String::strip)
                .toList();
    }

    private void theRightPipelineStillGoesOn() throws IOException {
        PipelineResult right = pipeline("Keep", new UsersCoder(), new Last(VarLongCoder.of()), "--restore=latest")
                .run();
        assertThat(right.cancel(), is(PipelineResult.State.CANCELLED));
    }

    @Test
    void aCoderWithoutADescriptionOfItsOwnIsTheSameInTheNextRun() throws IOException {
        theRightPipelineStillGoesOn();
    }

    @Test
    void anotherStage() throws IOException {
        List<String> said =
                differences(pipeline("Hold", new UsersCoder(), new Last(VarLongCoder.of()), "--restore=latest"));
        assertThat(said.toString(), allOf(containsString("stage Keep"), containsString("stage Hold")));
    }

    @Test
    void anotherKeyCoder() throws IOException {
        List<String> said =
                differences(pipeline("Keep", BigEndianLongCoder.of(), new Last(VarLongCoder.of()), "--restore=latest"));
        assertThat(said, hasSize(1));
        assertThat(
                said.get(0),
                allOf(
                        containsString("key coder of Keep"),
                        containsString("UsersCoder"),
                        containsString("BigEndianLongCoder")));
    }

    @Test
    void anotherCoderOfAStateCell() throws IOException {
        List<String> said =
                differences(pipeline("Keep", new UsersCoder(), new Last(BigEndianLongCoder.of()), "--restore=latest"));
        assertThat(said, hasSize(1));
        assertThat(
                said.get(0),
                allOf(
                        containsString("state cell last of Keep"),
                        containsString("VarLongCoder"),
                        containsString("BigEndianLongCoder")));
    }

    @Test
    void anotherKindOfStateCellAndOneMore() throws IOException {
        List<String> said = differences(pipeline("Keep", new UsersCoder(), new Changed.Last(), "--restore=latest"));
        assertThat(said, hasSize(2));
        assertThat(
                said.get(0),
                allOf(containsString("state cell last of Keep"), containsString("value"), containsString("bag")));
        assertThat(said.get(1), allOf(containsString("state cell more of Keep"), containsString("in this pipeline")));
    }
}
