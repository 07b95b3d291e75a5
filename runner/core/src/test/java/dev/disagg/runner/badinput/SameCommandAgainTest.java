// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.badinput;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.disagg.runner.DisaggPipelineResult;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.PipelineResult;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.io.GenerateSequence;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.View;
import org.apache.beam.sdk.transforms.WithKeys;
import org.apache.beam.sdk.values.PCollectionView;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What must not be taken for another pipeline: the same one again, with side inputs, at another parallelism. */
class SameCommandAgainTest {
    @TempDir
    Path directory;

    static final class AddTen extends DoFn<Long, Long> {
        private static final long serialVersionUID = 1L;
        private final PCollectionView<Long> view;

        AddTen(PCollectionView<Long> view) {
            this.view = view;
        }

        @ProcessElement
        public void process(ProcessContext c) {
            c.output(c.element() + c.sideInput(view));
        }
    }

    private Pipeline pipeline(int parallelism, String... more) {
        String[] arguments = Jobs.in(directory, more);
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = arguments[i].startsWith("--parallelism") ? "--parallelism=" + parallelism : arguments[i];
        }
        Pipeline pipeline = Jobs.pipeline(arguments);
        PCollectionView<Long> view = pipeline.apply("Ten", Create.of(10L)).apply("AsView", View.asSingleton());
        pipeline.apply("Numbers", GenerateSequence.from(0).withRate(1000, org.joda.time.Duration.standardSeconds(1)))
                .apply("Add", ParDo.of(new AddTen(view)).withSideInputs(view))
                .apply("Keys", WithKeys.of(Jobs.TEN_KEYS))
                .setCoder(KvCoder.of(StringUtf8Coder.of(), VarLongCoder.of()))
                .apply("Sum", ParDo.of(new Jobs.SumPerKey("same")));
        return pipeline;
    }

    @ParameterizedTest
    @CsvSource({"2,2", "1,3", "3,1", "3,2"})
    void isRestored(int before, int after) throws IOException {
        for (int parallelism : new int[] {before, after, before}) {
            DisaggPipelineResult result =
                    (DisaggPipelineResult) pipeline(parallelism, "--restore=auto", "--checkpointInterval=1h")
                            .run();
            result.checkpoint().join();
            assertThat(result.cancel(), is(PipelineResult.State.CANCELLED));
        }
    }
}
