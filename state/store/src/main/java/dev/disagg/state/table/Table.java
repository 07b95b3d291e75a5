// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import dev.disagg.ufs.Invalid;
import java.util.Arrays;
import java.util.Objects;
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
    private final BlockReader reader;

    /**
     * @param cacheKey unique among all tables of the cache, such as {@code object@offset}; names the table in errors
     */
    public Table(String cacheKey, ByteSource source, TableInfo info, BlockCache cache) {
        this.reader = new BlockReader(
                Objects.requireNonNull(cacheKey, "cacheKey is null"),
                Objects.requireNonNull(source, "source is null"),
                Objects.requireNonNull(info, "info is null"),
                Objects.requireNonNull(cache, "cache is null"));
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
        return Inspection.of(name, source, bytes);
    }

    /**
     * The entry of {@code key}, or a null value when this table has none. The future is complete already when the cache
     * answers.
     */
    public CompletableFuture<@Nullable TableEntry> get(byte[] key) {
        Tail tail = reader.tailIfResident();
        if (tail == null) {
            return reader.tail().thenCompose(opened -> get(opened, key));
        }
        try {
            return get(tail, key);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** As {@link #get} when the cache can answer, which includes "absent"; null when it takes a read. Never waits. */
    public @Nullable Lookup getIfResident(byte[] key) {
        Tail tail = reader.tailIfResident();
        if (tail == null) {
            return null;
        }
        int number = candidate(tail, key);
        if (number < 0) {
            return Lookup.ABSENT;
        }
        Block block = reader.blockIfResident(tail.index(), number);
        if (block == null) {
            return null;
        }
        TableEntry entry = search(tail.index(), number, block, key);
        return entry == null ? Lookup.ABSENT : new Lookup(entry);
    }

    private CompletableFuture<@Nullable TableEntry> get(Tail tail, byte[] key) {
        int number = candidate(tail, key);
        if (number < 0) {
            return CompletableFuture.completedFuture(null);
        }
        Block block = reader.blockIfResident(tail.index(), number);
        if (block == null) {
            return reader.block(tail.index(), number).thenApply(read -> search(tail.index(), number, read, key));
        }
        return CompletableFuture.completedFuture(search(tail.index(), number, block, key));
    }

    /** Number of the only block that may hold the key, or -1. */
    private static int candidate(Tail tail, byte[] key) {
        if (!tail.bloom().mayContain(Hash64.of(key))) {
            return -1;
        }
        int number = tail.index().locate(key);
        return number == tail.index().count() ? -1 : number;
    }

    private @Nullable TableEntry search(Index index, int number, Block block, byte[] key) {
        long found = BlockSearch.find(block, key);
        if (found == BlockSearch.ABSENT) {
            return null;
        }
        if (found == BlockSearch.DAMAGED) {
            throw BlockFrame.damaged(cacheKey(), index.offset(number), "does not parse", null);
        }
        EntryKind kind = EntryKind.ofCode(BlockSearch.kindCode(found));
        if (kind == null) {
            throw new Invalid("table " + cacheKey() + ", block at offset " + index.offset(number)
                    + " has an entry that is not a put, delete or merge with sequence number 0: write the table again");
        }
        int at = BlockSearch.valueOffset(found);
        return new TableEntry(key, kind, Arrays.copyOfRange(block.bytes(), at, at + BlockSearch.valueLength(found)));
    }

    /**
     * False: certainly no entry with this key, nor a filter entry with these bytes. Complete already when the tail is
     * cached. Always true when the table has no filter.
     */
    public CompletableFuture<Boolean> mayContain(byte[] keyOrPrefix) {
        Tail tail = reader.tailIfResident();
        return tail != null
                ? CompletableFuture.completedFuture(tail.bloom().mayContain(Hash64.of(keyOrPrefix)))
                : reader.tail().thenApply(opened -> opened.bloom().mayContain(Hash64.of(keyOrPrefix)));
    }

    /** As {@link #mayContain} when the tail is cached; null when it takes a read. Never waits. */
    public @Nullable Boolean mayContainIfResident(byte[] keyOrPrefix) {
        Tail tail = reader.tailIfResident();
        return tail == null ? null : (Boolean) tail.bloom().mayContain(Hash64.of(keyOrPrefix));
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
        return new OpeningCursor(reader, from, to, fillCache ? ReadMode.FILL : ReadMode.PASS_BY, null);
    }

    /** What {@link #rowCursor} takes for a row's prefix: asked of many tables, it is computed once. */
    public static long rowHash(byte[] rowPrefix) {
        return Hash64.of(rowPrefix);
    }

    /**
     * As {@link #cursor} within one row, whose prefix is in the filter; null when the cached filter says that there is nothing. A filter
     * that is not cached is asked by the cursor, which then is empty.
     *
     * @param rowHash of the row's prefix, by {@link #rowHash}
     */
    public @Nullable TableCursor rowCursor(long rowHash, byte[] from, byte @Nullable [] to, boolean fillCache) {
        ReadMode mode = fillCache ? ReadMode.FILL : ReadMode.PASS_BY;
        Tail tail = reader.tailIfResident();
        if (tail == null) {
            return new OpeningCursor(reader, from, to, mode, rowHash);
        }
        return tail.bloom().mayContain(rowHash) ? new BlockCursor(reader, tail.index(), from, to, mode) : null;
    }

    /** What the manifest keeps of this table. */
    public TableInfo info() {
        return reader.info();
    }

    /** Unique name, as given. */
    public String cacheKey() {
        return reader.table();
    }

    /**
     * Reads the whole table past the cache: checksums of all blocks, order of keys, every key in the filter, first and last
     * key and counts as in {@link #info}. Fails with {@link dev.disagg.ufs.Corrupt} at the first difference.
     */
    public CompletableFuture<Void> verify() {
        return reader.readTail().thenCompose(tail -> new Verification(reader, tail).run());
    }
}
