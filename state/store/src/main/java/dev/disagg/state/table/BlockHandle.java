// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.util.Arrays;

/**
 * Where a block is.
 *
 * @param offset of its first byte in the table
 * @param storedBytes its length without the five bytes of compression type and checksum that follow
 */
record BlockHandle(long offset, long storedBytes) {
    /** The stored form, in the metaindex. */
    byte[] encode() {
        byte[] bytes = new byte[2 * Varint.MAX_LONG_BYTES];
        return Arrays.copyOf(bytes, put(bytes, 0));
    }

    int put(byte[] bytes, int at) {
        return Varint.put(bytes, Varint.put(bytes, at, offset), storedBytes);
    }

    static BlockHandle read(byte[] bytes, int at) {
        return new BlockHandle(Varint.int64(bytes, at), Varint.int64(bytes, Varint.end(bytes, at)));
    }

    /** Where the next block starts. */
    long end() {
        return offset + storedBytes + BlockFrame.TRAILER_BYTES;
    }
}
