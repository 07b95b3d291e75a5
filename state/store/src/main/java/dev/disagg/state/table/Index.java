// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.util.Arrays;

/**
 * The index block, searched as it is stored: every entry is a restart point, its key a user key that separates two blocks.
 * Blocks are known by their number, from 0.
 */
record Index(Block block) {
    /**
     * Takes an index block as it was read. One that is laid out otherwise (prefixes shared, internal keys, full values) is
     * laid out anew.
     *
     * @param userKeys whether the separators are user keys, without eight bytes behind them
     * @param deltaValues whether the handles have no length before them, and those of non-restart entries are deltas
     */
    static Index of(String table, long offset, Block stored, boolean userKeys, boolean deltaValues) {
        if (userKeys && deltaValues && everyEntryIsRestart(stored)) {
            return new Index(stored);
        }
        return new Index(layOut(table, offset, stored, userKeys, deltaValues));
    }

    private static boolean everyEntryIsRestart(Block block) {
        int at = block.at();
        for (int i = 0; i < block.restarts(); i++) {
            if (at != block.restart(i) || block.bytes()[at] != 0) {
                return false;
            }
            int key = Varint.end(block.bytes(), at + 1);
            int handle = key + Varint.int32(block.bytes(), at + 1);
            if (handle < key || handle >= block.entriesEnd()) {
                return false;
            }
            at = Varint.end(block.bytes(), Varint.end(block.bytes(), handle));
        }
        return at == block.entriesEnd();
    }

    private static Block layOut(String table, long offset, Block stored, boolean userKeys, boolean deltaValues) {
        IndexWriter writer = new IndexWriter();
        byte[] bytes = stored.bytes();
        byte[] key = new byte[0];
        BlockHandle handle = new BlockHandle(0, 0);
        int at = stored.at();
        while (at < stored.entriesEnd()) {
            int shared = Varint.int32(bytes, at);
            at = Varint.end(bytes, at);
            int unshared = Varint.int32(bytes, at);
            at = Varint.end(bytes, at);
            if (!deltaValues) {
                at = Varint.end(bytes, at);
            }
            int trailer = userKeys ? 0 : 8;
            if (shared < 0
                    || shared > key.length
                    || unshared < 0
                    || unshared > stored.entriesEnd() - at
                    || shared + unshared < trailer) {
                throw BlockFrame.damaged(table, offset, "is an index that does not parse", null);
            }
            key = Arrays.copyOf(key, shared + unshared);
            System.arraycopy(bytes, at, key, shared, unshared);
            at += unshared;
            if (deltaValues && shared > 0) {
                long zigzag = Varint.int64(bytes, at);
                at = Varint.end(bytes, at);
                handle = new BlockHandle(handle.end(), handle.storedBytes() + (zigzag >>> 1 ^ -(zigzag & 1)));
            } else {
                handle = BlockHandle.read(bytes, at);
                at = Varint.end(bytes, Varint.end(bytes, at));
            }
            writer.add(key, key.length - trailer, handle.offset(), handle.storedBytes());
        }
        byte[] laidOut = writer.finish();
        return Block.of(table, offset, laidOut, 0, laidOut.length);
    }

    /** Number of data blocks. */
    int count() {
        return block.restarts();
    }

    /** The only block that may hold {@code key}: the first whose separator is not below it; {@link #count} for none. */
    int locate(byte[] key) {
        byte[] bytes = block.bytes();
        int low = 0;
        int high = count();
        while (low < high) {
            int middle = (low + high) >>> 1;
            int lengthAt = block.restart(middle) + 1;
            int from = Varint.end(bytes, lengthAt);
            if (Arrays.compareUnsigned(bytes, from, from + Varint.int32(bytes, lengthAt), key, 0, key.length) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Whether the separator of block {@code number} is not below {@code key}: no later block may hold it. */
    boolean reaches(int number, byte[] key) {
        byte[] bytes = block.bytes();
        int lengthAt = block.restart(number) + 1;
        int from = Varint.end(bytes, lengthAt);
        return Arrays.compareUnsigned(bytes, from, from + Varint.int32(bytes, lengthAt), key, 0, key.length) >= 0;
    }

    /** Where block {@code number} starts. */
    long offset(int number) {
        return Varint.int64(block.bytes(), handleAt(number));
    }

    /** Stored length of block {@code number}, without its trailer. */
    long storedBytes(int number) {
        return Varint.int64(block.bytes(), Varint.end(block.bytes(), handleAt(number)));
    }

    /** Copy of the separator after block {@code number}. */
    byte[] separator(int number) {
        int handleAt = handleAt(number);
        int lengthAt = block.restart(number) + 1;
        return Arrays.copyOfRange(block.bytes(), handleAt - Varint.int32(block.bytes(), lengthAt), handleAt);
    }

    private int handleAt(int number) {
        int lengthAt = block.restart(number) + 1;
        return Varint.end(block.bytes(), lengthAt) + Varint.int32(block.bytes(), lengthAt);
    }
}
