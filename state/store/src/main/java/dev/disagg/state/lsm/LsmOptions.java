// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.table.Compression;
import dev.disagg.state.table.TableOptions;
import dev.disagg.ufs.Invalid;

/**
 * What one process's stores share and how they are shaped. Nothing here is needed to read what was written with other
 * options.
 *
 * @param memtableBytes bound of all memtables of the process; half of it may be active, the rest is being written
 * @param dataCacheBytes bound of cached data blocks
 * @param tailCacheBytes bound of cached filters and indexes
 * @param ownObjectBytes a frozen memtable of at least this size is written to an object of its own, a smaller one into the
 *     checkpoint's pack
 * @param gatherBytes flushed runs that are to be compacted and are together at most this large are gathered in memory, and
 *     written into the next checkpoint's pack: small compactions cost no request of their own
 * @param tableBytes about the size at which a table is ended
 * @param compactionRuns number of flushed runs of a family that starts a compaction
 * @param stallRuns number of flushed runs at which writes wait for compaction
 * @param stallMillis how long a write waits at most, for compaction or for flushes, before it goes on nevertheless
 * @param flushedTables layout of flushed tables
 * @param compactedTables layout of tables of level 1
 */
public record LsmOptions(
        long memtableBytes,
        long dataCacheBytes,
        long tailCacheBytes,
        long ownObjectBytes,
        long gatherBytes,
        long tableBytes,
        int compactionRuns,
        int stallRuns,
        long stallMillis,
        TableOptions flushedTables,
        TableOptions compactedTables) {

    private static final long MOST_GATHER_BYTES = 256 << 10;
    /** Of the memory of memtables: what is gathered, a few times larger in memory, must stay a small part of it. */
    private static final long GATHER_FRACTION = 64;

    public LsmOptions {
        if (memtableBytes <= 0 || tableBytes <= 0 || dataCacheBytes < 0 || tailCacheBytes < 0 || stallMillis < 0) {
            throw new Invalid("sizes and times of the state store must be positive: memtables " + memtableBytes
                    + " bytes, tables " + tableBytes + " bytes, caches " + dataCacheBytes + " and " + tailCacheBytes
                    + " bytes, stall " + stallMillis + " ms");
        }
        if (compactionRuns < 2 || stallRuns <= compactionRuns) {
            throw new Invalid("compaction starts at " + compactionRuns + " runs and writes wait at " + stallRuns
                    + ": choose at least 2, and the second above the first");
        }
    }

    /**
     * The defaults for a process that gives {@code stateMemoryBytes} to all its stores: two fifths to memtables, two fifths
     * to data blocks, one fifth to filters and indexes.
     */
    public static LsmOptions ofStateMemory(long stateMemoryBytes) {
        return new LsmOptions(
                Math.max(1, stateMemoryBytes / 5 * 2),
                stateMemoryBytes / 5 * 2,
                stateMemoryBytes / 5,
                4 << 20,
                Math.min(MOST_GATHER_BYTES, stateMemoryBytes / 5 * 2 / GATHER_FRACTION),
                64 << 20,
                4,
                20,
                1000,
                TableOptions.DEFAULTS,
                TableOptions.DEFAULTS);
    }

    LsmOptions withMemtableBytes(long bytes) {
        return new LsmOptions(
                bytes,
                dataCacheBytes,
                tailCacheBytes,
                ownObjectBytes,
                gatherBytes,
                tableBytes,
                compactionRuns,
                stallRuns,
                stallMillis,
                flushedTables,
                compactedTables);
    }

    LsmOptions withGatherBytes(long bytes) {
        return new LsmOptions(
                memtableBytes,
                dataCacheBytes,
                tailCacheBytes,
                ownObjectBytes,
                bytes,
                tableBytes,
                compactionRuns,
                stallRuns,
                stallMillis,
                flushedTables,
                compactedTables);
    }

    /** Small enough that a few hundred entries go through every path but gathering. For tests. */
    static LsmOptions tiny(long memtableBytes, long ownObjectBytes, long tableBytes, int compactionRuns) {
        TableOptions tables = new TableOptions(256, Compression.LZ4, 10);
        return new LsmOptions(
                memtableBytes,
                1 << 20,
                1 << 20,
                ownObjectBytes,
                0,
                tableBytes,
                compactionRuns,
                compactionRuns + 8,
                0,
                tables,
                tables);
    }
}
