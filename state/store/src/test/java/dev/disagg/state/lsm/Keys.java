// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.Family;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Keys of the families, as tests spell them. */
public final class Keys {
    private Keys() {}

    public static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    public static String text(byte[] bytes) {
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    /** A hash that spreads small numbers over all groups. */
    public static long hash(int key) {
        return (key + 1) * 0x9E3779B97F4A7C15L;
    }

    public static byte[] row(long hash, String key, long windowEndMillis, String cell) {
        byte[] name = bytes(key);
        byte[] suffix = bytes(cell);
        return ByteBuffer.allocate(8 + 2 + name.length + 8 + 2 + suffix.length)
                .putLong(hash)
                .putShort((short) name.length)
                .put(name)
                .putLong(windowEndMillis ^ Long.MIN_VALUE)
                .putShort((short) 0)
                .put(suffix)
                .array();
    }

    public static byte[] row(int key, String cell) {
        return row(hash(key), "k" + key, Long.MAX_VALUE, cell);
    }

    public static byte[] timer(long time, long hash, String key) {
        byte[] name = bytes(key);
        return ByteBuffer.allocate(16 + name.length)
                .putLong(time ^ Long.MIN_VALUE)
                .putLong(hash)
                .put(name)
                .array();
    }

    public static byte[] inbox(int group, long arrival) {
        return ByteBuffer.allocate(10).putShort((short) group).putLong(arrival).array();
    }

    /** The key numbered {@code n} of a family, the same for the same number. */
    public static byte[] any(Family family, int n) {
        return switch (family) {
            case ROWS -> row(n / 3, "c" + n % 3);
            case EVENT_TIMERS, PROCESSING_TIMERS, HOLDS -> timer(n % 7, hash(n), "k" + n);
            case INBOX -> inbox((int) (hash(n) >>> 49), n);
            case SOURCES -> bytes("split" + n);
        };
    }
}
