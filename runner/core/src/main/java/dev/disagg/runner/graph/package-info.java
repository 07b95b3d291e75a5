// SPDX-License-Identifier: Apache-2.0
/**
 * What a pipeline becomes: an immutable graph of stages, and the translation from Beam's transforms to it. Pure: knows
 * nothing of tasks, threads, stores or checkpoints.
 */
@NullMarked
package dev.disagg.runner.graph;

import org.jspecify.annotations.NullMarked;
