// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.graph;

import java.util.Map;
import org.apache.beam.sdk.io.WriteFiles;
import org.apache.beam.sdk.io.WriteFilesResult;
import org.apache.beam.sdk.runners.AppliedPTransform;
import org.apache.beam.sdk.runners.PTransformOverride;
import org.apache.beam.sdk.runners.PTransformOverrideFactory;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.util.construction.PTransformReplacements;
import org.apache.beam.sdk.util.construction.ReplacementOutputs;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.TupleTag;

/**
 * Gives a number of shards to the writes that leave it to the runner and write a file per window. Beam numbers their
 * files within a bundle, and so counts on one bundle for all files of a window; of two bundles, the second would write
 * over the files of the first. Other writes gather their files without regard to bundles.
 */
@SuppressWarnings("rawtypes")
final class ShardedWrites
        implements PTransformOverrideFactory<PCollection, WriteFilesResult, PTransform<PCollection, WriteFilesResult>> {
    private final int shards;

    private ShardedWrites(int shards) {
        this.shards = shards;
    }

    static PTransformOverride override(int shards) {
        return PTransformOverride.of(ShardedWrites::numbersFilesWithinABundle, new ShardedWrites(shards));
    }

    private static boolean numbersFilesWithinABundle(AppliedPTransform<?, ?, ?> application) {
        return application.getTransform() instanceof WriteFiles<?, ?, ?> write
                && write.getWindowedWrites()
                && write.getNumShardsProvider() == null
                && write.getComputeNumShards() == null
                && application.getMainInputs().values().stream()
                        .allMatch(input -> input.isBounded() == PCollection.IsBounded.BOUNDED);
    }

    @Override
    @SuppressWarnings("unchecked")
    public PTransformReplacement<PCollection, WriteFilesResult> getReplacementTransform(
            AppliedPTransform<PCollection, WriteFilesResult, PTransform<PCollection, WriteFilesResult>> application) {
        WriteFiles write = (WriteFiles) (PTransform) application.getTransform();
        return PTransformReplacement.of(
                PTransformReplacements.getSingletonMainInput((AppliedPTransform) application),
                write.withNumShards(shards));
    }

    @Override
    public Map<PCollection<?>, ReplacementOutput> mapOutputs(
            Map<TupleTag<?>, PCollection<?>> outputs, WriteFilesResult newOutput) {
        return ReplacementOutputs.tagged(outputs, newOutput);
    }
}
