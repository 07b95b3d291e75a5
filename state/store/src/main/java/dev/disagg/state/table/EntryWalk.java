// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.util.Arrays;

/** Walks a data block entry by entry, putting the whole keys together. */
final class EntryWalk {
    private static final int TRAILER_BYTES = 8;

    private final Block block;
    private final byte[] bytes;
    private byte[] key = new byte[128];
    private int internalLength;
    private int valueOffset;
    private int valueLength;
    private int next;
    private boolean damaged;

    EntryWalk(Block block) {
        this.block = block;
        this.bytes = block.bytes();
        this.next = block.at();
    }

    /** The next {@link #advance} moves to this restart point's entry. */
    void startAt(int restart) {
        next = block.restart(restart);
        internalLength = 0;
    }

    /** Moves to the next entry; false at the end, and where the bytes do not parse, which {@link #isDamaged} tells. */
    boolean advance() {
        int at = next;
        int end = block.entriesEnd();
        if (at >= end) {
            damaged |= at > end;
            return false;
        }
        int shared = Varint.int32(bytes, at);
        at = Varint.end(bytes, at);
        int unshared = Varint.int32(bytes, at);
        at = Varint.end(bytes, at);
        int length = Varint.int32(bytes, at);
        at = Varint.end(bytes, at);
        if (at > end
                || shared < 0
                || shared > internalLength
                || unshared < 0
                || unshared > end - at
                || shared + unshared < TRAILER_BYTES
                || length < 0
                || length > end - at - unshared) {
            damaged = true;
            return false;
        }
        internalLength = shared + unshared;
        if (internalLength > key.length) {
            key = Arrays.copyOf(key, 2 * internalLength);
        }
        System.arraycopy(bytes, at, key, shared, unshared);
        valueOffset = at + unshared;
        valueLength = length;
        next = valueOffset + length;
        return true;
    }

    boolean isDamaged() {
        return damaged;
    }

    /** The current key, from index 0 on, then its eight bytes of sequence number and kind; reused. */
    byte[] key() {
        return key;
    }

    int keyLength() {
        return internalLength - TRAILER_BYTES;
    }

    /** Sequence number and kind. */
    long trailer() {
        return Fixed.int64(key, internalLength - TRAILER_BYTES);
    }

    /** The array that holds the block, and in it the values. */
    byte[] valueArray() {
        return bytes;
    }

    int valueOffset() {
        return valueOffset;
    }

    int valueLength() {
        return valueLength;
    }
}
