// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * Streams one table out. Keys come strictly ascending as unsigned bytes, each once. The same calls with the same options
 * give the same bytes. Memory: one block, 8 bytes per filter entry, and the index (about 2 % of the table).
 *
 * <p>Not thread-safe. After an exception the builder is of no use.
 */
public final class TableBuilder {
    /** Longest key. */
    public static final int MAX_KEY_BYTES = 1 << 20;
    /** Longest value. */
    public static final int MAX_VALUE_BYTES = 512 << 20;

    /**
     * @param sink takes the table's bytes in order; the buffer is valid during the call only. What it throws, {@link #add}
     *     and {@link #finish} throw
     */
    public TableBuilder(TableOptions options, Consumer<ByteBuffer> sink) {
        throw new UnsupportedOperationException();
    }

    /**
     * Appends an entry. The arrays are copied.
     *
     * @throws dev.disagg.ufs.Invalid when the key is not above the previous one, a length is over the limit, or a delete
     *     has a value
     */
    public void add(byte[] key, EntryKind kind, byte[] value) {
        add(key, 0, key.length, kind, value, 0, value.length);
    }

    /** As {@link #add(byte[], EntryKind, byte[])}, from parts of arrays: for compaction, which copies nothing. */
    public void add(
            byte[] key, int keyOffset, int keyLength, EntryKind kind, byte[] value, int valueOffset, int valueLength) {
        throw new UnsupportedOperationException();
    }

    /**
     * Adds something to the filter that is no key, such as a row's prefix, so that {@link Table#mayContain} answers for it.
     * Repeating the previous filter entry costs nothing.
     */
    public void addFilterEntry(byte[] prefix) {
        addFilterEntry(prefix, 0, prefix.length);
    }

    /** As {@link #addFilterEntry(byte[])}, from a part of an array: the prefix of a key without a copy. */
    public void addFilterEntry(byte[] bytes, int offset, int length) {
        throw new UnsupportedOperationException();
    }

    /** Bytes given to the sink so far. */
    public long writtenBytes() {
        throw new UnsupportedOperationException();
    }

    /** About the size the table would have if finished now: what was written, the open block, filter and index. */
    public long estimatedBytes() {
        throw new UnsupportedOperationException();
    }

    /** Entries added so far, filter entries not counted. */
    public long entries() {
        throw new UnsupportedOperationException();
    }

    /**
     * Writes the rest: last block, filter, index, properties, footer. Called once, last.
     *
     * @throws dev.disagg.ufs.Invalid when no entry was added
     */
    public TableInfo finish() {
        throw new UnsupportedOperationException();
    }
}
