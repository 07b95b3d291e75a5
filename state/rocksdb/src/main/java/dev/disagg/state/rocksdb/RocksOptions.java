// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.rocksdb;

import dev.disagg.state.Family;
import java.util.concurrent.atomic.AtomicInteger;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompactionStyle;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.StringAppendOperator;
import org.rocksdb.WriteBufferManager;

/**
 * How all databases of a process are set up, and the memory that they share: one block cache, to which memtables are
 * charged too. Thread-safe.
 */
final class RocksOptions implements AutoCloseable {
    /** Of the memory, as the memtables of {@code disagg} have. */
    private static final double WRITE_BUFFERS = 0.4;

    private static final int BLOOM_BITS_PER_KEY = 10;
    private static final long BLOCK_BYTES = 8 << 10;
    private static final int HASH_BYTES = 8;
    private static final long SMALLEST_WRITE_BUFFER_BYTES = 64 << 10;
    private static final long LARGEST_WRITE_BUFFER_BYTES = 64 << 20;
    /** A memtable takes memory by the arena: it must be small where many memtables share little memory. */
    private static final long LARGEST_ARENA_BYTES = 64 << 10;

    private static final int BACKGROUND_JOBS = 2;
    /** Uploaded whole by each checkpoint. */
    private static final long MANIFEST_BYTES = 1 << 20;

    private final Handles handles;
    private final Cache cache;
    private final DBOptions database;
    private final ColumnFamilyOptions rows;
    private final ColumnFamilyOptions others;

    /** @param memoryBytes of block cache and memtables together, native */
    RocksOptions(long memoryBytes, AtomicInteger count) {
        this.handles = new Handles(count);
        long writeBuffersBytes = (long) (memoryBytes * WRITE_BUFFERS);
        this.cache = handles.own(new LRUCache(memoryBytes));
        WriteBufferManager writeBuffers = handles.own(new WriteBufferManager(writeBuffersBytes, cache));
        this.database = handles.own(new DBOptions())
                .setCreateIfMissing(true)
                .setCreateMissingColumnFamilies(true)
                .setWriteBufferManager(writeBuffers)
                .setMaxBackgroundJobs(BACKGROUND_JOBS)
                .setAvoidFlushDuringShutdown(true)
                .setMaxManifestFileSize(MANIFEST_BYTES)
                .setManifestPreallocationSize(BLOCK_BYTES)
                .setInfoLogLevel(InfoLogLevel.ERROR_LEVEL)
                .setKeepLogFileNum(1)
                .setStatsDumpPeriodSec(0);
        BloomFilter bloom = handles.own(new BloomFilter(BLOOM_BITS_PER_KEY));
        StringAppendOperator concatenation = handles.own(new StringAppendOperator(""));
        long writeBufferBytes =
                Math.max(SMALLEST_WRITE_BUFFER_BYTES, Math.min(LARGEST_WRITE_BUFFER_BYTES, writeBuffersBytes / 2));
        // A scan within one row asks the filter for the row's hash, a read for its whole key.
        this.rows = family(bloom, concatenation, writeBufferBytes).useFixedLengthPrefixExtractor(HASH_BYTES);
        this.others = family(bloom, concatenation, writeBufferBytes);
    }

    private ColumnFamilyOptions family(BloomFilter bloom, StringAppendOperator concatenation, long writeBufferBytes) {
        return handles.own(new ColumnFamilyOptions())
                .setMergeOperator(concatenation)
                .setCompressionType(CompressionType.LZ4_COMPRESSION)
                .setCompactionStyle(CompactionStyle.LEVEL)
                .setWriteBufferSize(writeBufferBytes)
                .setArenaBlockSize(Math.min(LARGEST_ARENA_BYTES, writeBufferBytes / 8))
                .setTableFormatConfig(new BlockBasedTableConfig()
                        .setBlockCache(cache)
                        .setBlockSize(BLOCK_BYTES)
                        .setFilterPolicy(bloom)
                        .setWholeKeyFiltering(true)
                        .setCacheIndexAndFilterBlocks(true)
                        .setCacheIndexAndFilterBlocksWithHighPriority(true)
                        .setPinL0FilterAndIndexBlocksInCache(true));
    }

    DBOptions database() {
        return database;
    }

    ColumnFamilyOptions of(Family family) {
        return family == Family.ROWS ? rows : others;
    }

    /** Bytes of blocks, and of memtables charged to the cache. */
    long usedBytes() {
        return cache.getUsage();
    }

    @Override
    public void close() {
        handles.close();
    }
}
