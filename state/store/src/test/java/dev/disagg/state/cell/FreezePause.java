// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import dev.disagg.state.ByteStore;
import dev.disagg.state.KeyRange;
import dev.disagg.state.lsm.LsmBackend;
import dev.disagg.state.lsm.LsmOptions;
import dev.disagg.ufs.Pack;
import dev.disagg.ufs.testkit.MemoryUfs;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/**
 * Prints how long {@link TaskState#freeze} takes, and what a write costs, with many resident cells of which some are
 * updated between freezes. Not a test. Arguments: cells, updates between freezes, bound of dirty bytes, freezes.
 */
final class FreezePause {
    private static final java.lang.management.ThreadMXBean CPU =
            java.lang.management.ManagementFactory.getThreadMXBean();

    private FreezePause() {}

    public static void main(String[] arguments) {
        int cells = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1_000_000;
        int updates = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 50_000;
        long dirtyBytes =
                arguments.length > 2 ? Long.parseLong(arguments[2]) : TaskStateOptions.DEFAULT.maxDirtyBytes();
        int freezes = arguments.length > 3 ? Integer.parseInt(arguments[3]) : 60;
        boolean timers = arguments.length > 4 && arguments[4].equals("timers");
        ExecutorService background = Executors.newFixedThreadPool(1);
        MemoryUfs ufs = new MemoryUfs();
        LsmBackend backend = new LsmBackend(ufs, LsmOptions.ofStateMemory(256 << 20), background);
        ByteStore.Opened opened = backend.open("bench", KeyRange.ALL, List.of()).join();
        TaskState state = TaskState.open(opened, new TaskStateOptions(4L << 30, dirtyBytes, 16_384));
        int id = state.cellId("bench", "count");
        byte[][] keys = new byte[cells][];
        long[] hashes = new long[cells];
        for (int i = 0; i < cells; i++) {
            keys[i] = ("key-" + i).getBytes(java.nio.charset.StandardCharsets.UTF_8);
            hashes[i] = KeyHash.of(keys[i]);
            update(state, hashes[i], keys[i], id, timers);
        }
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(1);
        List<Long> pauses = new ArrayList<>();
        List<Long> cpus = new ArrayList<>();
        List<Long> writes = new ArrayList<>();
        for (int checkpoint = 1; checkpoint <= freezes; checkpoint++) {
            long begin = System.nanoTime();
            for (int i = 0; i < updates; i++) {
                int key = random.nextInt(cells);
                update(state, hashes[key], keys[key], id, timers);
                if (i % 64 == 0) {
                    state.maintain();
                }
            }
            long cpuBefore = CPU.getCurrentThreadCpuTime();
            long before = System.nanoTime();
            ByteStore.Frozen frozen = state.freezeBriefly(checkpoint, new byte[0]);
            long after = System.nanoTime();
            long cpu = CPU.getCurrentThreadCpuTime() - cpuBefore;
            if (checkpoint > freezes / 4) {
                pauses.add((after - before) / 1000);
                cpus.add(cpu / 1000);
                writes.add((before - begin) / updates);
            }
            Pack pack = ufs.createPack();
            var flushed = frozen.flush(pack);
            while (!flushed.isDone()) {
                state.maintain();
                Thread.onSpinWait();
            }
            flushed.join();
            pack.seal().join();
            frozen.sealed();
        }
        System.out.println("cells " + cells + ", updates " + updates + ", dirty bound " + dirtyBytes
                + ": freeze us p50 " + at(pauses, 50) + " p99 " + at(pauses, 99) + " max " + at(pauses, 100)
                + ", of which CPU p50 " + at(cpus, 50) + " p99 " + at(cpus, 99) + "; write ns p50 " + at(writes, 50));
        state.close();
        backend.close();
        background.shutdownNow();
    }

    private static void update(TaskState state, long hash, byte[] key, int id, boolean timers) {
        KeyEntry entry = state.key(hash, key);
        ValueCell<Long> cell = entry.globalRow().value(id, TestCodecs.LONG);
        Long before = cell.resident() ? cell.read() : null;
        cell.write(before == null ? 1L : before + 1);
    }

    private static long at(List<Long> values, int percent) {
        long[] sorted = values.stream().mapToLong(Long::longValue).sorted().toArray();
        return sorted[Math.min(sorted.length - 1, sorted.length * percent / 100)];
    }
}
