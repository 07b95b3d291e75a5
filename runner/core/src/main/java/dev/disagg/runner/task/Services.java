// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.runner.state.Reads;
import dev.disagg.state.cell.TaskState;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.beam.runners.core.SideInputReader;
import org.apache.beam.sdk.metrics.MetricsContainer;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.values.WindowedValue;
import org.jspecify.annotations.Nullable;

/** What the nodes of a chain need of their task. */
interface Services {
    PipelineOptions options();

    MetricsContainer metrics(String step);

    SideInputReader sideInputs();

    Reads reads();

    /** The task's state; only for tasks that keep any. */
    TaskState state();

    long nowMillis();

    /** As {@link TaskHost#delayed}. */
    ScheduledExecutorService delayed();

    /** The output watermark that the task has released last. */
    long outputWatermarkMillis();

    /** Receivers of the task's output edges for a collection. */
    List<Receiver> outputs(int collection);

    /** The task's part in sharing work with the others of its stage; null where they do not. */
    @Nullable
    Sharing sharing();

    /**
     * Gives a restriction to another task of a splittable step.
     *
     * @param key of the restriction that it was split off
     * @param value an element and the restriction
     */
    void share(byte[] key, WindowedValue<?> value);

    /** Whether the job stops reading and finishes what it has read. */
    boolean draining();

    /** User code of this step is throwing; of steps that call each other the first one counts. */
    void failing(String step);
}
