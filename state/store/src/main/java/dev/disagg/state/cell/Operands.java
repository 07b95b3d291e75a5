// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import dev.disagg.ufs.Corrupt;

/**
 * Walks a value that is a sequence of {@code [length varint][bytes]}: appending to the stored value appends operands, so
 * stores and compactors concatenate and know nothing else.
 */
final class Operands {
    private final byte[] bytes;
    private final int end;
    private int next;
    private int start;
    private int length;

    Operands(byte[] bytes, int from, int end) {
        this.bytes = bytes;
        this.next = from;
        this.end = end;
    }

    /** Moves to the next operand; false at the end. */
    boolean advance() {
        if (next == end) {
            return false;
        }
        int size = 0;
        for (int shift = 0; ; shift += 7) {
            if (next == end || shift > 28) {
                throw broken();
            }
            byte b = bytes[next++];
            size |= (b & 0x7F) << shift;
            if (b >= 0) {
                break;
            }
        }
        if (size < 0 || size > end - next) {
            throw broken();
        }
        start = next;
        length = size;
        next += size;
        return true;
    }

    /** Offset of the current operand. */
    int start() {
        return start;
    }

    int length() {
        return length;
    }

    private Corrupt broken() {
        return new Corrupt("a stored cell is not a sequence of operands: broken at byte " + next + " of " + end
                + "; restore from an earlier checkpoint");
    }
}
