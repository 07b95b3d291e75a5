// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import dev.disagg.ufs.Failed;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/** The stored keys, drawn in {@code docs/format/key-layout.md}. All of it is stored: never changes. */
final class KeyLayout {
    /** Longest key that is stored as it is. */
    static final int MAX_INLINE_KEY_BYTES = 1024;
    /** Longest window: its length is 16 bits. */
    static final int MAX_WINDOW_BYTES = 0xFFFF;

    static final byte SCALAR = 0;
    static final byte COLLECTION = 1;

    /** Cell of the key-global row with a sub-key per timer: the last cell, so that it is not in the way of others. */
    static final int TIMERS = 0xFFFF_FFFF;
    /** Cell of the key-global row with the bytes of a key that is stored as a digest. */
    static final int FULL_KEY = 0xFFFF_FFFE;
    /** Cells from here on (unsigned) are this layout's own. */
    static final int FIRST_RESERVED = 0xFFFF_FF00;

    /** Sub-keys in class 0 that say what a cell is, so that a row can be cleared without knowing who wrote it. */
    static final byte[] PLAIN = {};

    static final byte[] HOLD = {1};
    static final byte[] GENERATION = {2};

    /** Kinds of an entry in the holds family; a timer's is this plus one plus the ordinal of its domain. */
    static final byte HOLD_OF_CELL = 0;

    static final byte[] EMPTY = {};

    private static final byte DIGEST_MARK = (byte) 0xFF;
    private static final int DIGEST_FIELD_BYTES = 33;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);

    private KeyLayout() {}

    /**
     * The key field: the key itself, or {@code 0xFF} and its SHA-256 when it is longer than 1 KiB, and also when it could be
     * taken for such a digest.
     */
    static byte[] keyField(byte[] key) {
        boolean looksLikeDigest = key.length == DIGEST_FIELD_BYTES && key[0] == DIGEST_MARK;
        if (key.length <= MAX_INLINE_KEY_BYTES && !looksLikeDigest) {
            return key;
        }
        try {
            byte[] field = new byte[DIGEST_FIELD_BYTES];
            field[0] = DIGEST_MARK;
            System.arraycopy(MessageDigest.getInstance("SHA-256").digest(key), 0, field, 1, 32);
            return field;
        } catch (NoSuchAlgorithmException e) {
            throw new Failed("this Java runtime has no SHA-256, which keys over 1 KiB are stored with", e);
        }
    }

    static int rowPrefixBytes(byte[] keyField, byte[] window) {
        return 20 + keyField.length + window.length;
    }

    /** An array that begins with the row prefix and has {@code more} bytes behind it. */
    static byte[] row(long hash, byte[] keyField, long windowEndMillis, byte[] window, int more) {
        byte[] out = new byte[rowPrefixBytes(keyField, window) + more];
        LONG.set(out, 0, hash);
        SHORT.set(out, 8, (short) keyField.length);
        System.arraycopy(keyField, 0, out, 10, keyField.length);
        int at = 10 + keyField.length;
        LONG.set(out, at, flip(windowEndMillis));
        SHORT.set(out, at + 8, (short) window.length);
        System.arraycopy(window, 0, out, at + 10, window.length);
        return out;
    }

    /** Sorts signed times as unsigned bytes. */
    static long flip(long millis) {
        return millis ^ Long.MIN_VALUE;
    }

    /** {@code [time 8][hash 8]} and {@code more} bytes behind it. */
    static byte[] time(long millis, long hash, int more) {
        byte[] out = new byte[16 + more];
        LONG.set(out, 0, flip(millis));
        LONG.set(out, 8, hash);
        return out;
    }

    /** A time index entry of a timer. */
    static byte[] timerIndex(long millis, long hash, byte[] keyField) {
        byte[] out = time(millis, hash, keyField.length);
        System.arraycopy(keyField, 0, out, 16, keyField.length);
        return out;
    }

    /** A holds entry for the output timestamp of a key's timers of one domain. */
    static byte[] timerHold(long millis, long hash, TimerDomain domain, byte[] keyField) {
        byte[] out = time(millis, hash, 1 + keyField.length);
        out[16] = (byte) (HOLD_OF_CELL + 1 + domain.ordinal());
        System.arraycopy(keyField, 0, out, 17, keyField.length);
        return out;
    }

    /** A holds entry of a hold cell: the row prefix, without its hash, and the cell tell it from all others. */
    static byte[] cellHold(long millis, byte[] rowPrefix, int cell) {
        byte[] out = new byte[16 + 1 + rowPrefix.length - 8 + 4];
        LONG.set(out, 0, flip(millis));
        System.arraycopy(rowPrefix, 0, out, 8, 8);
        out[16] = HOLD_OF_CELL;
        System.arraycopy(rowPrefix, 8, out, 17, rowPrefix.length - 8);
        INT.set(out, out.length - 4, cell);
        return out;
    }

    /** The first key of the time families at or after {@code millis}. */
    static byte[] timeBound(long millis) {
        byte[] out = new byte[8];
        LONG.set(out, 0, flip(millis));
        return out;
    }

    static long timeOf(byte[] timeKey) {
        return flip(getLong(timeKey, 0));
    }

    static long hashOf(byte[] timeKey) {
        return getLong(timeKey, 8);
    }

    /** The smallest key after {@code key}. */
    static byte[] successor(byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }

    static long getLong(byte[] from, int at) {
        return (long) LONG.get(from, at);
    }

    static int getInt(byte[] from, int at) {
        return (int) INT.get(from, at);
    }

    static void setLong(byte[] to, int at, long value) {
        LONG.set(to, at, value);
    }

    static void setInt(byte[] to, int at, int value) {
        INT.set(to, at, value);
    }

    static void setShort(byte[] to, int at, int value) {
        SHORT.set(to, at, (short) value);
    }

    /** For messages: at most 32 bytes of it. */
    static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes, 0, Math.min(bytes.length, 32)) + (bytes.length > 32 ? "..." : "");
    }
}
