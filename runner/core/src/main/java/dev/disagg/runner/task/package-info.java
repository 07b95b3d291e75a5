// SPDX-License-Identifier: Apache-2.0
/**
 * One parallel instance of a stage: how it takes input, runs user code, keeps watermarks, and takes part in a checkpoint.
 * All of a task is owned by its leader. Knows nothing of the engine that hosts it but {@link
 * dev.disagg.runner.task.TaskHost} and the channels that it is given.
 */
@NullMarked
package dev.disagg.runner.task;

import org.jspecify.annotations.NullMarked;
