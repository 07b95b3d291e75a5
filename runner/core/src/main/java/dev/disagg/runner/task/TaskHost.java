// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import java.util.concurrent.ScheduledExecutorService;
import org.apache.beam.sdk.options.PipelineOptions;

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

    /**
     * A task can not go on, or user code waits to be called, before a checkpoint is committed. One is taken soon, unless the
     * next periodic one is near enough.
     *
     * @param last whether all input has ended, so that nobody should wait for the next periodic one
     */
    void checkpointNeeded(boolean last);

    /** The task is over with everything before {@code barrier}. */
    void snapshot(StageTask task, Barrier barrier, Snapshot snapshot);

    /** The task has released its last watermark and ended its outputs. */
    void finished(StageTask task);

    /**
     * A call of user code takes very long, and nothing else of the task can run.
     *
     * @param text which one, since when, with the stacks of threads, and what to do
     */
    void stuck(StageTask task, String text);

    /** The task failed and will do nothing more. */
    void failed(StageTask task, Throwable cause);
}
