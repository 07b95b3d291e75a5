// SPDX-License-Identifier: Apache-2.0
/**
 * The engine of one process: makes the tasks of a plan and the channels between them, opens their state, takes
 * checkpoints, restores, and says how the job is doing. Knows nothing of what a task does with an element.
 */
@NullMarked
package dev.disagg.runner.engine;

import org.jspecify.annotations.NullMarked;
