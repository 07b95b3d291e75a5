// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

/** Where a key of the rows family says when its window ends. */
final class RowExpiry {
    private RowExpiry() {}

    /** Window end in milliseconds; stored big-endian with the sign bit flipped, so that it sorts as unsigned bytes. */
    static long windowEndMillis(byte[] key) {
        int keyLength = ((key[8] & 0xff) << 8) | (key[9] & 0xff);
        int at = 10 + keyLength;
        long bits = 0;
        for (int i = 0; i < 8; i++) {
            bits = (bits << 8) | (key[at + i] & 0xff);
        }
        return bits ^ Long.MIN_VALUE;
    }
}
