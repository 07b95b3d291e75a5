// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.util.Arrays;

/**
 * Collects the index block: for each data block a separator, not below its last key and below the next block's first, and
 * where the block is. Every entry is a restart point, so a reader searches the stored bytes as they are.
 */
final class IndexWriter {
    private byte[] bytes = new byte[1024];
    private int size;
    private int[] restarts = new int[64];
    private int count;

    void add(byte[] separator, int length, long offset, long storedBytes) {
        ensure(length + Varint.MAX_INT_BYTES + 1 + 2L * Varint.MAX_LONG_BYTES);
        if (count == restarts.length) {
            restarts = Arrays.copyOf(restarts, 2 * count);
        }
        restarts[count++] = size;
        int at = Varint.put(bytes, size, 0);
        at = Varint.put(bytes, at, length);
        System.arraycopy(separator, 0, bytes, at, length);
        at = Varint.put(bytes, at + length, offset);
        size = Varint.put(bytes, at, storedBytes);
    }

    private void ensure(long more) {
        if (size + more > bytes.length) {
            bytes = Arrays.copyOf(
                    bytes, (int) Math.min(Integer.MAX_VALUE - 16, Math.max(size + more, 2L * bytes.length)));
        }
    }

    int count() {
        return count;
    }

    int sizeBytes() {
        return size + 4 * count + 4;
    }

    /** Ends the block; the array is {@link #sizeBytes} long. */
    byte[] finish() {
        byte[] block = Arrays.copyOf(bytes, sizeBytes());
        int at = size;
        for (int i = 0; i < count; i++, at += 4) {
            Fixed.putInt32(block, at, restarts[i]);
        }
        Fixed.putInt32(block, at, count);
        return block;
    }
}
