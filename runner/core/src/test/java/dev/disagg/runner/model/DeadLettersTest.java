// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.model;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.disagg.runner.testing.Mode;
import java.nio.file.Path;
import java.util.List;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.PipelineResult;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.io.Compression;
import org.apache.beam.sdk.io.FileIO;
import org.apache.beam.sdk.io.TextIO;
import org.apache.beam.sdk.metrics.MetricResult;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.beam.sdk.transforms.WithFailures;
import org.apache.beam.sdk.transforms.errorhandling.BadRecord;
import org.apache.beam.sdk.transforms.errorhandling.BadRecordRouter;
import org.apache.beam.sdk.transforms.errorhandling.ErrorHandler;
import org.apache.beam.sdk.transforms.errorhandling.ErrorHandler.BadRecordErrorHandler;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionTuple;
import org.apache.beam.sdk.values.TupleTag;
import org.apache.beam.sdk.values.TupleTagList;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Elements that fail and go elsewhere, while the others go on. */
class DeadLettersTest {
    private static final TupleTag<Integer> PARSED = new TupleTag<>() {};

    /** Parses numbers; what is none goes to the dead letters. */
    static final class Parse extends DoFn<String, Integer> {
        private static final long serialVersionUID = 1L;

        @ProcessElement
        public void process(@Element String element, MultiOutputReceiver out) throws Exception {
            try {
                out.get(PARSED).output(Integer.parseInt(element));
            } catch (NumberFormatException e) {
                BadRecordRouter.RECORDING_ROUTER.route(out, element, StringUtf8Coder.of(), e, "not a number");
            }
        }
    }

    /** Takes dead letters, and gives their records. */
    static final class Sink extends PTransform<PCollection<BadRecord>, PCollection<String>> {
        private static final long serialVersionUID = 1L;

        @Override
        public PCollection<String> expand(PCollection<BadRecord> input) {
            return input.apply(
                    "Describe",
                    MapElements.into(TypeDescriptors.strings())
                            .via(bad -> bad.getRecord().getHumanReadableJsonRecord() + " "
                                    + bad.getFailure().getDescription()));
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void badRecordsOfTwoStepsMeetInOneHandler(Mode mode) throws Exception {
        Pipeline pipeline = mode.pipeline();
        PCollection<String> first = pipeline.apply("First", Create.of("1", "two", "3"));
        PCollection<String> second = pipeline.apply("Second", Create.of("4", "five"));
        BadRecordErrorHandler<PCollection<String>> handler = pipeline.registerBadRecordErrorHandler(new Sink());
        try (handler) {
            PAssert.that(parsed("ParseFirst", first, handler)).containsInAnyOrder(1, 3);
            PAssert.that(parsed("ParseSecond", second, handler)).containsInAnyOrder(4);
        }
        PAssert.that(handler.getOutput()).containsInAnyOrder("\"two\" not a number", "\"five\" not a number");
        PipelineResult result = Mode.run(pipeline);
        long counted = 0;
        for (MetricResult<Long> counter : result.metrics().allMetrics().getCounters()) {
            if (counter.getName().getNamespace().equals("ErrorMetrics")) {
                counted += counter.getAttempted();
            }
        }
        assertThat("dead letters counted", counted, is(2L));
    }

    private static PCollection<Integer> parsed(
            String name, PCollection<String> lines, ErrorHandler<BadRecord, ?> handler) {
        PCollectionTuple both = lines.apply(
                name, ParDo.of(new Parse()).withOutputTags(PARSED, TupleTagList.of(BadRecordRouter.BAD_RECORD_TAG)));
        handler.addErrorCollection(
                both.get(BadRecordRouter.BAD_RECORD_TAG).setCoder(BadRecord.getCoder(lines.getPipeline())));
        return both.get(PARSED);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void exceptionsOfAMappingAreCollected(Mode mode) {
        Pipeline pipeline = mode.pipeline();
        WithFailures.Result<PCollection<Integer>, KV<String, String>> result = pipeline.apply(
                        Create.of("1", "two", "3"))
                .apply(MapElements.into(TypeDescriptors.integers())
                        .via((String element) -> Integer.parseInt(element))
                        .exceptionsInto(TypeDescriptors.kvs(TypeDescriptors.strings(), TypeDescriptors.strings()))
                        .exceptionsVia(failure -> KV.of(
                                failure.element(),
                                failure.exception().getClass().getSimpleName())));
        PAssert.that(result.output()).containsInAnyOrder(1, 3);
        PAssert.that(result.failures()).containsInAnyOrder(KV.of("two", "NumberFormatException"));
        Mode.run(pipeline);
    }

    /** Refuses one destination. */
    private static final SerializableFunction<String, String> DESTINATION = element -> {
        if (element.startsWith("bad")) {
            throw new IllegalArgumentException("no destination for " + element);
        }
        return element.substring(0, 1);
    };

    @ParameterizedTest
    @EnumSource(Mode.class)
    void elementsWithoutADestinationOfADynamicWriteAreCollected(Mode mode, @TempDir Path directory) throws Exception {
        Pipeline pipeline = mode.pipeline();
        Coder<String> strings = StringUtf8Coder.of();
        BadRecordErrorHandler<PCollection<String>> handler = pipeline.registerBadRecordErrorHandler(new Sink());
        try (handler) {
            pipeline.apply(Create.of("a1", "b1", "bad1", "a2", "bad2").withCoder(strings))
                    .apply(FileIO.<String, String>writeDynamic()
                            .by(DESTINATION)
                            .via(TextIO.sink())
                            .withDestinationCoder(strings)
                            .withNaming(name -> FileIO.Write.defaultNaming(name, ".txt"))
                            .withNumShards(1)
                            .withCompression(Compression.UNCOMPRESSED)
                            .withBadRecordErrorHandler(handler)
                            .to(directory.toString()));
        }
        PAssert.that(handler.getOutput().apply(Lines.firstWord())).containsInAnyOrder("\"bad1\"", "\"bad2\"");
        Mode.run(pipeline);
        assertThat(Lines.below(directory), is(List.of("a:a1", "a:a2", "b:b1")));
    }
}
