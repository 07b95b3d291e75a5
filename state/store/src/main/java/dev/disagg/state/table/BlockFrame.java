// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import dev.disagg.ufs.Corrupt;
import dev.disagg.ufs.Failed;
import dev.disagg.ufs.Invalid;
import java.util.Arrays;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import org.jspecify.annotations.Nullable;

/**
 * One block as it is stored: the payload, compressed when that pays, then one byte of compression type and the masked
 * CRC32c of both. A compressed payload starts with its uncompressed length as a varint.
 */
final class BlockFrame {
    static final int TRAILER_BYTES = 5;
    /** What to do about damage; the end of every such message. */
    static final String REMEDY =
            "discard the cached copy if it was read from one, otherwise restore from a checkpoint without this table";

    /** A block longer than this was not written by anyone. */
    private static final int MAX_RAW_BYTES = 1 << 30;

    private static final int LZ4HC = 5;
    private static final int ZSTD_LEVEL = 3;

    private static final LZ4Factory LZ4 = LZ4Factory.fastestInstance();

    private BlockFrame() {}

    /**
     * Room that {@link #seal} may need for a block of this size.
     */
    static int roomBytes(int rawBytes, Compression compression) {
        long room = switch (compression) {
            case NONE -> rawBytes;
            case LZ4 -> Math.max(rawBytes, LZ4.fastCompressor().maxCompressedLength(rawBytes));
            case ZSTD -> Math.max(rawBytes, Zstd.compressBound(rawBytes));
        };
        return Math.toIntExact(room + Varint.MAX_INT_BYTES + TRAILER_BYTES);
    }

    /**
     * Writes the stored form of a block to the start of {@code out}.
     *
     * @return its length, trailer included
     */
    static int seal(byte[] raw, int rawBytes, Compression compression, byte[] out) {
        int at = Varint.put(out, 0, rawBytes);
        int storedBytes = switch (compression) {
            case NONE -> Integer.MAX_VALUE;
            case LZ4 -> at + LZ4.fastCompressor().compress(raw, 0, rawBytes, out, at, out.length - at);
            case ZSTD -> at + zstd(raw, rawBytes, out, at);
        };
        int type = compression.code();
        if (storedBytes > rawBytes - rawBytes / 8) {
            System.arraycopy(raw, 0, out, 0, rawBytes);
            storedBytes = rawBytes;
            type = Compression.NONE.code();
        }
        out[storedBytes] = (byte) type;
        Fixed.putInt32(out, storedBytes + 1, MaskedCrc.of(out, 0, storedBytes + 1));
        return storedBytes + TRAILER_BYTES;
    }

    private static int zstd(byte[] raw, int rawBytes, byte[] out, int at) {
        long result = Zstd.compressByteArray(out, at, out.length - at, raw, 0, rawBytes, ZSTD_LEVEL);
        if (Zstd.isError(result)) {
            throw new Failed("a block of " + rawBytes + " bytes could not be compressed: " + Zstd.getErrorName(result));
        }
        return (int) result;
    }

    /** Throws {@link Corrupt} unless the trailer at {@code at + storedBytes} has the payload's checksum. */
    static void check(String table, long offset, byte[] bytes, int at, int storedBytes) {
        int expected = Fixed.int32(bytes, at + storedBytes + 1);
        int found = MaskedCrc.of(bytes, at, storedBytes + 1);
        if (found != expected) {
            throw new Corrupt(String.format(
                    "table %s, block at offset %d: its bytes have checksum %08x, stored is %08x; %s",
                    table, offset, found, expected, REMEDY));
        }
    }

    /** Whether the payload is stored as it is. */
    static boolean isPlain(byte[] bytes, int at, int storedBytes) {
        return bytes[at + storedBytes] == Compression.NONE.code();
    }

    /** The uncompressed block, in an array of its own. The checksum is the caller's to {@link #check}. */
    static byte[] open(String table, long offset, byte[] bytes, int at, int storedBytes) {
        int type = bytes[at + storedBytes];
        if (type == Compression.NONE.code()) {
            return Arrays.copyOfRange(bytes, at, at + storedBytes);
        }
        if (type != Compression.LZ4.code() && type != LZ4HC && type != Compression.ZSTD.code()) {
            throw new Invalid("table " + table + ", block at offset " + offset + " is compressed with "
                    + compressionName(type) + ", read here are none, LZ4 and ZSTD: write it again with one of those");
        }
        int rawBytes = Varint.int32(bytes, at);
        int from = Varint.end(bytes, at);
        int length = at + storedBytes - from;
        if (rawBytes < 0 || rawBytes > MAX_RAW_BYTES || length < 0) {
            throw damaged(table, offset, "says that it is " + rawBytes + " bytes long", null);
        }
        byte[] raw = new byte[rawBytes];
        try {
            long found = type == Compression.ZSTD.code()
                    ? Zstd.decompressByteArray(raw, 0, rawBytes, bytes, from, length)
                    : LZ4.safeDecompressor().decompress(bytes, from, length, raw, 0, rawBytes);
            if (found != rawBytes) {
                throw damaged(table, offset, "has " + found + " bytes, not the " + rawBytes + " it says", null);
            }
        } catch (LZ4Exception | ZstdException e) {
            throw damaged(table, offset, "does not decompress", e);
        }
        return raw;
    }

    static Corrupt damaged(String table, long offset, String what, @Nullable Throwable cause) {
        return new Corrupt("table " + table + ", block at offset " + offset + " " + what + "; " + REMEDY, cause);
    }

    private static String compressionName(int type) {
        return switch (type) {
            case 1 -> "Snappy";
            case 2 -> "zlib";
            case 3 -> "bzip2";
            case 6 -> "Xpress";
            default -> "type " + type;
        };
    }
}
