// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.util.Arrays;

/**
 * Finds one key in a data block. Compares the stored bytes in place: an entry that shares more with its predecessor than
 * the predecessor had in common with the key sorts as the predecessor did.
 */
final class BlockSearch {
    /** The block has no entry for the key. */
    static final long ABSENT = -1;
    /** The bytes do not parse. */
    static final long DAMAGED = -2;

    /** Stands for a sequence number, or a kind that this format does not have. */
    static final int UNKNOWN_KIND = 7;

    private static final int TRAILER_BYTES = 8;

    private BlockSearch() {}

    /**
     * Looks for {@code key}.
     *
     * @return {@link #ABSENT}, {@link #DAMAGED}, or the entry, to be taken apart by {@link #kindCode},
     *     {@link #valueOffset} and {@link #valueLength}
     */
    static long find(Block block, byte[] key) {
        int restart = lastRestartUpTo(block, key);
        if (restart < 0) {
            return restart == -1 ? ABSENT : DAMAGED;
        }
        byte[] bytes = block.bytes();
        int end = block.entriesEnd();
        int at = block.restart(restart);
        // The key's bytes that the previous entry's user key has, too, and that user key's length.
        int matched = 0;
        int previousLength = 0;
        while (at < end) {
            // Nearly always three bytes.
            int shared = bytes[at];
            int unshared = bytes[at + 1];
            int valueLength = bytes[at + 2];
            int delta = at + 3;
            if ((shared | unshared | valueLength) < 0) {
                shared = Varint.int32(bytes, at);
                delta = Varint.end(bytes, at);
                unshared = Varint.int32(bytes, delta);
                delta = Varint.end(bytes, delta);
                valueLength = Varint.int32(bytes, delta);
                delta = Varint.end(bytes, delta);
            }
            int value = delta + unshared;
            if (shared < 0
                    || unshared < 0
                    || valueLength < 0
                    || value < 0
                    || value > end
                    || valueLength > end - value) {
                return DAMAGED;
            }
            if (unshared < TRAILER_BYTES || (shared > matched && matched == previousLength)) {
                // What is shared reaches into the previous entry's trailer, whose bytes are not at hand.
                return findByWholeKeys(block, restart, key);
            }
            int length = shared + unshared - TRAILER_BYTES;
            if (shared <= matched) {
                int common = commonBytes(bytes, delta, key, shared, Math.min(length, key.length) - shared);
                matched = shared + common;
                if (matched == key.length) {
                    return length == matched ? entry(bytes, value - TRAILER_BYTES, value, valueLength) : ABSENT;
                }
                if (matched < length && (bytes[delta + common] & 0xff) > (key[matched] & 0xff)) {
                    return ABSENT;
                }
            }
            previousLength = length;
            at = value + valueLength;
        }
        return ABSENT;
    }

    /** Number of equal bytes; most neighbours differ in the first. */
    private static int commonBytes(byte[] a, int aAt, byte[] b, int bAt, int length) {
        if (length <= 0 || a[aAt] != b[bAt]) {
            return 0;
        }
        int differs = Arrays.mismatch(a, aAt, aAt + length, b, bAt, bAt + length);
        return differs < 0 ? length : differs;
    }

    /** The last restart point whose key is not above {@code key}; -1 when all are above, -2 when one does not parse. */
    static int lastRestartUpTo(Block block, byte[] key) {
        byte[] bytes = block.bytes();
        int low = 0;
        int high = block.restarts() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int at = block.restart(middle);
            if (at < block.at() || at + 3 > block.entriesEnd() || bytes[at] != 0) {
                return -2;
            }
            int unshared = Varint.int32(bytes, at + 1);
            int from = Varint.end(bytes, Varint.end(bytes, at + 1));
            if (unshared < TRAILER_BYTES || unshared > block.entriesEnd() - from) {
                return -2;
            }
            int order = Arrays.compareUnsigned(bytes, from, from + unshared - TRAILER_BYTES, key, 0, key.length);
            if (order == 0) {
                return middle;
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high;
    }

    /** The same search over keys put together; slower, and right whatever is shared. */
    private static long findByWholeKeys(Block block, int restart, byte[] key) {
        EntryWalk walk = new EntryWalk(block);
        walk.startAt(restart);
        while (walk.advance()) {
            int order = Arrays.compareUnsigned(walk.key(), 0, walk.keyLength(), key, 0, key.length);
            if (order == 0) {
                return entry(walk.key(), walk.keyLength(), walk.valueOffset(), walk.valueLength());
            }
            if (order > 0) {
                return ABSENT;
            }
        }
        return walk.isDamaged() ? DAMAGED : ABSENT;
    }

    /** Packs what was found: 3 bits of kind, 30 of length, 30 of offset; blocks are shorter than 1 GiB. */
    private static long entry(byte[] trailer, int trailerAt, int valueOffset, int valueLength) {
        long stored = Fixed.int64(trailer, trailerAt);
        // Anything above is a sequence number, or a kind that no table builder writes.
        long code = stored >= 0 && stored < UNKNOWN_KIND ? stored : UNKNOWN_KIND;
        return code << 60 | (long) valueLength << 30 | valueOffset;
    }

    /** Stored number of the entry's kind; {@link #UNKNOWN_KIND} for one that this format does not have. */
    static int kindCode(long entry) {
        return (int) (entry >>> 60);
    }

    static int valueOffset(long entry) {
        return (int) entry & (1 << 30) - 1;
    }

    static int valueLength(long entry) {
        return (int) (entry >>> 30) & (1 << 30) - 1;
    }
}
