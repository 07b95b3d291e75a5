// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Writes one stored record: four bytes of magic, one of version, a body of varints and strings, and a CRC-32C of all
 * before it. docs/format/ draws them. Not thread-safe.
 */
final class RecordWriter {
    static final int CRC_BYTES = 4;
    private static final int FIRST_BYTES = 256;

    private byte[] bytes = new byte[FIRST_BYTES];
    private int size;

    RecordWriter(String magic, int version) {
        raw(magic.getBytes(StandardCharsets.US_ASCII));
        u8(version);
    }

    void u8(int value) {
        reserve(1);
        bytes[size++] = (byte) value;
    }

    void flag(boolean value) {
        u8(value ? 1 : 0);
    }

    /** Little-endian groups of seven bits, the high bit set on all but the last; not negative. */
    void varint(long value) {
        if (value < 0) {
            throw new Failed("a negative number in a stored record: " + value + "; this is a bug");
        }
        long rest = value;
        while (rest > 0x7f) {
            u8((int) (rest & 0x7f | 0x80));
            rest >>>= 7;
        }
        u8((int) rest);
    }

    void fixed32(int value) {
        reserve(Integer.BYTES);
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(size, value);
        size += Integer.BYTES;
    }

    void fixed64(long value) {
        reserve(Long.BYTES);
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong(size, value);
        size += Long.BYTES;
    }

    /** A varint of the length, then the bytes. */
    void bytes(byte[] value) {
        varint(value.length);
        raw(value);
    }

    void string(String value) {
        bytes(value.getBytes(StandardCharsets.UTF_8));
    }

    void raw(byte[] value) {
        raw(value, 0, value.length);
    }

    void raw(byte[] value, int from, int length) {
        reserve(length);
        System.arraycopy(value, from, bytes, size, length);
        size += length;
    }

    /** Ends the record. */
    byte[] end() {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, size);
        fixed32((int) crc.getValue());
        return Arrays.copyOf(bytes, size);
    }

    private void reserve(int more) {
        if (bytes.length - size < more) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + more));
        }
    }
}
