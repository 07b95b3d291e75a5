// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks.async;

import dev.disagg.benchmarks.JavaProcess;
import dev.disagg.benchmarks.Measure;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Rows of the counting pipeline with memory for a quarter of the state, and for all of it. */
final class SharedMemoryRows {
    private static final String HEAP = "-Xmx2g";
    private static final String LARGE_HEAP = "-Xmx8g";
    /** What a key's row takes in the store, about, with its entry of a map. */
    private static final long STORED_BYTES = 1120;

    private static final int STATE_TO_MEMORY = 4;
    private static final List<String> ALL_IN_MEMORY = List.of("--zipf=0.99", "--stateMemory=5GiB");
    private static final int HOT_ROUNDS = 3;
    private static final List<String> HOT =
            List.of("--keys=10000", "--payloadBytes=0", "--stateMemory=512MiB", "--warmUpSeconds=8", "--seconds=8");

    private SharedMemoryRows() {}

    /** The remote store, with 23 ms, against RocksDB on local disk with the same memory. */
    static List<Measure> zipf(Bed bed) throws IOException, InterruptedException {
        long memoryBytes = Math.max(1 << 20, bed.keys() * STORED_BYTES / STATE_TO_MEMORY);
        List<String> quarter = List.of("--zipf=0.99", "--stateMemory=" + (memoryBytes >> 10) + "KiB");
        List<String> far = new ArrayList<>(quarter);
        far.add("--stateLatency=23ms");
        Bed.Run ours = bed.restored("Zipf 0.99, memory for a quarter", JavaProcess.thisJava(), HEAP, far);
        Bed.Run memory = bed.fresh("Zipf 0.99, all in memory", JavaProcess.thisJava(), LARGE_HEAP, ALL_IN_MEMORY);
        Bed.note(String.format(
                Locale.ROOT,
                "Zipf 0.99, memory for a quarter: %.3f of the throughput with all in memory",
                ours.perSecond() / memory.perSecond()));
        Bed.Run rocks =
                bed.restored("Zipf 0.99, RocksDB on local disk", "rocksdb", JavaProcess.thisJava(), HEAP, quarter);
        return List.of(Measure.atLeast(1, "zipf-rocksdb", ours.perSecond() / rocks.perSecond(), "x"));
    }

    /** All in memory, nothing far away: what asynchronous execution costs. */
    static List<Measure> hot(Bed bed) throws IOException, InterruptedException {
        List<Double> on = new ArrayList<>();
        List<Double> off = new ArrayList<>();
        List<String> synchronous = new ArrayList<>(HOT);
        synchronous.add("--asyncState=off");
        for (int round = 1; round <= HOT_ROUNDS; round++) {
            on.add(bed.fresh("hot, asyncState=on", JavaProcess.thisJava(), HEAP, HOT)
                    .perSecond());
            off.add(bed.fresh("hot, asyncState=off", JavaProcess.thisJava(), HEAP, synchronous)
                    .perSecond());
        }
        return List.of(Measure.atLeast(0.95, "hot", HandOverRow.median(on) / HandOverRow.median(off), "x"));
    }
}
