// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.util.List;

/**
 * The entries of one block within a cursor's range, walked once: {@code while (block.advance()) use(block.key())}. The
 * {@code …Array}, {@code …Offset} and {@code …Length} accessors copy nothing; what they show is valid until the next
 * {@link #advance} and is not modified by the caller. Not thread-safe.
 */
public final class TableBlock {
    TableBlock() {}

    /** Moves to the next entry, at first to the first one; false at the end. */
    public boolean advance() {
        throw new UnsupportedOperationException();
    }

    /** The array that holds the current key, from index 0 on; reused by {@link #advance}. */
    public byte[] keyArray() {
        throw new UnsupportedOperationException();
    }

    public int keyLength() {
        throw new UnsupportedOperationException();
    }

    public EntryKind kind() {
        throw new UnsupportedOperationException();
    }

    /** The array that holds the current value: the block itself, never to be written to. */
    public byte[] valueArray() {
        throw new UnsupportedOperationException();
    }

    public int valueOffset() {
        throw new UnsupportedOperationException();
    }

    public int valueLength() {
        throw new UnsupportedOperationException();
    }

    /** Copy of the current key. */
    public byte[] key() {
        throw new UnsupportedOperationException();
    }

    /** Copy of the current value. */
    public byte[] value() {
        throw new UnsupportedOperationException();
    }

    /** Copy of the current entry. */
    public TableEntry entry() {
        throw new UnsupportedOperationException();
    }

    /** Compares the current keys of two blocks as unsigned bytes: what a merge orders its inputs by. */
    public int compareKey(TableBlock other) {
        throw new UnsupportedOperationException();
    }

    /** Copies of all entries after the current one; the block is at its end afterwards. */
    public List<TableEntry> remaining() {
        throw new UnsupportedOperationException();
    }
}
