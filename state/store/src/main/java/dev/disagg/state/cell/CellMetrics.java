// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

/**
 * Counters of one task's cells since it was opened, and sizes now.
 *
 * @param residentHits times that a row was found resident when asked, in {@link Row#resident}, or a cell in {@link Row#isResident}
 * @param fetches reads started: rows, cells, collection entries and pages of time indexes
 * @param evictions rows dropped from memory
 * @param writeBacks cells written to the store
 * @param dirtyBytes bytes of cells that the store does not have yet
 * @param cachedBytes bytes of keys, rows and cells in memory, dirty ones included
 * @param cachedKeys keys in memory
 */
public record CellMetrics(
        long residentHits,
        long fetches,
        long evictions,
        long writeBacks,
        long dirtyBytes,
        long cachedBytes,
        int cachedKeys) {}
