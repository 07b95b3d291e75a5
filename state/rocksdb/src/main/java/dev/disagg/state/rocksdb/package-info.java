// SPDX-License-Identifier: Apache-2.0
/**
 * {@code --stateBackend=rocksdb}, the classic architecture: each task's state in a RocksDB of its own on local disk, every
 * read answered before it returns, checkpoints by upload of new files, restore by download of all. {@code Database} is the
 * one place that calls a native database; {@code RocksStore} gives it to a task, {@code RocksSnapshot} uploads, {@code
 * Restore} downloads, clips and merges. Knows nothing of Beam, nor what keys mean beyond {@link
 * dev.disagg.state.lsm.Clip}.
 */
@NullMarked
package dev.disagg.state.rocksdb;

import org.jspecify.annotations.NullMarked;
