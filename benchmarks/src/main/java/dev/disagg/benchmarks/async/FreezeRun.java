// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks.async;

import dev.disagg.state.ByteStore;
import dev.disagg.state.KeyRange;
import dev.disagg.state.cell.CellCodec;
import dev.disagg.state.cell.KeyEntry;
import dev.disagg.state.cell.KeyHash;
import dev.disagg.state.cell.TaskState;
import dev.disagg.state.cell.TaskStateOptions;
import dev.disagg.state.cell.ValueCell;
import dev.disagg.state.lsm.LsmBackend;
import dev.disagg.state.lsm.LsmOptions;
import dev.disagg.ufs.JobFiles;
import dev.disagg.ufs.ObjectStore;
import dev.disagg.ufs.ObjectStores;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.Pack;
import dev.disagg.ufs.Retries;
import dev.disagg.ufs.SystemThreads;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.apache.beam.sdk.coders.VarLongCoder;

/**
 * {@code FreezeRun URI}: a million values in memory, 50,000 of which change between two freezes of a task's state; prints how
 * long the freezes took. What is frozen is written behind, and the checkpoint sealed, before the next round.
 */
public final class FreezeRun {
    private static final int CELLS = 1_000_000;
    private static final int CHANGED = 50_000;
    private static final int WARM_UPS = 20;
    private static final int FREEZES = 100;
    private static final long SEED = 4;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final byte[] WINDOW = {};
    private static final long WINDOW_END = 1000;
    private static final long CACHE_BYTES = 2L << 30;
    private static final long STORE_BYTES = 256 << 20;

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

    private final TaskState state;
    private final JobFiles files;
    private final int cell;
    private final Longs codec = new Longs();
    private final byte[][] keys = new byte[CELLS][];
    private final SplittableRandom random = new SplittableRandom(SEED);
    /** Of the last freeze: what the thread did, without what it waited for a processor; and whether a collection began or ended in it. */
    private long cpuNanos;

    private boolean collectedMeanwhile;

    private FreezeRun(TaskState state, JobFiles files) {
        this.state = state;
        this.files = files;
        this.cell = state.cellId("step", "value");
    }

    /** @param args as the class says */
    public static void main(String[] args) {
        ObjectStore store = ObjectStores.open(args[0]);
        JobFiles files = JobFiles.open(store, "freeze", 1, "bench", Retries.none());
        LsmBackend backend =
                new LsmBackend(files, LsmOptions.ofStateMemory(STORE_BYTES), SystemThreads.pool("background", 4, 1000));
        TaskState state = TaskState.open(
                backend.open("freeze", KeyRange.ALL, List.of()).join(),
                TaskStateOptions.DEFAULT.withCacheBytes(CACHE_BYTES));
        FreezeRun run = new FreezeRun(state, files);
        run.fill();
        for (int i = 0; i < WARM_UPS; i++) {
            run.freeze(i);
        }
        long[] nanos = new long[FREEZES];
        long[] cpuNanos = new long[FREEZES];
        int collected = 0;
        for (int i = 0; i < FREEZES; i++) {
            nanos[i] = run.freeze(WARM_UPS + i);
            cpuNanos[i] = run.cpuNanos;
            collected += run.collectedMeanwhile ? 1 : 0;
        }
        Arrays.sort(nanos);
        Arrays.sort(cpuNanos);
        int cells = state.metrics().cachedKeys();
        System.out.println(String.format(
                Locale.ROOT,
                "RESULT freezes=%d cells=%d medianNanos=%d p99Nanos=%d maxNanos=%d collected=%d p99CpuNanos=%d",
                FREEZES,
                cells,
                nanos[FREEZES / 2],
                nanos[(int) Math.ceil(FREEZES * 0.99) - 1],
                nanos[FREEZES - 1],
                collected,
                cpuNanos[(int) Math.ceil(FREEZES * 0.99) - 1]));
        System.exit(cells == CELLS ? 0 : 1);
    }

    private void fill() {
        for (int i = 0; i < CELLS; i++) {
            keys[i] = ByteBuffer.allocate(16).putLong(i).putLong(~i).array();
            update(i);
        }
    }

    private void update(int number) {
        KeyEntry entry = state.key(KeyHash.of(keys[number]), keys[number]);
        ValueCell<Long> value = entry.row(WINDOW_END, WINDOW).value(cell, codec);
        value.write(random.nextLong());
        state.maintain();
    }

    private static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionCount)
                .sum();
    }

    /** Changes some cells and freezes; how long the freeze took. */
    private long freeze(long checkpoint) {
        for (int i = 0; i < CHANGED; i++) {
            update(random.nextInt(CELLS));
        }
        long collections = collections();
        long cpuBefore = THREADS.getCurrentThreadCpuTime();
        long start = System.nanoTime();
        ByteStore.Frozen frozen = state.freezeBriefly(checkpoint, WINDOW);
        long took = System.nanoTime() - start;
        cpuNanos = THREADS.getCurrentThreadCpuTime() - cpuBefore;
        collectedMeanwhile = collections() != collections;
        Pack pack = files.createPack();
        CompletableFuture<OwnerRecord> flushed = frozen.flush(pack);
        while (!flushed.isDone()) {
            // What was only marked is delivered between computations.
            state.maintain();
        }
        flushed.join();
        pack.seal().join();
        frozen.sealed();
        return took;
    }
}
