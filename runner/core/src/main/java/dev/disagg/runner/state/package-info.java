// SPDX-License-Identifier: Apache-2.0
/**
 * Beam's state and timers over the cells of the state store. What is not in memory is read by way of {@link
 * dev.disagg.runner.state.Reads}, which lets other computations go on meanwhile. Knows nothing of stages, tasks or
 * checkpoints.
 */
@NullMarked
package dev.disagg.runner.state;

import org.jspecify.annotations.NullMarked;
