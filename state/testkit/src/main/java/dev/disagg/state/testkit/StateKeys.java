// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.testkit;

import dev.disagg.state.Family;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Keys of the families, by number. */
final class StateKeys {
    private StateKeys() {}

    /** A hash that spreads small numbers over all groups. */
    static long hash(int key) {
        return (key + 1) * 0x9E3779B97F4A7C15L;
    }

    /** Of the key-global row. */
    static byte[] row(long hash, byte[] name, byte[] cell) {
        return ByteBuffer.allocate(8 + 2 + name.length + 8 + 2 + cell.length)
                .putLong(hash)
                .putShort((short) name.length)
                .put(name)
                .putLong(-1)
                .putShort((short) 0)
                .put(cell)
                .array();
    }

    static byte[] row(int key, String cell) {
        return row(hash(key), bytes("k" + key), bytes(cell));
    }

    /** The key numbered {@code n} of a family, the same for the same number. */
    static byte[] any(Family family, int n) {
        return switch (family) {
            case ROWS -> row(n / 3, "c" + n % 3);
            case EVENT_TIMERS, PROCESSING_TIMERS, HOLDS -> {
                byte[] name = bytes("k" + n);
                yield ByteBuffer.allocate(16 + name.length)
                        .putLong(n % 7 ^ Long.MIN_VALUE)
                        .putLong(hash(n))
                        .put(name)
                        .array();
            }
            case INBOX ->
                ByteBuffer.allocate(10)
                        .putShort((short) (hash(n) >>> 49))
                        .putLong(n)
                        .array();
            case SOURCES -> bytes("split" + n);
        };
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
