// SPDX-License-Identifier: Apache-2.0
/**
 * The classic backend: all state in sorted maps in memory, written whole into each checkpoint. Tables and manifests are
 * those of {@code lsm}, so either backend opens the other's checkpoints.
 */
@NullMarked
package dev.disagg.state.heap;

import org.jspecify.annotations.NullMarked;
