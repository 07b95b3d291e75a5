// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionType;
import org.rocksdb.EnvOptions;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileReader;
import org.rocksdb.SstFileReaderIterator;
import org.rocksdb.SstFileWriter;
import org.rocksdb.StringAppendOperator;
import org.rocksdb.TickerType;

/** Stock RocksDB reads what is written here, and the other way round. */
class NativeTableTest {
    @TempDir
    Path directory;

    private static Options options() {
        // A merge operator always: a stock database that meets a merge entry without one ends the process.
        return new Options()
                .setCreateIfMissing(true)
                .setMergeOperator(new StringAppendOperator(""))
                .setTableFormatConfig(new BlockBasedTableConfig()
                        .setFormatVersion(5)
                        .setChecksumType(org.rocksdb.ChecksumType.kCRC32c)
                        .setFilterPolicy(new BloomFilter(10, false)));
    }

    private static TableOptions tableOptions(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return new TableOptions(
                64 << random.nextInt(10), Compression.values()[random.nextInt(3)], random.nextInt(8) == 0 ? 0 : 10);
    }

    private static int count(long seed) {
        return seed == 0 ? 1 : 1 << new SplittableRandom(seed).nextInt(18);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19})
    void stockReaderSeesWhatWasWritten(long seed) throws Exception {
        List<TableEntry> entries = RandomEntries.of(seed, count(seed));
        MemoryTable table = MemoryTable.of(tableOptions(seed), entries);
        Path file = directory.resolve("written.sst");
        Files.write(file, table.bytes());
        try (Options options = options();
                SstFileReader reader = new SstFileReader(options)) {
            reader.open(file.toString());
            reader.verifyChecksum();
            List<TableEntry> live = new ArrayList<>(entries);
            live.removeIf(entry -> entry.kind() == EntryKind.DELETE);
            List<TableEntry> seen = new ArrayList<>();
            try (ReadOptions read = new ReadOptions();
                    SstFileReaderIterator iterator = reader.newIterator(read)) {
                for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
                    seen.add(
                            new TableEntry(iterator.key(), live.get(seen.size()).kind(), iterator.value()));
                }
                iterator.status();
            }
            assertThat("seed " + seed, seen, equalTo(live));
            assertThat(reader.getTableProperties().getNumEntries(), is((long) entries.size()));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
    void stockDatabaseTakesTheFileIn(long seed) throws Exception {
        List<TableEntry> entries = RandomEntries.of(seed, count(seed));
        Path file = directory.resolve("written.sst");
        Files.write(file, MemoryTable.of(tableOptions(seed), entries).bytes());
        try (Options options = options();
                org.rocksdb.Statistics statistics = new org.rocksdb.Statistics();
                IngestExternalFileOptions ingest = new IngestExternalFileOptions()) {
            options.setStatistics(statistics);
            try (RocksDB db = RocksDB.open(options, directory.resolve("db").toString())) {
                db.ingestExternalFile(List.of(file.toString()), ingest);
                for (TableEntry entry : entries) {
                    byte[] expected = entry.kind() == EntryKind.DELETE ? null : entry.value();
                    assertThat("seed " + seed, db.get(entry.key()), equalTo(expected));
                }
                // The filter said maybe for every key that is there.
                assertThat(statistics.getTickerCount(TickerType.BLOOM_FILTER_USEFUL), is(0L));
                db.compactRange();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19})
    void stockWritersFileIsRead(long seed) throws Exception {
        List<TableEntry> entries = RandomEntries.of(seed, count(seed));
        Path file = directory.resolve("native.sst");
        writeNatively(seed, entries, file);
        byte[] bytes = Files.readAllBytes(file);
        TableInfo info =
                Table.inspect("native", MemoryTable.source(bytes), bytes.length).join();
        Table table = new MemoryTable(bytes, info).open();
        table.verify().join();
        assertThat("seed " + seed, MemoryTable.entries(table), equalTo(entries));
        for (TableEntry entry : entries) {
            assertThat("seed " + seed, table.get(entry.key()).join(), equalTo(entry));
        }
    }

    private static void writeNatively(long seed, List<TableEntry> entries, Path file) throws RocksDBException {
        SplittableRandom random = new SplittableRandom(seed);
        try (Options options = options();
                EnvOptions env = new EnvOptions()) {
            options.setCompressionType(new CompressionType[] {
                        CompressionType.NO_COMPRESSION,
                        CompressionType.LZ4_COMPRESSION,
                        CompressionType.LZ4HC_COMPRESSION,
                        CompressionType.ZSTD_COMPRESSION
                    }
                    [random.nextInt(4)]);
            options.setTableFormatConfig(new BlockBasedTableConfig()
                    .setFormatVersion(5)
                    .setChecksumType(org.rocksdb.ChecksumType.kCRC32c)
                    .setFilterPolicy(new BloomFilter(10, false))
                    .setBlockSize(64L << random.nextInt(10))
                    .setBlockRestartInterval(1 + random.nextInt(20))
                    .setIndexBlockRestartInterval(1 + random.nextInt(5))
                    .setDataBlockIndexType(
                            random.nextBoolean()
                                    ? org.rocksdb.DataBlockIndexType.kDataBlockBinaryAndHash
                                    : org.rocksdb.DataBlockIndexType.kDataBlockBinarySearch));
            try (SstFileWriter writer = new SstFileWriter(env, options)) {
                writer.open(file.toString());
                for (TableEntry entry : entries) {
                    switch (entry.kind()) {
                        case PUT -> writer.put(entry.key(), entry.value());
                        case DELETE -> writer.delete(entry.key());
                        case MERGE -> writer.merge(entry.key(), entry.value());
                    }
                }
                writer.finish();
            }
        }
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
