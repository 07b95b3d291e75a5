// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.testkit;

import dev.disagg.state.lsm.LsmOptions;
import dev.disagg.state.table.Compression;
import dev.disagg.state.table.TableOptions;

/** Trees so small that a few hundred entries go through every path. */
final class SmallTrees {
    private SmallTrees() {}

    static LsmOptions of(long memtableBytes, long ownObjectBytes, long tableBytes, int compactionRuns) {
        return gathering(memtableBytes, ownObjectBytes, 0, tableBytes, compactionRuns);
    }

    static LsmOptions gathering(
            long memtableBytes, long ownObjectBytes, long gatherBytes, long tableBytes, int compactionRuns) {
        TableOptions tables = new TableOptions(256, Compression.LZ4, 10);
        return new LsmOptions(
                memtableBytes,
                1 << 20,
                1 << 20,
                ownObjectBytes,
                gatherBytes,
                tableBytes,
                compactionRuns,
                compactionRuns + 8,
                0,
                tables,
                tables);
    }
}
