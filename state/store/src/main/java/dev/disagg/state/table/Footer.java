// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import dev.disagg.ufs.Corrupt;
import dev.disagg.ufs.Invalid;

/**
 * The last 53 bytes of a table: checksum type, the handles of metaindex and index, format version, magic number. It has no
 * checksum of its own, which is why a {@link TableInfo} keeps one.
 */
record Footer(BlockHandle metaindex, BlockHandle index) {
    static final int BYTES = 53;
    static final int FORMAT_VERSION = 5;

    private static final byte CRC32C = 1;
    private static final int VERSION_AT = 41;
    private static final int MAGIC_AT = 45;
    private static final long MAGIC = 0x88e241b785f4cff7L;

    byte[] encode() {
        byte[] bytes = new byte[BYTES];
        bytes[0] = CRC32C;
        index.put(bytes, metaindex.put(bytes, 1));
        Fixed.putInt32(bytes, VERSION_AT, FORMAT_VERSION);
        Fixed.putInt64(bytes, MAGIC_AT, MAGIC);
        return bytes;
    }

    /** Reads the footer that ends at {@code end}. */
    static Footer decode(String table, byte[] bytes, int end) {
        int at = end - BYTES;
        if (at < 0 || Fixed.int64(bytes, at + MAGIC_AT) != MAGIC) {
            throw new Corrupt("table " + table + " does not end in a block-based table's footer: it is cut off or is "
                    + "something else; " + BlockFrame.REMEDY);
        }
        int version = Fixed.int32(bytes, at + VERSION_AT);
        if (version != FORMAT_VERSION) {
            throw new Invalid("table " + table + " has format_version " + version + ", read here is " + FORMAT_VERSION
                    + ": write it again with that version");
        }
        if (bytes[at] != CRC32C) {
            throw new Invalid("table " + table + " has checksum type " + bytes[at] + ", read here is 1 (CRC32c): "
                    + "write it again with that type");
        }
        BlockHandle metaindex = BlockHandle.read(bytes, at + 1);
        int indexAt = Varint.end(bytes, Varint.end(bytes, at + 1));
        return new Footer(metaindex, BlockHandle.read(bytes, indexAt));
    }
}
