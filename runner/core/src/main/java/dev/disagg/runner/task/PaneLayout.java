// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.state.ByteStore;
import dev.disagg.state.SharedRun;
import dev.disagg.ufs.Failed;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * The entries of a large pane. An iterable's elements are one row, numbered in their order. A multimap has a row for each
 * of its keys, all of them before the values, and a row for the values of each key. Drawn in {@code docs/format/shared-run.md}.
 */
final class PaneLayout {
    /** The row of all elements of an iterable. */
    static final byte[] ELEMENTS = {};

    /** What the rows of a multimap's keys begin with. */
    static final byte[] KEYS = {0};

    private static final byte VALUES = 1;
    /** A longer key is told by its digest, so that rows are short. */
    private static final int LONGEST_KEY = 1024;

    private static final int DIGESTED = 0xffff;
    private static final int HEAD_BYTES = 1 + 2;

    private PaneLayout() {}

    static ByteStore.Entry entry(byte[] row, long number, byte[] value) {
        byte[] key = Arrays.copyOf(row, row.length + SharedRun.NUMBER_BYTES);
        ByteBuffer.wrap(key).putLong(row.length, number);
        return new ByteStore.Entry(key, value);
    }

    /** That a multimap has this key. */
    static ByteStore.Entry keyEntry(byte[] encodedKey) {
        boolean here = encodedKey.length <= LONGEST_KEY;
        return entry(row(KEYS[0], encodedKey), 0, here ? new byte[0] : encodedKey);
    }

    /** The encoded key of a {@link #keyEntry}. */
    static byte[] keyOf(ByteStore.Entry entry) {
        byte[] key = entry.key();
        int length = ByteBuffer.wrap(key).getShort(1) & 0xffff;
        return length == DIGESTED ? entry.value() : Arrays.copyOfRange(key, HEAD_BYTES, HEAD_BYTES + length);
    }

    /** The row of the values of a key. */
    static byte[] valuesOf(byte[] encodedKey) {
        return row(VALUES, encodedKey);
    }

    private static byte[] row(byte kind, byte[] encodedKey) {
        boolean here = encodedKey.length <= LONGEST_KEY;
        byte[] name = here ? encodedKey : digest(encodedKey);
        return ByteBuffer.allocate(HEAD_BYTES + name.length)
                .put(kind)
                .putShort((short) (here ? name.length : DIGESTED))
                .put(name)
                .array();
    }

    private static byte[] digest(byte[] key) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(key);
        } catch (NoSuchAlgorithmException e) {
            throw new Failed("this Java has no SHA-256, which every Java is to have: " + e.getMessage(), e);
        }
    }
}
