// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import dev.disagg.ufs.Invalid;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * Streams one table out. Keys come strictly ascending as unsigned bytes, each once. The same calls with the same options
 * give the same bytes. Memory: one block, 8 bytes per filter entry, and the index (about 2 % of the table).
 *
 * <p>Not thread-safe. After an exception the builder is of no use.
 */
public final class TableBuilder {
    /** Longest key. */
    public static final int MAX_KEY_BYTES = 1 << 20;
    /** Longest value. */
    public static final int MAX_VALUE_BYTES = 512 << 20;

    private static final int RESTART_INTERVAL = 16;
    private static final byte[] NOTHING = {};

    private final TableOptions options;
    private final Consumer<ByteBuffer> sink;
    private final BlockWriter data = new BlockWriter(RESTART_INTERVAL);
    private final IndexWriter index = new IndexWriter();
    private final BloomWriter bloom;
    private final CRC32C tailCrc = new CRC32C();
    private byte[] stored = new byte[0];
    private long offset;
    private long entries;
    private long deletes;
    private long merges;
    private long rawKeyBytes;
    private long rawValueBytes;
    private byte[] smallestKey = NOTHING;
    private boolean finished;
    private long rowHash;
    private boolean inRows;
    private boolean rowBegins;

    /**
     * @param sink takes the table's bytes in order; the buffer is valid during the call only. What it throws, {@link #add}
     *     and {@link #finish} throw
     */
    public TableBuilder(TableOptions options, Consumer<ByteBuffer> sink) {
        this.options = Objects.requireNonNull(options, "options is null");
        this.sink = Objects.requireNonNull(sink, "sink is null");
        this.bloom = new BloomWriter(options.bloomBitsPerKey());
    }

    /**
     * Appends an entry. The arrays are copied.
     *
     * @throws dev.disagg.ufs.Invalid when the key is not above the previous one, a length is over the limit, or a delete
     *     has a value
     */
    public void add(byte[] key, EntryKind kind, byte[] value) {
        add(key, 0, key.length, kind, value, 0, value.length);
    }

    /** As {@link #add(byte[], EntryKind, byte[])}, from parts of arrays: for compaction, which copies nothing. */
    public void add(
            byte[] key, int keyOffset, int keyLength, EntryKind kind, byte[] value, int valueOffset, int valueLength) {
        checkEntry(key, keyOffset, keyLength, kind, valueLength);
        if (entries == 0) {
            smallestKey = Arrays.copyOfRange(key, keyOffset, keyOffset + keyLength);
        }
        boolean full = isBlockFull(keyLength, valueLength);
        rowBegins = false;
        if (full && !data.isEmpty()) {
            endBlock(Separator.between(data.lastKeyArray(), lastKeyLength(), key, keyOffset, keyLength));
        }
        // Sequence number 0 and the kind.
        data.addInternal(key, keyOffset, keyLength, kind.code(), value, valueOffset, valueLength);
        if (options.bloomBitsPerKey() > 0) {
            bloom.addKey(Hash64.of(key, keyOffset, keyLength));
        }
        entries++;
        rawKeyBytes += keyLength + 8;
        rawValueBytes += valueLength;
        switch (kind) {
            case DELETE -> deletes++;
            case MERGE -> merges++;
            case PUT -> {}
        }
    }

    /**
     * Rows are read whole: one that began in a block may go on for a quarter of a block beyond its end, and the next one begins another block. Otherwise of
     * rows of 1 KiB one in four would be in two blocks of 4 KiB.
     */
    private boolean isBlockFull(int keyLength, int valueLength) {
        if (rowBegins) {
            return data.sizeBytes() >= options.blockBytes();
        }
        int most = inRows ? options.blockBytes() + options.blockBytes() / 4 : options.blockBytes();
        return data.sizeWithBytes(keyLength, valueLength) > most;
    }

    private void checkEntry(byte[] key, int keyOffset, int keyLength, EntryKind kind, int valueLength) {
        if (keyLength > MAX_KEY_BYTES || valueLength > MAX_VALUE_BYTES) {
            throw new Invalid("entry has a key of " + keyLength + " and a value of " + valueLength
                    + " bytes, the most are " + MAX_KEY_BYTES + " and " + MAX_VALUE_BYTES + ": store it in parts");
        }
        if (kind == EntryKind.DELETE && valueLength != 0) {
            throw new Invalid("a delete has a value of " + valueLength + " bytes: it must be empty");
        }
        if (entries > 0
                && Arrays.compareUnsigned(
                                data.lastKeyArray(), 0, lastKeyLength(), key, keyOffset, keyOffset + keyLength)
                        >= 0) {
            HexFormat hex = HexFormat.of();
            throw new Invalid("key " + hex.formatHex(key, keyOffset, keyOffset + keyLength) + " follows "
                    + hex.formatHex(data.lastKeyArray(), 0, lastKeyLength()) + ": keys must ascend");
        }
    }

    private int lastKeyLength() {
        return data.lastKeyLength() - 8;
    }

    /**
     * Adds something to the filter that is no key, such as a row's prefix, so that {@link Table#mayContain} answers for it.
     * Repeating the previous filter entry costs nothing.
     */
    public void addFilterEntry(byte[] prefix) {
        addFilterEntry(prefix, 0, prefix.length);
    }

    /** As {@link #addFilterEntry(byte[])}, from a part of an array: the prefix of a key without a copy. */
    public void addFilterEntry(byte[] bytes, int offset, int length) {
        if (options.bloomBitsPerKey() > 0) {
            bloom.addExtra(Hash64.of(bytes, offset, length));
        }
    }

    /**
     * Says which row the entries that follow are of: the filter answers for its prefix, and they are kept in one block when the row is small. Repeating the row costs
     * nothing.
     *
     * @param bytes has the row's prefix at {@code offset}
     */
    public void beginRow(byte[] bytes, int offset, int length) {
        long hash = Hash64.of(bytes, offset, length);
        if (inRows && hash == rowHash) {
            return;
        }
        inRows = true;
        rowBegins = true;
        rowHash = hash;
        if (options.bloomBitsPerKey() > 0) {
            bloom.addExtra(hash);
        }
    }

    /** Bytes given to the sink so far. */
    public long writtenBytes() {
        return offset;
    }

    /** About the size the table would have if finished now: what was written, the open block, filter and index. */
    public long estimatedBytes() {
        return offset + data.sizeBytes() + bloom.sizeBytes() + index.sizeBytes();
    }

    /** Entries added so far, filter entries not counted. */
    public long entries() {
        return entries;
    }

    /**
     * Writes the rest: last block, filter, index, properties, footer. Called once, last.
     *
     * @throws dev.disagg.ufs.Invalid when no entry was added
     */
    public TableInfo finish() {
        if (entries == 0) {
            throw new Invalid("a table has at least one entry: do not finish an empty one");
        }
        if (finished) {
            throw new Invalid("the table is finished already");
        }
        finished = true;
        byte[] largestKey = Arrays.copyOf(data.lastKeyArray(), lastKeyLength());
        endBlock(largestKey);
        long tailOffset = offset;
        BlockWriter metaindex = new BlockWriter(1);
        long filterBytes = 0;
        if (options.bloomBitsPerKey() > 0) {
            byte[] filter = bloom.finish();
            filterBytes = filter.length;
            addTo(metaindex, TableProperties.FULL_FILTER, writeTail(filter, filter.length));
        }
        byte[] indexBlock = index.finish();
        BlockHandle indexHandle = writeTail(indexBlock, indexBlock.length);
        BlockWriter properties = properties(tailOffset, filterBytes, indexHandle);
        addTo(metaindex, TableProperties.IN_METAINDEX, writeTail(properties.array(), properties.sizeBytes()));
        metaindex.finish();
        BlockHandle metaindexHandle = writeTail(metaindex.array(), metaindex.sizeBytes());
        byte[] footer = new Footer(metaindexHandle, indexHandle).encode();
        emitTail(footer, footer.length);
        return new TableInfo(
                offset, tailOffset, (int) tailCrc.getValue(), smallestKey, largestKey, entries, deletes, merges);
    }

    private void endBlock(byte[] separator) {
        data.finish();
        int length = seal(data.array(), data.sizeBytes(), options.compression());
        data.clear();
        index.add(separator, separator.length, offset, length - BlockFrame.TRAILER_BYTES);
        emit(stored, length);
        if (stored.length > 4L * options.blockBytes() + (1 << 20)) {
            stored = NOTHING;
        }
    }

    /** Blocks of the tail are never compressed: a reader uses them where they lie. */
    private BlockHandle writeTail(byte[] raw, int rawBytes) {
        BlockHandle handle = new BlockHandle(offset, rawBytes);
        int length = seal(raw, rawBytes, Compression.NONE);
        emitTail(stored, length);
        return handle;
    }

    private int seal(byte[] raw, int rawBytes, Compression compression) {
        int room = BlockFrame.roomBytes(rawBytes, compression);
        if (stored.length < room) {
            stored = new byte[room];
        }
        return BlockFrame.seal(raw, rawBytes, compression, stored);
    }

    private void emitTail(byte[] bytes, int length) {
        tailCrc.update(bytes, 0, length);
        emit(bytes, length);
    }

    private void emit(byte[] bytes, int length) {
        sink.accept(ByteBuffer.wrap(bytes, 0, length));
        offset += length;
    }

    private static void addTo(BlockWriter metaindex, String name, BlockHandle handle) {
        metaindex.add(name.getBytes(StandardCharsets.UTF_8), handle.encode());
    }

    /** What stock readers ask for, and nothing that depends on when or where the table was written. */
    private BlockWriter properties(long tailOffset, long filterBytes, BlockHandle indexHandle) {
        TableProperties properties = new TableProperties()
                .fixed32(TableProperties.INDEX_TYPE, 0)
                .text(TableProperties.WHOLE_KEY_FILTERING, "1")
                .text(TableProperties.PREFIX_FILTERING, "0")
                .text(TableProperties.COMPARATOR, TableProperties.BYTEWISE)
                .text(TableProperties.COMPRESSION, options.compression().propertyName())
                .number(TableProperties.DATA_SIZE, tailOffset)
                .number(TableProperties.DELETED_KEYS, deletes)
                .fixed64(TableProperties.GLOBAL_SEQNO, 0)
                .fixed32(TableProperties.EXTERNAL_VERSION, 2)
                .number(TableProperties.FILTER_SIZE, filterBytes)
                .number(TableProperties.FORMAT_VERSION, Footer.FORMAT_VERSION)
                .number(TableProperties.INDEX_KEY_IS_USER_KEY, 1)
                .number(TableProperties.INDEX_SIZE, indexHandle.storedBytes() + BlockFrame.TRAILER_BYTES)
                .number(TableProperties.INDEX_VALUE_IS_DELTA_ENCODED, 1)
                .number(TableProperties.LARGEST_SEQNO, 0)
                .number(TableProperties.SMALLEST_SEQNO, 0)
                .number(TableProperties.MERGE_OPERANDS, merges)
                .number(TableProperties.DATA_BLOCKS, index.count())
                .number(TableProperties.ENTRIES, entries)
                .number(TableProperties.FILTER_ENTRIES, bloom.count())
                .number(TableProperties.RANGE_DELETIONS, 0)
                .number(TableProperties.RAW_KEY_SIZE, rawKeyBytes)
                .number(TableProperties.RAW_VALUE_SIZE, rawValueBytes)
                .number(TableProperties.TAIL_START_OFFSET, tailOffset);
        if (options.bloomBitsPerKey() > 0) {
            properties.text(TableProperties.FILTER_POLICY, TableProperties.BLOOM_POLICY);
        }
        return properties.block();
    }
}
