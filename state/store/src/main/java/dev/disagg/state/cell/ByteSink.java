// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import java.io.OutputStream;
import java.util.Arrays;

/** A growing array that codecs write to; its owner reads the array in place. Not thread-safe. */
final class ByteSink extends OutputStream {
    byte[] bytes;
    int length;

    ByteSink(int capacity) {
        bytes = new byte[capacity];
    }

    @Override
    public void write(int b) {
        reserve(1);
        bytes[length++] = (byte) b;
    }

    @Override
    public void write(byte[] from, int offset, int count) {
        reserve(count);
        System.arraycopy(from, offset, bytes, length, count);
        length += count;
    }

    void writeAll(byte[] from) {
        write(from, 0, from.length);
    }

    void writeLong(long value) {
        reserve(8);
        KeyLayout.setLong(bytes, length, value);
        length += 8;
    }

    void writeInt(int value) {
        reserve(4);
        KeyLayout.setInt(bytes, length, value);
        length += 4;
    }

    /** Unsigned, seven bits a byte, lowest first. */
    void writeVarint(int value) {
        int rest = value;
        while ((rest & ~0x7F) != 0) {
            write(rest & 0x7F | 0x80);
            rest >>>= 7;
        }
        write(rest);
    }

    byte[] copy() {
        return Arrays.copyOf(bytes, length);
    }

    /** Starts anew; an array that became large is let go. */
    void reset() {
        length = 0;
        if (bytes.length > 1 << 20) {
            bytes = new byte[1 << 10];
        }
    }

    private void reserve(int count) {
        int needed = Math.addExact(length, count);
        if (needed > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(needed, (int) Math.min(Integer.MAX_VALUE - 8, bytes.length * 2L)));
        }
    }
}
