// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import dev.disagg.ufs.Invalid;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Refuses, by name, tables with features that are not read here: met later they would look like damage, or be ignored. */
final class Features {
    private static final Map<String, String> REFUSED_BLOCKS = Map.of(
            "rocksdb.range_del", "range deletions",
            "rocksdb.compression_dict", "a compression dictionary",
            "partitionedfilter.rocksdb.BuiltinBloomFilter", "a partitioned filter");

    private Features() {}

    /**
     * Throws {@link Invalid} unless the table is one that is read here.
     *
     * @param metaindex names of the metaindex
     */
    static void check(String table, Set<String> metaindex, Map<String, byte[]> properties) {
        for (String name : metaindex) {
            String feature = REFUSED_BLOCKS.get(name);
            if (feature != null) {
                throw refused(table, feature);
            }
        }
        byte[] indexType = properties.get(TableProperties.INDEX_TYPE);
        int type = indexType != null && indexType.length == 4 ? Fixed.int32(indexType, 0) : -1;
        if (type != 0) {
            throw refused(
                    table,
                    switch (type) {
                        case 1 -> "a hash index";
                        case 2 -> "a partitioned index";
                        case 3 -> "an index with first keys";
                        default -> "an index of type " + type;
                    });
        }
        String comparator = text(properties, TableProperties.COMPARATOR);
        if (!TableProperties.BYTEWISE.equals(comparator)) {
            throw refused(table, "keys ordered by " + comparator);
        }
        if (number(properties, TableProperties.RANGE_DELETIONS) != 0) {
            throw refused(table, "range deletions");
        }
        byte[] seqno = properties.get(TableProperties.GLOBAL_SEQNO);
        if (seqno != null && (seqno.length != 8 || Fixed.int64(seqno, 0) != 0)) {
            throw refused(table, "a global sequence number");
        }
        if (number(properties, TableProperties.LARGEST_SEQNO) != 0) {
            throw refused(table, "sequence numbers");
        }
    }

    private static Invalid refused(String table, String feature) {
        return new Invalid("table " + table + " has " + feature + ", which is not read here: write it again without, "
                + "by a plain SstFileWriter with format_version 5 and a Bloom filter");
    }

    /** A property that is a varint; 0 when there is none. */
    static long number(Map<String, byte[]> properties, String name) {
        byte[] value = properties.get(name);
        return value == null ? 0 : Varint.int64(value, 0);
    }

    static @Nullable String text(Map<String, byte[]> properties, String name) {
        byte[] value = properties.get(name);
        return value == null ? null : new String(value, StandardCharsets.UTF_8);
    }
}
