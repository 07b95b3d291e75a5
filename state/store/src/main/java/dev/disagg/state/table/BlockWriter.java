// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.util.Arrays;

/**
 * Lays out one block: entries that share a prefix with the one before, except at every n-th, the restart points; then the
 * restart offsets and their number. Keys are whatever sorts in the block (internal keys in data blocks, names in the
 * metaindex). Reused for the next block by {@link #clear}.
 */
final class BlockWriter {
    /** A buffer that one long entry blew up is given back after the block. */
    private static final int KEPT_BYTES = 1 << 20;

    private final int restartInterval;
    private byte[] bytes = new byte[4096];
    private int size;
    private int[] restarts = new int[64];
    private int restartCount;
    private int sinceRestart;
    private byte[] last = new byte[128];
    private int lastLength;

    BlockWriter(int restartInterval) {
        this.restartInterval = restartInterval;
        restartCount = 1;
    }

    /** Appends an entry whose key is {@code key} followed by the eight bytes of {@code trailer}. */
    void addInternal(byte[] key, int keyAt, int keyLength, long trailer, byte[] value, int valueAt, int valueLength) {
        int shared = 0;
        if (sinceRestart == restartInterval) {
            restart();
        } else if (size > 0) {
            shared = sharedInternal(key, keyAt, keyLength, trailer);
        }
        sinceRestart++;
        if (last.length < keyLength + 8) {
            last = Arrays.copyOf(last, 2 * (keyLength + 8));
        }
        System.arraycopy(key, keyAt, last, 0, keyLength);
        Fixed.putInt64(last, keyLength, trailer);
        lastLength = keyLength + 8;
        append(shared, value, valueAt, valueLength);
    }

    /** Appends an entry whose key is all of {@code key}. */
    void add(byte[] key, byte[] value) {
        int shared = 0;
        if (sinceRestart == restartInterval) {
            restart();
        } else if (size > 0) {
            shared = mismatch(key, 0, key.length, last, lastLength);
        }
        sinceRestart++;
        if (last.length < key.length) {
            last = Arrays.copyOf(last, 2 * key.length);
        }
        System.arraycopy(key, 0, last, 0, key.length);
        lastLength = key.length;
        append(shared, value, 0, value.length);
    }

    private void restart() {
        if (restartCount == restarts.length) {
            restarts = Arrays.copyOf(restarts, 2 * restartCount);
        }
        restarts[restartCount++] = size;
        sinceRestart = 0;
    }

    private int sharedInternal(byte[] key, int keyAt, int keyLength, long trailer) {
        int shared = mismatch(key, keyAt, keyLength, last, lastLength);
        if (shared == keyLength) {
            // The trailer may go on sharing, with the rest of a longer previous key.
            while (shared < lastLength
                    && shared < keyLength + 8
                    && last[shared] == (byte) (trailer >>> (8 * (shared - keyLength)))) {
                shared++;
            }
        }
        return shared;
    }

    private static int mismatch(byte[] key, int keyAt, int keyLength, byte[] last, int lastLength) {
        int at = Arrays.mismatch(key, keyAt, keyAt + keyLength, last, 0, lastLength);
        return at < 0 ? keyLength : at;
    }

    private void append(int shared, byte[] value, int valueAt, int valueLength) {
        int unshared = lastLength - shared;
        ensure(3L * Varint.MAX_INT_BYTES + unshared + valueLength);
        int at = Varint.put(bytes, size, shared);
        at = Varint.put(bytes, at, unshared);
        at = Varint.put(bytes, at, valueLength);
        System.arraycopy(last, shared, bytes, at, unshared);
        at += unshared;
        System.arraycopy(value, valueAt, bytes, at, valueLength);
        size = at + valueLength;
    }

    private void ensure(long more) {
        if (size + more > bytes.length) {
            bytes = Arrays.copyOf(
                    bytes, (int) Math.min(Integer.MAX_VALUE - 16, Math.max(size + more, 2L * bytes.length)));
        }
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** Size of the block if it were finished now. */
    int sizeBytes() {
        return size + 4 * restartCount + 4;
    }

    /** At most the size of the block with one more entry. */
    long sizeWithBytes(int keyLength, int valueLength) {
        return (long) sizeBytes() + 3 * Varint.MAX_INT_BYTES + keyLength + 8 + valueLength + 4;
    }

    /** Ends the block: {@link #array} holds {@link #sizeBytes} bytes of it until {@link #clear}. */
    void finish() {
        ensure(4L * restartCount + 4);
        int at = size;
        for (int i = 0; i < restartCount; i++, at += 4) {
            Fixed.putInt32(bytes, at, restarts[i]);
        }
        Fixed.putInt32(bytes, at, restartCount);
    }

    byte[] array() {
        return bytes;
    }

    /** The key of the last entry, also after {@link #clear}: an array to read {@link #lastKeyLength} bytes of. */
    byte[] lastKeyArray() {
        return last;
    }

    int lastKeyLength() {
        return lastLength;
    }

    void clear() {
        size = 0;
        restartCount = 1;
        sinceRestart = 0;
        if (bytes.length > KEPT_BYTES) {
            bytes = new byte[4096];
        }
    }
}
