// SPDX-License-Identifier: Apache-2.0
/**
 * What asynchronous execution is for, measured: keyed state that is 23 ms away. Each whole pipeline is a Java process of its own
 * ({@link dev.disagg.benchmarks.async.CountRun}); what is smaller than a pipeline runs in one of its own too.
 */
@NullMarked
package dev.disagg.benchmarks.async;

import org.jspecify.annotations.NullMarked;
