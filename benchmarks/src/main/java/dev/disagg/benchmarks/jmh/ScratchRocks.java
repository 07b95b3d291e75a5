// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks.jmh;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionType;
import org.rocksdb.FlushOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** A RocksDB in a scratch directory, all entries in one table, all blocks in its cache once they were read. */
final class ScratchRocks implements AutoCloseable {
    static {
        RocksDB.loadLibrary();
    }

    private static final long CACHE_BYTES = 256 << 20;

    private final Path directory;
    private final BloomFilter filter = new BloomFilter(10);
    private final LRUCache cache = new LRUCache(CACHE_BYTES);
    private final Options options;
    final RocksDB db;

    /** @param entries keys and values in turn */
    ScratchRocks(List<byte[]> entries) throws IOException, RocksDBException {
        directory = Files.createTempDirectory("disagg-bench-rocks");
        options = new Options()
                .setCreateIfMissing(true)
                .setCompressionType(CompressionType.LZ4_COMPRESSION)
                .setTableFormatConfig(new BlockBasedTableConfig()
                        .setBlockSize(8 << 10)
                        .setBlockCache(cache)
                        .setFilterPolicy(filter));
        db = RocksDB.open(options, directory.toString());
        for (int i = 0; i < entries.size(); i += 2) {
            db.put(entries.get(i), entries.get(i + 1));
        }
        try (FlushOptions flush = new FlushOptions().setWaitForFlush(true)) {
            db.flush(flush);
        }
        db.compactRange();
    }

    @Override
    public void close() throws IOException {
        db.close();
        options.close();
        cache.close();
        filter.close();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
