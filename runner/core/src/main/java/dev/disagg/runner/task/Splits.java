// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.runner.graph.Head;
import dev.disagg.ufs.Failed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.io.BoundedSource;
import org.apache.beam.sdk.io.UnboundedSource;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.util.SerializableUtils;
import org.jspecify.annotations.Nullable;

/** The splits of a source: made once in the life of a job, then kept in its checkpoints. */
public final class Splits {
    private static final long MIN_SPLIT_BYTES = 1 << 20;
    private static final int PER_TASK = 4;

    private Splits() {}

    /**
     * Splits a source for {@code parallelism} tasks.
     *
     * @return the serialized parts; split {@code i} has the number {@code i}
     */
    public static List<byte[]> of(Head.Source head, int parallelism, PipelineOptions options) {
        try {
            List<byte[]> splits = new ArrayList<>();
            if (head instanceof Head.Bounded bounded) {
                BoundedSource<?> source = bounded.source();
                long bytes = source.getEstimatedSizeBytes(options);
                long desired = Math.max(MIN_SPLIT_BYTES, bytes / ((long) parallelism * PER_TASK) + 1);
                source.split(desired, options)
                        .forEach(part -> splits.add(SerializableUtils.serializeToByteArray(part)));
            } else if (head instanceof Head.Unbounded unbounded) {
                unbounded
                        .source()
                        .split(parallelism, options)
                        .forEach(part -> splits.add(SerializableUtils.serializeToByteArray(part)));
            } else {
                splits.add(new byte[0]);
            }
            return splits;
        } catch (IOException e) {
            throw new Failed("the source " + head.name() + " can not be split: " + e.getMessage(), e);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new Failed("the source " + head.name() + " can not be split: " + e.getMessage(), e);
        }
    }

    /** Opens a split, at its beginning or where a checkpoint left it. */
    static SplitReader open(Head.Source head, byte[] split, byte @Nullable [] position, PipelineOptions options)
            throws IOException {
        if (head instanceof Head.Bounded) {
            return new BoundedSplit((BoundedSource<?>) deserialize(split, head), options, position);
        }
        if (head instanceof Head.Unbounded) {
            return new UnboundedSplit((UnboundedSource<?, ?>) deserialize(split, head), options, position);
        }
        return new ImpulseSplit(head instanceof Head.Empty, position);
    }

    private static Object deserialize(byte[] split, Head.Source head) {
        return SerializableUtils.deserializeFromByteArray(split, "a split of " + head.name());
    }
}
