// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.Family;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A run of tables that do not overlap.
 *
 * @param tables in key order, not empty
 */
record RunLayer(int level, long run, List<TableHandle> tables) implements Layer {
    static RunLayer of(List<TableHandle> tables) {
        ManifestTable first = tables.get(0).meta;
        return new RunLayer(first.level(), first.run(), List.copyOf(tables));
    }

    Family family() {
        return tables.get(0).meta.family();
    }

    long bytes() {
        long bytes = 0;
        for (TableHandle table : tables) {
            bytes += table.meta.range().length();
        }
        return bytes;
    }

    /** The table that may hold the key; null when none does. */
    @Nullable
    TableHandle find(byte[] key) {
        int low = 0;
        int high = tables.size() - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Arrays.compareUnsigned(tables.get(middle).meta.info().largestKey(), key) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        TableHandle table = tables.get(low);
        return table.covers(key) ? table : null;
    }
}
