// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.table.TableEntry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One family's recent writes, sorted by unsigned key bytes. One writer (the task's leader); reads and snapshots from any
 * thread. Every call holds the memtable's lock for a bounded time, which only snapshots ever contend for.
 */
public interface Memtable {
    void put(byte[] key, byte[] value);

    void append(byte[] key, byte[] tail);

    void delete(byte[] key);

    /** What this memtable knows of {@code key}; null when nothing. */
    @Nullable
    Slot get(byte[] key);

    /**
     * The entries of {@code [from, to)} as of this call.
     *
     * @param to exclusive; null for no end
     * @param rowPrefix not null when the range lies within this row
     */
    Snapshot snapshot(byte[] from, byte @Nullable [] to, byte @Nullable [] rowPrefix);

    /** Memory held by keys and newest slots. */
    long memoryBytes();

    /** Number of keys known, deleted ones included. */
    int entries();

    /** Entries in key order, unchanged by later writes. One reader at a time, on any thread. */
    interface Snapshot extends AutoCloseable {
        /** Without entries. */
        Snapshot NOTHING = new Snapshot() {
            @Override
            public List<TableEntry> next(int maxEntries, int maxBytes) {
                return List.of();
            }

            @Override
            public void close() {}
        };

        /** The next entries: at most {@code maxEntries}, about {@code maxBytes}, at least one; empty at the end. */
        List<TableEntry> next(int maxEntries, int maxBytes);

        @Override
        void close();
    }
}
