// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.instanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.ufs.Invalid;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ChecksumType;
import org.rocksdb.CompressionType;
import org.rocksdb.EnvOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.IndexType;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.SstFileWriter;

/** Tables of other kinds are refused, and the refusal says what it is about. */
class FeaturesTest {
    static {
        RocksDB.loadLibrary();
    }

    @TempDir
    Path directory;

    private static BlockBasedTableConfig plain() {
        return new BlockBasedTableConfig()
                .setFormatVersion(5)
                .setChecksumType(ChecksumType.kCRC32c)
                .setFilterPolicy(new BloomFilter(10, false));
    }

    private Throwable refusal(BlockBasedTableConfig config, Consumer<Options> more) throws Exception {
        Path file = directory.resolve("native.sst");
        try (Options options = new Options()
                        .setCompressionType(CompressionType.LZ4_COMPRESSION)
                        .setTableFormatConfig(config);
                EnvOptions env = new EnvOptions()) {
            more.accept(options);
            try (SstFileWriter writer = new SstFileWriter(env, options)) {
                writer.open(file.toString());
                for (int i = 0; i < 2000; i++) {
                    writer.put(ByteBuffer.allocate(4).putInt(i).array(), new byte[50]);
                }
                writer.finish();
            }
        }
        return refusal(Files.readAllBytes(file));
    }

    private static Throwable refusal(byte[] bytes) {
        return assertThrows(CompletionException.class, () -> {
                    TableInfo info = Table.inspect("foreign", MemoryTable.source(bytes), bytes.length)
                            .join();
                    new MemoryTable(bytes, info).open().verify().join();
                })
                .getCause();
    }

    private static void assertRefused(Throwable refusal, String feature) {
        assertThat(refusal, instanceOf(Invalid.class));
        assertThat(refusal.getMessage(), containsString(feature));
        assertThat(refusal.getMessage(), containsString("foreign"));
    }

    @Test
    void partitionedIndexIsRefused() throws Exception {
        assertRefused(refusal(plain().setIndexType(IndexType.kTwoLevelIndexSearch), o -> {}), "partitioned index");
    }

    @Test
    void partitionedFilterIsRefused() throws Exception {
        assertRefused(
                refusal(plain().setIndexType(IndexType.kTwoLevelIndexSearch).setPartitionFilters(true), o -> {}),
                "partitioned filter");
    }

    @Test
    void otherFormatVersionsAreRefused() throws Exception {
        assertRefused(refusal(plain().setFormatVersion(6), o -> {}), "format_version 6");
        assertRefused(refusal(plain().setFormatVersion(4), o -> {}), "format_version 4");
    }

    @Test
    void otherChecksumsAreRefused() throws Exception {
        assertRefused(refusal(plain().setChecksumType(ChecksumType.kXXH3), o -> {}), "checksum type 4");
    }

    @Test
    void otherCompressionsAreRefused() throws Exception {
        assertRefused(refusal(plain(), o -> o.setCompressionType(CompressionType.SNAPPY_COMPRESSION)), "Snappy");
        assertRefused(refusal(plain(), o -> o.setCompressionType(CompressionType.ZLIB_COMPRESSION)), "zlib");
    }

    @Test
    void tableOfDatabaseWithSequenceNumbersIsRefused() throws Exception {
        Path home = directory.resolve("db");
        try (Options options = new Options().setCreateIfMissing(true).setTableFormatConfig(plain());
                RocksDB db = RocksDB.open(options, home.toString());
                FlushOptions flush = new FlushOptions()) {
            for (int i = 0; i < 10; i++) {
                db.put(new byte[] {(byte) i}, new byte[] {1});
            }
            db.flush(flush);
        }
        try (var files = Files.list(home)) {
            Path table = files.filter(file -> file.toString().endsWith(".sst"))
                    .findFirst()
                    .orElseThrow();
            assertRefused(refusal(Files.readAllBytes(table)), "sequence number");
        }
    }

    @Test
    void featuresThatOnlyMetadataShowsAreRefused() {
        Map<String, byte[]> good = new TreeMap<>();
        good.put(TableProperties.INDEX_TYPE, new byte[4]);
        good.put(TableProperties.COMPARATOR, TableProperties.BYTEWISE.getBytes());
        Features.check("foreign", Set.of(), good);
        assertRefused(
                assertThrows(Invalid.class, () -> Features.check("foreign", Set.of("rocksdb.compression_dict"), good)),
                "compression dictionary");
        assertRefused(
                assertThrows(Invalid.class, () -> Features.check("foreign", Set.of("rocksdb.range_del"), good)),
                "range deletions");
        Map<String, byte[]> reversed = new TreeMap<>(good);
        reversed.put(TableProperties.COMPARATOR, "rocksdb.ReverseBytewiseComparator".getBytes());
        assertRefused(assertThrows(Invalid.class, () -> Features.check("foreign", Set.of(), reversed)), "Reverse");
        Map<String, byte[]> global = new TreeMap<>(good);
        global.put(TableProperties.GLOBAL_SEQNO, new byte[] {1, 0, 0, 0, 0, 0, 0, 0});
        assertRefused(
                assertThrows(Invalid.class, () -> Features.check("foreign", Set.of(), global)),
                "global sequence number");
    }

    @Test
    void blockWithKeysAndValuesApartIsRefused() {
        byte[] block = new byte[12];
        Fixed.putInt32(block, 8, 1 | 1 << 28);
        assertRefused(assertThrows(Invalid.class, () -> Block.of("foreign", 0, block, 0, 12)), "apart");
        Fixed.putInt32(block, 8, 1 | 1 << 30);
        assertRefused(assertThrows(Invalid.class, () -> Block.of("foreign", 0, block, 0, 12)), "unknown layout");
    }
}
