// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.util.Arrays;

/**
 * Integers of one to ten bytes, seven bits a byte, lowest first; the top bit says that more follow. A number and the
 * position after it are two calls, so that nothing is allocated.
 */
final class Varint {
    /** Longest form of an int. */
    static final int MAX_INT_BYTES = 5;
    /** Longest form of a long. */
    static final int MAX_LONG_BYTES = 10;

    private Varint() {}

    /** The int at a position. Bits past the 32nd are dropped. */
    static int int32(byte[] bytes, int at) {
        int b = bytes[at];
        return b >= 0 ? b : int32Slow(bytes, at);
    }

    private static int int32Slow(byte[] bytes, int at) {
        int value = 0;
        for (int shift = 0; shift < 35; shift += 7) {
            int b = bytes[at++];
            value |= (b & 0x7f) << shift;
            if (b >= 0) {
                break;
            }
        }
        return value;
    }

    /** The long at a position. */
    static long int64(byte[] bytes, int at) {
        long value = 0;
        for (int shift = 0; shift < 70; shift += 7) {
            long b = bytes[at++];
            value |= (b & 0x7f) << shift;
            if (b >= 0) {
                break;
            }
        }
        return value;
    }

    /** The position after the number that starts at {@code at}. */
    static int end(byte[] bytes, int at) {
        int last = at + MAX_LONG_BYTES - 1;
        while (bytes[at] < 0 && at < last) {
            at++;
        }
        return at + 1;
    }

    /** Writes the number and returns the position after it. */
    static int put(byte[] bytes, int at, long value) {
        while ((value & ~0x7fL) != 0) {
            bytes[at++] = (byte) (value | 0x80);
            value >>>= 7;
        }
        bytes[at] = (byte) value;
        return at + 1;
    }

    /** The stored form. */
    static byte[] of(long value) {
        byte[] bytes = new byte[MAX_LONG_BYTES];
        return Arrays.copyOf(bytes, put(bytes, 0, value));
    }
}
