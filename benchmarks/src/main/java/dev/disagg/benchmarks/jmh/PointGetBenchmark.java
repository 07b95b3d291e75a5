// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks.jmh;

import dev.disagg.state.table.BlockCache;
import dev.disagg.state.table.EntryKind;
import dev.disagg.state.table.Lookup;
import dev.disagg.state.table.Table;
import dev.disagg.state.table.TableBuilder;
import dev.disagg.state.table.TableInfo;
import dev.disagg.state.table.TableOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.rocksdb.RocksDBException;

/** A get from one table of 200,000 entries whose blocks are in the cache: this reader against RocksJava, same keys, filter, block size and compression. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
public class PointGetBenchmark {
    private static final int ENTRIES = 200_000;
    private static final int VALUE_BYTES = 64;
    private static final int STEP = 7919;

    private final byte[][] keys = new byte[ENTRIES][];
    private int at;
    private Table table;
    private ScratchRocks rocks;

    private static byte[] key(int number) {
        return ByteBuffer.allocate(24)
                .putInt(number)
                .putLong(number * 31L)
                .putLong(number)
                .putInt(1)
                .array();
    }

    /** Writes the entries into both and reads each once. */
    @Setup(Level.Trial)
    public void write() throws IOException, RocksDBException {
        List<byte[]> entries = new ArrayList<>();
        for (int i = 0; i < ENTRIES; i++) {
            keys[i] = key(i);
            byte[] value = new byte[VALUE_BYTES];
            ByteBuffer.wrap(value).putLong(i * 0x9e3779b97f4a7c15L);
            entries.add(keys[i]);
            entries.add(value);
        }
        rocks = new ScratchRocks(entries);

        ByteArrayOutputStream out = new ByteArrayOutputStream();
        TableBuilder builder = new TableBuilder(TableOptions.DEFAULTS, part -> {
            byte[] copy = new byte[part.remaining()];
            part.get(copy);
            out.writeBytes(copy);
        });
        for (int i = 0; i < entries.size(); i += 2) {
            builder.add(entries.get(i), EntryKind.PUT, entries.get(i + 1));
        }
        TableInfo info = builder.finish();
        byte[] bytes = out.toByteArray();
        table = new Table(
                "benchmark",
                (offset, length) -> CompletableFuture.completedFuture(ByteBuffer.wrap(bytes, (int) offset, length)),
                info,
                new BlockCache(256 << 20, 64 << 20));
        for (byte[] key : keys) {
            if (table.get(key).join() == null || rocks.db.get(key) == null) {
                throw new IllegalStateException("an entry is missing");
            }
        }
    }

    /** Removes the scratch files. */
    @TearDown(Level.Trial)
    public void close() throws IOException {
        rocks.close();
    }

    private byte[] nextKey() {
        at = (at + STEP) % ENTRIES;
        return keys[at];
    }

    /** RocksJava. */
    @Benchmark
    public byte[] rocksGet() throws RocksDBException {
        return rocks.db.get(nextKey());
    }

    /** This project's reader. */
    @Benchmark
    public Lookup tableGet() {
        Lookup found = table.getIfResident(nextKey());
        if (found == null) {
            throw new IllegalStateException("a block left the cache");
        }
        return found;
    }
}
