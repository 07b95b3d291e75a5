// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import dev.disagg.ufs.Corrupt;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a manifest keeps of a table, about 100 bytes: enough to skip the table for most keys, to open it with one read, and
 * to notice damage of its tail (whose footer has no checksum of its own).
 *
 * @param bytes size of the table
 * @param tailOffset where the data blocks end, and filter, index, properties and footer begin
 * @param tailCrc32c CRC32c (plain, not masked) of the bytes from {@code tailOffset} to the end
 * @param smallestKey first key
 * @param largestKey last key
 * @param entries number of entries: puts, deletes and merges
 * @param deletes entries that are {@link EntryKind#DELETE}
 * @param merges entries that are {@link EntryKind#MERGE}
 */
public record TableInfo(
        long bytes,
        long tailOffset,
        int tailCrc32c,
        byte[] smallestKey,
        byte[] largestKey,
        long entries,
        long deletes,
        long merges) {

    private static final byte VERSION = 1;

    public TableInfo {
        Objects.requireNonNull(smallestKey, "smallestKey is null");
        Objects.requireNonNull(largestKey, "largestKey is null");
    }

    /** The stored form: a version byte, then the fields in order; drawn in {@code docs/format/table.md}. */
    public byte[] encode() {
        byte[] out = new byte[1 + 4 + 7 * Varint.MAX_LONG_BYTES + smallestKey.length + largestKey.length];
        out[0] = VERSION;
        int at = Varint.put(out, 1, bytes);
        at = Varint.put(out, at, tailOffset);
        Fixed.putInt32(out, at, tailCrc32c);
        at = putBytes(out, at + 4, smallestKey);
        at = putBytes(out, at, largestKey);
        at = Varint.put(out, at, entries);
        at = Varint.put(out, at, deletes);
        at = Varint.put(out, at, merges);
        return Arrays.copyOf(out, at);
    }

    private static int putBytes(byte[] out, int at, byte[] bytes) {
        at = Varint.put(out, at, bytes.length);
        System.arraycopy(bytes, 0, out, at, bytes.length);
        return at + bytes.length;
    }

    /**
     * Reads the stored form, which is the whole array.
     *
     * @throws dev.disagg.ufs.Corrupt when the bytes are not what {@link #encode} writes
     */
    public static TableInfo decode(byte[] encoded) {
        Reader in = new Reader(encoded);
        try {
            if (encoded[0] != VERSION) {
                throw in.corrupt("has version " + encoded[0] + ", read here is " + VERSION, null);
            }
            in.at = 1;
            TableInfo info = new TableInfo(
                    in.number(),
                    in.number(),
                    in.fixed32(),
                    in.bytes(),
                    in.bytes(),
                    in.number(),
                    in.number(),
                    in.number());
            if (in.at != encoded.length
                    || info.tailOffset > info.bytes
                    || info.deletes + info.merges > info.entries
                    || Arrays.compareUnsigned(info.smallestKey, info.largestKey) > 0) {
                throw in.corrupt("contradicts itself", null);
            }
            return info;
        } catch (IndexOutOfBoundsException e) {
            throw in.corrupt("is cut off", e);
        }
    }

    private static final class Reader {
        private final byte[] encoded;
        private int at;

        Reader(byte[] encoded) {
            this.encoded = encoded;
        }

        long number() {
            long value = Varint.int64(encoded, at);
            at = Varint.end(encoded, at);
            if (value < 0) {
                throw corrupt("has the number " + value, null);
            }
            return value;
        }

        int fixed32() {
            at += 4;
            return Fixed.int32(encoded, at - 4);
        }

        byte[] bytes() {
            long length = number();
            if (length > encoded.length - at) {
                throw corrupt("is cut off", null);
            }
            at += (int) length;
            return Arrays.copyOfRange(encoded, at - (int) length, at);
        }

        Corrupt corrupt(String what, @Nullable Throwable cause) {
            return new Corrupt(
                    "table information of " + encoded.length + " bytes " + what + "; restore from another checkpoint",
                    cause);
        }
    }

    /** Whether {@code key} is within the first and the last key. */
    public boolean covers(byte[] key) {
        return Arrays.compareUnsigned(smallestKey, key) <= 0 && Arrays.compareUnsigned(key, largestKey) <= 0;
    }

    /** Whether the table may have keys in {@code [from, to)}; {@code to} null means no end. */
    public boolean overlaps(byte[] from, byte @Nullable [] to) {
        return Arrays.compareUnsigned(from, largestKey) <= 0
                && (to == null || Arrays.compareUnsigned(smallestKey, to) < 0);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TableInfo that
                && bytes == that.bytes
                && tailOffset == that.tailOffset
                && tailCrc32c == that.tailCrc32c
                && entries == that.entries
                && deletes == that.deletes
                && merges == that.merges
                && Arrays.equals(smallestKey, that.smallestKey)
                && Arrays.equals(largestKey, that.largestKey);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(bytes * 31 + tailOffset) * 31 + tailCrc32c;
    }

    @Override
    public String toString() {
        HexFormat hex = HexFormat.of();
        return String.format(
                "TableInfo[bytes=%d, tailOffset=%d, tailCrc32c=%08x, keys=%s..%s, entries=%d, deletes=%d, merges=%d]",
                bytes,
                tailOffset,
                tailCrc32c,
                hex.formatHex(smallestKey),
                hex.formatHex(largestKey),
                entries,
                deletes,
                merges);
    }
}
