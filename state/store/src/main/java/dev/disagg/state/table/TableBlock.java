// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import dev.disagg.ufs.Invalid;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one block within a cursor's range, walked once: {@code while (block.advance()) use(block.key())}. The
 * {@code …Array}, {@code …Offset} and {@code …Length} accessors copy nothing; what they show is valid until the next
 * {@link #advance} and is not modified by the caller. Not thread-safe.
 */
public final class TableBlock {
    private final String table;
    private final long offset;
    private final int number;
    private final byte @Nullable [] to;
    private final EntryWalk walk;
    private EntryKind kind = EntryKind.PUT;
    /** The walk is at an entry that {@link #advance} has not shown yet. */
    private boolean ahead;

    private boolean ended;

    /**
     * @param offset of the block in the table, for errors
     * @param number of the block in the table
     * @param from first key to show, or null for all
     * @param to end of the keys to show, or null for all
     */
    TableBlock(String table, long offset, int number, Block block, byte @Nullable [] from, byte @Nullable [] to) {
        this.table = table;
        this.offset = offset;
        this.number = number;
        this.to = to;
        this.walk = new EntryWalk(block);
        if (from != null) {
            int restart = BlockSearch.lastRestartUpTo(block, from);
            if (restart < -1) {
                throw BlockFrame.damaged(table, offset, "does not parse", null);
            }
            walk.startAt(Math.max(0, restart));
        }
        do {
            ahead = step();
            ended = !ahead;
        } while (ahead
                && from != null
                && Arrays.compareUnsigned(walk.key(), 0, walk.keyLength(), from, 0, from.length) < 0);
    }

    private boolean step() {
        if (!walk.advance()) {
            if (walk.isDamaged()) {
                throw BlockFrame.damaged(table, offset, "does not parse", null);
            }
            return false;
        }
        if (to != null && Arrays.compareUnsigned(walk.key(), 0, walk.keyLength(), to, 0, to.length) >= 0) {
            return false;
        }
        kind = kind(table, offset, walk.trailer());
        return true;
    }

    /** The kind in an entry's trailer. */
    static EntryKind kind(String table, long offset, long trailer) {
        EntryKind kind = trailer >>> 8 == 0 ? EntryKind.ofCode((int) trailer) : null;
        if (kind == null) {
            throw new Invalid("table " + table + ", block at offset " + offset + " has an entry of type "
                    + (trailer & 0xff) + " and sequence number " + (trailer >>> 8)
                    + "; read here are put, delete and merge with sequence number 0: write the table again with those");
        }
        return kind;
    }

    /** Whether no entry of the block is in the range. */
    boolean isEmpty() {
        return !ahead;
    }

    /** The block's number in its table. */
    int number() {
        return number;
    }

    /** Moves to the next entry, at first to the first one; false at the end. */
    public boolean advance() {
        if (ahead) {
            ahead = false;
            return true;
        }
        ended = ended || !step();
        return !ended;
    }

    /** The array that holds the current key, from index 0 on; reused by {@link #advance}. */
    public byte[] keyArray() {
        return walk.key();
    }

    public int keyLength() {
        return walk.keyLength();
    }

    public EntryKind kind() {
        return kind;
    }

    /** The array that holds the current value: the block itself, never to be written to. */
    public byte[] valueArray() {
        return walk.valueArray();
    }

    public int valueOffset() {
        return walk.valueOffset();
    }

    public int valueLength() {
        return walk.valueLength();
    }

    /** Copy of the current key. */
    public byte[] key() {
        return Arrays.copyOf(walk.key(), walk.keyLength());
    }

    /** Copy of the current value. */
    public byte[] value() {
        return Arrays.copyOfRange(walk.valueArray(), walk.valueOffset(), walk.valueOffset() + walk.valueLength());
    }

    /** Copy of the current entry. */
    public TableEntry entry() {
        return new TableEntry(key(), kind, value());
    }

    /** Compares the current keys of two blocks as unsigned bytes: what a merge orders its inputs by. */
    public int compareKey(TableBlock other) {
        return Arrays.compareUnsigned(walk.key(), 0, walk.keyLength(), other.walk.key(), 0, other.walk.keyLength());
    }

    /** Copies of all entries after the current one; the block is at its end afterwards. */
    public List<TableEntry> remaining() {
        List<TableEntry> entries = new ArrayList<>();
        while (advance()) {
            entries.add(entry());
        }
        return entries;
    }
}
