// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A readable table. Opening reads nothing: the tail (filter, index, properties) is fetched by one read at the first touch
 * and lives in the cache, from which it may be evicted. A point lookup is then at most one more read.
 *
 * <p>Immutable and thread-safe. Holds no resource; dropping the reference closes it.
 *
 * <p>Failures, in futures and from the resident variants: {@link dev.disagg.ufs.Corrupt} names the table, the block's
 * offset and the remedy, for bytes that are not what was written; {@link dev.disagg.ufs.Invalid} for a table with features
 * that this reader does not have; what the source fails with is passed on.
 */
public final class Table {
    /**
     * @param cacheKey unique among all tables of the cache, such as {@code object@offset}; names the table in errors
     */
    public Table(String cacheKey, ByteSource source, TableInfo info, BlockCache cache) {
        throw new UnsupportedOperationException();
    }

    /**
     * Finds out about a table whose {@link TableInfo} is not known: one that stock RocksDB's {@code SstFileWriter} wrote.
     * Reads the footer, the tail, and the first and last block.
     *
     * @param name for errors
     * @param bytes size of the table
     * @return fails with {@link dev.disagg.ufs.Invalid} when the table is of a kind that is not read here
     */
    public static CompletableFuture<TableInfo> inspect(String name, ByteSource source, long bytes) {
        throw new UnsupportedOperationException();
    }

    /**
     * The entry of {@code key}, or a null value when this table has none. The future is complete already when the cache
     * answers.
     */
    public CompletableFuture<@Nullable TableEntry> get(byte[] key) {
        throw new UnsupportedOperationException();
    }

    /** As {@link #get} when the cache can answer, which includes "absent"; null when it takes a read. Never waits. */
    public @Nullable Lookup getIfResident(byte[] key) {
        throw new UnsupportedOperationException();
    }

    /**
     * False: certainly no entry with this key, nor a filter entry with these bytes. Complete already when the tail is
     * cached. Always true when the table has no filter.
     */
    public CompletableFuture<Boolean> mayContain(byte[] keyOrPrefix) {
        throw new UnsupportedOperationException();
    }

    /** As {@link #mayContain} when the tail is cached; null when it takes a read. Never waits. */
    public @Nullable Boolean mayContainIfResident(byte[] keyOrPrefix) {
        throw new UnsupportedOperationException();
    }

    /**
     * Entries with {@code from <= key < to}, ascending. Adjacent blocks are fetched by one read, more of them the further
     * the cursor goes (one block, then two, …), and the next read is under way while the current blocks are used.
     *
     * @param to null for no end
     * @param fillCache whether blocks read are put into the cache. False is for compaction: blocks in the cache are used,
     *     without counting as a use, and reads are large from the start
     */
    public TableCursor cursor(byte[] from, byte @Nullable [] to, boolean fillCache) {
        throw new UnsupportedOperationException();
    }

    /** What the manifest keeps of this table. */
    public TableInfo info() {
        throw new UnsupportedOperationException();
    }

    /** Unique name, as given. */
    public String cacheKey() {
        throw new UnsupportedOperationException();
    }

    /**
     * Reads the whole table past the cache: checksums of all blocks, order of keys, every key in the filter, first and last
     * key and counts as in {@link #info}. Fails with {@link dev.disagg.ufs.Corrupt} at the first difference.
     */
    public CompletableFuture<Void> verify() {
        throw new UnsupportedOperationException();
    }
}
