// SPDX-License-Identifier: Apache-2.0
/** Whole pipelines with {@code --stateBackend=rocksdb}: stopped, started again, at another parallelism. */
@NullMarked
package dev.disagg.integration.rocksdb;

import org.jspecify.annotations.NullMarked;
