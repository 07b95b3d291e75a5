// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.util.Arrays;

/** Shortens what the index keeps: any bytes that sort from a block's last key up to below the next block's first. */
final class Separator {
    private Separator() {}

    /**
     * A short byte string {@code s} with {@code last <= s < next}.
     *
     * @param last array with the last key in its first {@code lastLength} bytes
     */
    static byte[] between(byte[] last, int lastLength, byte[] next, int nextAt, int nextLength) {
        int common = Arrays.mismatch(last, 0, lastLength, next, nextAt, nextAt + nextLength);
        if (common >= lastLength) {
            return Arrays.copyOf(last, lastLength);
        }
        if (common + 1 < nextLength) {
            // One byte more than what is common, taken from next: above last, and a proper prefix of next.
            return Arrays.copyOfRange(next, nextAt, nextAt + common + 1);
        }
        if ((last[common] & 0xff) + 1 < (next[nextAt + common] & 0xff)) {
            return raised(last, common);
        }
        // next ends where it differs, by one: raise a later byte of last.
        for (int i = common + 1; i < lastLength; i++) {
            if (last[i] != (byte) 0xff) {
                return raised(last, i);
            }
        }
        return Arrays.copyOf(last, lastLength);
    }

    private static byte[] raised(byte[] key, int at) {
        byte[] shorter = Arrays.copyOf(key, at + 1);
        shorter[at]++;
        return shorter;
    }
}
