// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import dev.disagg.ufs.Invalid;

/**
 * An uncompressed block, by where its parts are: entries up to {@code entriesEnd}, then the restart offsets.
 *
 * @param bytes array that holds the block
 * @param at where the block starts; offsets inside it count from here
 * @param entriesEnd where the restart offsets start
 * @param restarts number of restart points, at least one
 */
record Block(byte[] bytes, int at, int entriesEnd, int restarts) {
    private static final int COUNT_MASK = (1 << 28) - 1;
    private static final int SEPARATED_KEY_VALUE = 1 << 28;
    private static final int RESERVED = 1 << 30;
    private static final int HASH_INDEX = 1 << 31;

    /** Finds the parts of a block that is {@code length} bytes long. */
    static Block of(String table, long offset, byte[] bytes, int at, int length) {
        if (length < 8) {
            throw BlockFrame.damaged(table, offset, "is " + length + " bytes long, too short for any", null);
        }
        int end = at + length - 4;
        // Bit 29 is a hint that keys are spread evenly, which stock writers give in indexes: the layout is the same.
        int packed = Fixed.int32(bytes, end);
        if ((packed & SEPARATED_KEY_VALUE) != 0) {
            throw unsupported(table, offset, "keys and values apart");
        }
        if ((packed & RESERVED) != 0) {
            throw unsupported(table, offset, "an unknown layout (restart word " + Integer.toHexString(packed) + ")");
        }
        if ((packed & HASH_INDEX) != 0) {
            // The buckets of a hash index precede the packed word: one byte each, then their number.
            int buckets = end - at < 2 ? -1 : (bytes[end - 2] & 0xff) | (bytes[end - 1] & 0xff) << 8;
            end -= 2 + buckets;
        }
        int restarts = packed & COUNT_MASK;
        long entriesEnd = (long) end - 4L * restarts;
        if (restarts == 0 || entriesEnd < at) {
            throw BlockFrame.damaged(table, offset, "says that it has " + restarts + " restart points", null);
        }
        return new Block(bytes, at, (int) entriesEnd, restarts);
    }

    private static Invalid unsupported(String table, long offset, String what) {
        return new Invalid("table " + table + ", block at offset " + offset + " has " + what
                + ", which is not read here: write it again without");
    }

    /** Where the entry of a restart point starts. */
    int restart(int index) {
        return at + Fixed.int32(bytes, entriesEnd + 4 * index);
    }
}
