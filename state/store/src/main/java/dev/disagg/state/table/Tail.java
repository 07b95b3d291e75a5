// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import dev.disagg.ufs.Corrupt;
import dev.disagg.ufs.Invalid;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * What finds a table's blocks: index and filter, as they lie in the tail's bytes.
 *
 * @param index separators and handles of the data blocks
 * @param bloom filter over keys and extra entries
 * @param properties by name, sorted
 * @param weightBytes memory that it holds
 */
record Tail(Index index, Bloom bloom, Map<String, byte[]> properties, int weightBytes) {
    private static final int OBJECTS_BYTES = 256;

    /**
     * Reads a tail.
     *
     * @param bytes ends where the table ends
     * @param tailOffset where in the table {@code bytes} starts
     * @param check whether to check each block's checksum; not needed when the whole tail's was
     * @throws Invalid when the table has a feature that is not read here
     */
    static Tail decode(String table, byte[] bytes, long tailOffset, boolean check) {
        try {
            return new Decoder(table, bytes, tailOffset, check).tail();
        } catch (IndexOutOfBoundsException e) {
            throw new Corrupt(
                    "table " + table + ": the tail at offset " + tailOffset + " does not parse; " + BlockFrame.REMEDY,
                    e);
        }
    }

    /**
     * Where the tail starts: the first of the blocks that footer and metaindex name.
     *
     * @param end the end of the table, which holds the metaindex
     * @param from where in the table {@code end} starts
     */
    static long startOffset(String table, byte[] end, long from) {
        try {
            Footer footer = Footer.decode(table, end, end.length);
            long start = Math.min(footer.metaindex().offset(), footer.index().offset());
            for (byte[] handle : new Decoder(table, end, from, true)
                    .names(footer.metaindex())
                    .values()) {
                start = Math.min(start, BlockHandle.read(handle, 0).offset());
            }
            return start;
        } catch (IndexOutOfBoundsException e) {
            throw new Corrupt(
                    "table " + table + ": its last " + end.length + " bytes do not parse; " + BlockFrame.REMEDY, e);
        }
    }

    private static final class Decoder {
        private final String table;
        private final byte[] bytes;
        private final long tailOffset;
        private final boolean check;
        private int unpackedBytes;

        Decoder(String table, byte[] bytes, long tailOffset, boolean check) {
            this.table = table;
            this.bytes = bytes;
            this.tailOffset = tailOffset;
            this.check = check;
        }

        Tail tail() {
            Footer footer = Footer.decode(table, bytes, bytes.length);
            Map<String, byte[]> metaindex = names(footer.metaindex());
            byte[] propertiesHandle = metaindex.get(TableProperties.IN_METAINDEX);
            if (propertiesHandle == null) {
                throw new Corrupt("table " + table + " has no properties; " + BlockFrame.REMEDY);
            }
            Map<String, byte[]> properties = names(BlockHandle.read(propertiesHandle, 0));
            Features.check(table, metaindex.keySet(), properties);
            Bloom bloom = Bloom.EVERYTHING;
            byte[] filterHandle = metaindex.get(TableProperties.FULL_FILTER);
            if (filterHandle != null) {
                BlockHandle filter = BlockHandle.read(filterHandle, 0);
                int at = locate(filter);
                bloom = Bloom.of(bytes, at, (int) filter.storedBytes());
            }
            Block index = block(footer.index());
            return new Tail(
                    Index.of(
                            table,
                            footer.index().offset(),
                            index,
                            Features.number(properties, TableProperties.INDEX_KEY_IS_USER_KEY) == 1,
                            Features.number(properties, TableProperties.INDEX_VALUE_IS_DELTA_ENCODED) == 1),
                    bloom,
                    properties,
                    bytes.length + unpackedBytes + OBJECTS_BYTES);
        }

        /** Where in {@link #bytes} a block's payload starts. */
        private int locate(BlockHandle handle) {
            long at = handle.offset() - tailOffset;
            if (at < 0
                    || handle.storedBytes() < 0
                    || handle.storedBytes() > bytes.length
                    || at + handle.storedBytes() + BlockFrame.TRAILER_BYTES > bytes.length - Footer.BYTES) {
                throw new Corrupt("table " + table + ": a block of " + handle.storedBytes() + " bytes at offset "
                        + handle.offset() + " is not within the tail, which starts at " + tailOffset + "; "
                        + BlockFrame.REMEDY);
            }
            if (check) {
                BlockFrame.check(table, handle.offset(), bytes, (int) at, (int) handle.storedBytes());
            }
            return (int) at;
        }

        private Block block(BlockHandle handle) {
            int at = locate(handle);
            int storedBytes = (int) handle.storedBytes();
            if (BlockFrame.isPlain(bytes, at, storedBytes)) {
                return Block.of(table, handle.offset(), bytes, at, storedBytes);
            }
            byte[] raw = BlockFrame.open(table, handle.offset(), bytes, at, storedBytes);
            unpackedBytes += raw.length;
            return Block.of(table, handle.offset(), raw, 0, raw.length);
        }

        /** A block whose keys are names. */
        private Map<String, byte[]> names(BlockHandle handle) {
            Block block = block(handle);
            Map<String, byte[]> values = new TreeMap<>();
            byte[] b = block.bytes();
            byte[] name = new byte[0];
            int at = block.at();
            while (at < block.entriesEnd()) {
                int shared = Varint.int32(b, at);
                at = Varint.end(b, at);
                int unshared = Varint.int32(b, at);
                at = Varint.end(b, at);
                int length = Varint.int32(b, at);
                at = Varint.end(b, at);
                int end = block.entriesEnd();
                if (shared < 0
                        || shared > name.length
                        || unshared < 0
                        || unshared > end - at
                        || length < 0
                        || length > end - at - unshared) {
                    throw BlockFrame.damaged(table, handle.offset(), "does not parse", null);
                }
                name = Arrays.copyOf(name, shared + unshared);
                System.arraycopy(b, at, name, shared, unshared);
                at += unshared;
                values.put(new String(name, StandardCharsets.UTF_8), Arrays.copyOfRange(b, at, at + length));
                at += length;
            }
            return values;
        }
    }
}
