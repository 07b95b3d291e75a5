// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

/**
 * Counters of one store since it was opened, and its shape now. For metrics and tests.
 *
 * @param flushes memtables written to objects of their own
 * @param compactions installed
 * @param compactionsUnanswered compactions dropped because the store or the service did not answer
 * @param stalls writes that waited for flushes or compaction
 * @param stallTimeouts of these, those whose wait reached its bound
 * @param tables of the current version
 * @param flushedRuns runs of level 0, over all families
 * @param tableBytes size of all tables
 */
public record LsmStats(
        long flushes,
        long compactions,
        long compactionsUnanswered,
        long stalls,
        long stallTimeouts,
        int tables,
        int flushedRuns,
        long tableBytes) {}
