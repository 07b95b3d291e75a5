// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.graph;

import dev.disagg.ufs.Invalid;
import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.runners.AppliedPTransform;
import org.apache.beam.sdk.runners.PTransformOverride;
import org.apache.beam.sdk.runners.PTransformOverrideFactory;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.util.construction.PTransformMatchers;
import org.apache.beam.sdk.util.construction.PTransformReplacements;
import org.apache.beam.sdk.util.construction.ReplacementOutputs;
import org.apache.beam.sdk.util.construction.SplittableParDo;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionTuple;
import org.apache.beam.sdk.values.TupleTag;

/** From a Beam pipeline to a {@link StageGraph}. */
public final class Translation {
    private Translation() {}

    /**
     * Translates {@code pipeline}, which is modified by replacing transforms with others that Beam provides.
     *
     * @throws Invalid listing everything in the pipeline that can not run
     */
    public static StageGraph translate(Pipeline pipeline, int parallelism) {
        pipeline.replaceAll(List.of(RecordIds.OVERRIDE));
        SplittableParDo.convertReadBasedSplittableDoFnsToPrimitiveReads(pipeline);
        pipeline.replaceAll(List.of(
                ShardedWrites.override(parallelism),
                PTransformOverride.of(PTransformMatchers.splittableParDo(), new SplittableOverride())));
        MaterializedViews.addTo(pipeline);
        // The view's own transforms may read, too.
        SplittableParDo.convertReadBasedSplittableDoFnsToPrimitiveReads(pipeline);
        List<String> problems = new ArrayList<>();
        GraphBuilder builder = new GraphBuilder(parallelism, problems);
        pipeline.traverseTopologically(new PipelineReader(pipeline, builder, problems));
        if (!problems.isEmpty()) {
            throw new Invalid("This pipeline can not run on DisaggRunner:\n  "
                    + String.join("\n  ", problems.stream().distinct().toList()));
        }
        return builder.build();
    }

    /** Key identity is the encoded form, so the coder must be deterministic. */
    static void checkKeyCoder(String transform, Coder<?> keyCoder, List<String> problems) {
        try {
            keyCoder.verifyDeterministic();
        } catch (Coder.NonDeterministicException e) {
            problems.add(transform + ": the key coder " + keyCoder + " is not deterministic (" + e.getMessage()
                    + "); equal keys could be encoded differently. Set a deterministic coder on the keyed collection.");
        }
    }

    /** Splittable DoFns become a pairing with restrictions and a keyed step that processes them. */
    @SuppressWarnings({"rawtypes", "unchecked"})
    private static final class SplittableOverride
            implements PTransformOverrideFactory<
                    PCollection, PCollectionTuple, PTransform<PCollection, PCollectionTuple>> {
        @Override
        public PTransformReplacement<PCollection, PCollectionTuple> getReplacementTransform(
                AppliedPTransform<PCollection, PCollectionTuple, PTransform<PCollection, PCollectionTuple>>
                        application) {
            return PTransformReplacement.of(
                    (PCollection) PTransformReplacements.getSingletonMainInput((AppliedPTransform) application),
                    (PTransform) SplittableParDo.forAppliedParDo((AppliedPTransform) application));
        }

        @Override
        public java.util.Map<PCollection<?>, ReplacementOutput> mapOutputs(
                java.util.Map<TupleTag<?>, PCollection<?>> outputs, PCollectionTuple newOutput) {
            return ReplacementOutputs.tagged(outputs, newOutput);
        }
    }
}
