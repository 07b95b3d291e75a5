// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks.jmh;

import dev.disagg.state.KeyRange;
import dev.disagg.state.cell.CellCodec;
import dev.disagg.state.cell.KeyHash;
import dev.disagg.state.cell.Row;
import dev.disagg.state.cell.TaskState;
import dev.disagg.state.cell.TaskStateOptions;
import dev.disagg.state.cell.ValueCell;
import dev.disagg.state.heap.HeapBackend;
import dev.disagg.ufs.JobFiles;
import dev.disagg.ufs.ObjectStores;
import dev.disagg.ufs.Retries;
import dev.disagg.ufs.UnifiedFileSystem;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.rocksdb.RocksDBException;

/**
 * Reading one of 10,000 values that are in memory. The cell's row is at hand, as it is for a DoFn that is processing an element of the
 * key; RocksJava looks its key up and decodes, as the state of a DoFn over RocksDB does.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
public class ValueBenchmark {
    private static final int KEYS = 10_000;
    private static final int STEP = 7919;
    private static final byte[] WINDOW = {};

    private final byte[][] keys = new byte[KEYS][];
    private final Row[] rows = new Row[KEYS];
    private final Longs codec = new Longs();
    private int at;
    private int cell;
    private TaskState state;
    private ScratchRocks rocks;

    private static final class Longs implements CellCodec<Long> {
        private final VarLongCoder coder = VarLongCoder.of();

        @Override
        public void encode(Long value, OutputStream out) throws IOException {
            coder.encode(value, out);
        }

        @Override
        public Long decode(InputStream in) throws IOException {
            return coder.decode(in);
        }

        @Override
        public boolean immutable() {
            return true;
        }
    }

    /** Writes the values into both. */
    @Setup(Level.Trial)
    public void write() throws IOException, RocksDBException {
        UnifiedFileSystem files =
                JobFiles.open(ObjectStores.open("memory://benchmark"), "benchmark", 1, "benchmark", Retries.none());
        state = TaskState.open(
                new HeapBackend(files, Runnable::run)
                        .open("benchmark", KeyRange.ALL, List.of())
                        .join(),
                TaskStateOptions.DEFAULT);
        cell = state.cellId("step", "value");
        List<byte[]> entries = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            keys[i] = ByteBuffer.allocate(16).putInt(i).putInt(1).putLong(i).array();
            var entry = state.key(KeyHash.of(keys[i]), keys[i]);
            entry.pin();
            rows[i] = entry.row(1000, WINDOW);
            rows[i].value(cell, codec).write(i * 1000L);
            entries.add(keys[i]);
            java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
            codec.encode(i * 1000L, out);
            entries.add(out.toByteArray());
        }
        rocks = new ScratchRocks(entries);
    }

    /** Removes the scratch files. */
    @TearDown(Level.Trial)
    public void close() throws IOException {
        rocks.close();
    }

    private int next() {
        at = (at + STEP) % KEYS;
        return at;
    }

    /** A cell in memory. */
    @Benchmark
    public Long cellRead() {
        ValueCell<Long> value = rows[next()].value(cell, codec);
        if (!value.resident()) {
            throw new IllegalStateException("a cell left memory");
        }
        return value.read();
    }

    /** RocksJava, and decoding. */
    @Benchmark
    public Long rocksGet() throws RocksDBException, IOException {
        return codec.decode(new ByteArrayInputStream(rocks.db.get(keys[next()])));
    }
}
