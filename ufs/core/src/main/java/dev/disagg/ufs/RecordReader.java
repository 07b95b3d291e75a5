// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/** Reads what {@link RecordWriter} wrote. Everything that does not fit is {@link Corrupt}. Not thread-safe. */
final class RecordReader {
    private static final int MAGIC_BYTES = 4;
    private static final int MAX_VARINT_BITS = 63;

    private final ByteBuffer bytes;
    private final String what;
    private final String remedy;
    private final int crc;

    /**
     * @param what which record this is, for messages
     * @param remedy what to do when it is corrupt
     */
    RecordReader(ByteBuffer record, String magic, int version, String what, String remedy) {
        this.what = what;
        this.remedy = remedy;
        ByteBuffer all = record.slice().order(ByteOrder.LITTLE_ENDIAN);
        if (all.remaining() < MAGIC_BYTES + 1 + RecordWriter.CRC_BYTES) {
            throw corrupt("only " + all.remaining() + " bytes are there");
        }
        int end = all.remaining() - RecordWriter.CRC_BYTES;
        this.crc = all.getInt(end);
        all.limit(end);
        CRC32C computed = new CRC32C();
        computed.update(all.duplicate());
        if ((int) computed.getValue() != crc) {
            throw corrupt("the checksum differs: stored " + Integer.toHexString(crc) + ", computed "
                    + Integer.toHexString((int) computed.getValue()));
        }
        byte[] start = new byte[MAGIC_BYTES];
        all.get(start);
        String seen = new String(start, StandardCharsets.US_ASCII);
        if (!seen.equals(magic)) {
            throw corrupt("it starts with '" + seen + "' where '" + magic + "' belongs");
        }
        int found = all.get() & 0xff;
        if (found != version) {
            throw new Invalid(what + " has format version " + found + ", and this program reads version " + version
                    + "; use the program version that wrote it, or a newer one");
        }
        this.bytes = all;
    }

    /** The stored checksum. */
    int crc() {
        return crc;
    }

    int u8() {
        require(1);
        return bytes.get() & 0xff;
    }

    boolean flag() {
        int value = u8();
        if (value > 1) {
            throw corrupt("a flag at byte " + (bytes.position() - 1) + " is " + value);
        }
        return value == 1;
    }

    long varint() {
        long value = 0;
        for (int shift = 0; shift < MAX_VARINT_BITS; shift += 7) {
            int next = u8();
            value |= (long) (next & 0x7f) << shift;
            if (next < 0x80) {
                return value;
            }
        }
        throw corrupt("a number at byte " + bytes.position() + " is too long");
    }

    /** How many items follow, each of at least {@code itemBytes}: a bound for allocations. */
    int count(int itemBytes) {
        long count = varint();
        if (count > bytes.remaining() / itemBytes) {
            throw corrupt(count + " items cannot be in the " + bytes.remaining() + " bytes left");
        }
        return (int) count;
    }

    int fixed32() {
        require(Integer.BYTES);
        return bytes.getInt();
    }

    long fixed64() {
        require(Long.BYTES);
        return bytes.getLong();
    }

    byte[] bytes() {
        return raw(count(1));
    }

    String string() {
        return new String(bytes(), StandardCharsets.UTF_8);
    }

    byte[] raw(int length) {
        require(length);
        byte[] value = new byte[length];
        bytes.get(value);
        return value;
    }

    void end() {
        if (bytes.hasRemaining()) {
            throw corrupt(bytes.remaining() + " bytes follow its end");
        }
    }

    Corrupt corrupt(String fault) {
        return new Corrupt(what + " is corrupt: " + fault + "; " + remedy);
    }

    private void require(int length) {
        if (length < 0 || bytes.remaining() < length) {
            throw corrupt("it ends at byte " + bytes.limit() + " within a field of " + length + " bytes");
        }
    }
}
