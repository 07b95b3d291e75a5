// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import dev.disagg.ufs.Invalid;

/**
 * Bounds of one task's cells in memory.
 *
 * @param cacheBytes cached keys, rows and cells; kept by {@link TaskState#maintain}, pinned keys excepted
 * @param maxDirtyBytes cells that are not in the store's memtable yet: bounds the pause of a freeze
 * @param timeHeadEntries entries of each time index that are kept in memory: the earliest ones
 */
public record TaskStateOptions(long cacheBytes, long maxDirtyBytes, int timeHeadEntries) {
    /** 64 MiB of cache, 8 MiB of it dirty, 16,384 entries of each time index. */
    public static final TaskStateOptions DEFAULT = new TaskStateOptions(64L << 20, 8L << 20, 16_384);

    public TaskStateOptions {
        if (cacheBytes < 0 || maxDirtyBytes < 0 || timeHeadEntries < 4) {
            throw new Invalid("cell cache bounds out of range: cacheBytes=" + cacheBytes + ", maxDirtyBytes="
                    + maxDirtyBytes + ", timeHeadEntries=" + timeHeadEntries + " (at least 4)");
        }
    }

    /** These bounds with another cache size; the heads of the time indexes become smaller with a small cache. */
    public TaskStateOptions withCacheBytes(long bytes) {
        // An entry takes some 130 bytes, and there are three indexes.
        long head = Math.max(256, bytes / 2048);
        return new TaskStateOptions(bytes, maxDirtyBytes, (int) Math.min(timeHeadEntries, head));
    }
}
