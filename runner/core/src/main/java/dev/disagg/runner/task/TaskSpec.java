// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.runner.graph.StageGraph.Edge;
import dev.disagg.runner.graph.StageGraph.Stage;
import dev.disagg.state.KeyRange;
import dev.disagg.state.cell.TaskState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a task is made of.
 *
 * @param index among the tasks of its stage
 * @param range the key groups that it owns
 * @param inbound its input
 * @param channelEdges per channel, the edge that it belongs to
 * @param outputs per edge out of the stage
 * @param state null for a stage that keeps none
 * @param restored what the task's predecessors had released at the checkpoint; empty for a fresh start
 * @param maxBundleElements at which a bundle is finished
 * @param maxBundleNanos at which a bundle is finished
 * @param prefetch whether rows are fetched before a body runs, and others go on meanwhile
 * @param sharedWork by which the tasks of the stage give work to each other; null where they do not
 * @param delayedReads seed of a test mode in which every read is made to wait
 */
public record TaskSpec(
        Stage stage,
        int index,
        KeyRange range,
        Inbound inbound,
        List<Edge> channelEdges,
        List<Output> outputs,
        @Nullable TaskState state,
        List<TaskHeader> restored,
        int maxBundleElements,
        long maxBundleNanos,
        boolean prefetch,
        @Nullable SharedWork sharedWork,
        @Nullable DelaySource delayedReads) {

    /** For people: the stage's first transform and the index. */
    public String name() {
        return stage.id() + " [" + index + "]";
    }

    /** The least input watermark of the predecessors: what had passed in all of them. */
    long restoredInputWatermark() {
        return restored.stream().mapToLong(TaskHeader::inputWatermark).min().orElse(Frontier.MIN);
    }

    /** The least output watermark of the predecessors. */
    long restoredOutputWatermark() {
        return restored.stream().mapToLong(TaskHeader::outputWatermark).min().orElse(Frontier.MIN);
    }
}
