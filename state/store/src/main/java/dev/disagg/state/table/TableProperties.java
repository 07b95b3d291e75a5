// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.nio.charset.StandardCharsets;
import java.util.SortedMap;
import java.util.TreeMap;

/** Names and values of the properties block, and the names in the metaindex. All are RocksDB's. */
final class TableProperties {
    static final String IN_METAINDEX = "rocksdb.properties";
    static final String FULL_FILTER = "fullfilter.rocksdb.BuiltinBloomFilter";

    static final String INDEX_TYPE = "rocksdb.block.based.table.index.type";
    static final String WHOLE_KEY_FILTERING = "rocksdb.block.based.table.whole.key.filtering";
    static final String PREFIX_FILTERING = "rocksdb.block.based.table.prefix.filtering";
    static final String COMPARATOR = "rocksdb.comparator";
    static final String COMPRESSION = "rocksdb.compression";
    static final String DATA_SIZE = "rocksdb.data.size";
    static final String DELETED_KEYS = "rocksdb.deleted.keys";
    static final String GLOBAL_SEQNO = "rocksdb.external_sst_file.global_seqno";
    static final String EXTERNAL_VERSION = "rocksdb.external_sst_file.version";
    static final String FILTER_POLICY = "rocksdb.filter.policy";
    static final String FILTER_SIZE = "rocksdb.filter.size";
    static final String FORMAT_VERSION = "rocksdb.format.version";
    static final String INDEX_KEY_IS_USER_KEY = "rocksdb.index.key.is.user.key";
    static final String INDEX_SIZE = "rocksdb.index.size";
    static final String INDEX_VALUE_IS_DELTA_ENCODED = "rocksdb.index.value.is.delta.encoded";
    static final String LARGEST_SEQNO = "rocksdb.key.largest.seqno";
    static final String SMALLEST_SEQNO = "rocksdb.key.smallest.seqno";
    static final String MERGE_OPERANDS = "rocksdb.merge.operands";
    static final String DATA_BLOCKS = "rocksdb.num.data.blocks";
    static final String ENTRIES = "rocksdb.num.entries";
    static final String FILTER_ENTRIES = "rocksdb.num.filter_entries";
    static final String RANGE_DELETIONS = "rocksdb.num.range-deletions";
    static final String RAW_KEY_SIZE = "rocksdb.raw.key.size";
    static final String RAW_VALUE_SIZE = "rocksdb.raw.value.size";
    static final String TAIL_START_OFFSET = "rocksdb.tail.start.offset";

    static final String BYTEWISE = "leveldb.BytewiseComparator";
    static final String BLOOM_POLICY = "bloomfilter";

    private final SortedMap<String, byte[]> values = new TreeMap<>();

    /** A count or size, as a varint. */
    TableProperties number(String name, long value) {
        values.put(name, Varint.of(value));
        return this;
    }

    TableProperties fixed32(String name, int value) {
        byte[] bytes = new byte[4];
        Fixed.putInt32(bytes, 0, value);
        values.put(name, bytes);
        return this;
    }

    TableProperties fixed64(String name, long value) {
        byte[] bytes = new byte[8];
        Fixed.putInt64(bytes, 0, value);
        values.put(name, bytes);
        return this;
    }

    TableProperties text(String name, String value) {
        values.put(name, value.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    /** The block. */
    BlockWriter block() {
        BlockWriter block = new BlockWriter(1);
        values.forEach((name, value) -> block.add(name.getBytes(StandardCharsets.UTF_8), value));
        block.finish();
        return block;
    }
}
