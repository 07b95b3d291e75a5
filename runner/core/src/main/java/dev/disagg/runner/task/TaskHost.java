// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.state.ByteStore;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.beam.runners.core.InMemoryBundleFinalizer;
import org.apache.beam.sdk.metrics.MetricsContainer;
import org.apache.beam.sdk.options.PipelineOptions;
import org.jspecify.annotations.Nullable;

/** What a task needs of the engine that runs it. All methods may be called from any of the task's threads. */
public interface TaskHost {
    /** Processing time, milliseconds since the epoch. The only clock of a task, with {@link #nanoTime}. */
    long nowMillis();

    /** Elapsed time in nanoseconds. */
    long nanoTime();

    /** Runs short calls later, on a thread of its own: by it a splittable DoFn is told to stop in time. */
    ScheduledExecutorService delayed();

    /** Where activity is counted. */
    Activity activity();

    PipelineOptions options();

    /** Where the metrics of a step go. */
    MetricsContainer metrics(String step);

    /** Whether checkpoints are taken, so that elements that wait must be stored. */
    boolean checkpointing();

    /** The task is over with everything before {@code barrier}. {@code frozen} is null for a task without state. */
    void snapshot(StageTask task, Barrier barrier, ByteStore.@Nullable Frozen frozen);

    /** Callbacks of user code to run once what the bundle did is durable. */
    void bundleFinished(List<InMemoryBundleFinalizer.Finalization> finalizations);

    /** The task has released its last watermark and ended its outputs. */
    void finished(StageTask task);

    /** The task failed and will do nothing more. */
    void failed(StageTask task, Throwable cause);
}
