// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks.async;

import dev.disagg.benchmarks.JavaProcess;
import dev.disagg.benchmarks.Measure;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Rows of the counting pipeline over a store that is 23 ms away, with memory for a few of a hundred keys. */
final class ColdRows {
    private static final String HEAP = "-Xmx2g";
    private static final List<String> FAR = List.of("--stateLatency=23ms", "--stateMemory=32MB");
    private static final int SYNCHRONOUS_SECONDS = 60;
    private static final int DRAIN_SECONDS = 40;
    private static final int IN_FLIGHT_WARM_UP_SECONDS = 15;
    private static final int[] IN_FLIGHT = {64, 256, 1000};
    private static final double CPU_BOUND = 0.9;
    private static final double MOST_HIT_PERCENT = 5;
    private static final double MISS_SHARE = 0.05;

    private ColdRows() {}

    /** Against one element at a time; processor time of a cold element. */
    static List<Measure> cold(Bed bed) throws IOException, InterruptedException {
        Bed.Run on = asynchronous(bed);
        Bed.Run off = synchronous(bed);
        return List.of(
                Measure.atLeast(1000, "cold-count", on.perSecond() / off.perSecond(), "x"),
                Measure.atMost(
                        10,
                        "cold-count-cpu",
                        on.cpuNanos() / 1000 / (on.elements() * (1 - on.hitRate())),
                        "us/cold-read"),
                Measure.atMost(MOST_HIT_PERCENT, "cold-count-hits", on.hitRate() * 100, "%"));
    }

    /** Against in-flight / latency, the latency that of one read when there is no other. */
    static List<Measure> inFlight(Bed bed) throws IOException, InterruptedException {
        double latencySeconds = 1 / synchronous(bed).coldPerSecond();
        Bed.note(String.format(Locale.ROOT, "latency of a cold element alone: %.3f ms", latencySeconds * 1000));
        List<Measure> measures = new ArrayList<>();
        for (int bound : IN_FLIGHT) {
            Bed.Run run = bed.restored(
                    bound + " in flight",
                    JavaProcess.thisJava(),
                    HEAP,
                    with(
                            "--maxInFlightComputations=" + bound,
                            "--warmUpSeconds=" + IN_FLIGHT_WARM_UP_SECONDS,
                            "--warmUpElements=" + Bed.WARM_UP_ELEMENTS,
                            "--seconds=" + bed.seconds()));
            double ratio = run.coldPerSecond() / (bound / latencySeconds);
            Bed.note(String.format(
                    Locale.ROOT,
                    "%d in flight: ideal %.0f/s, of which %.3f; CPU-bound: %s",
                    bound,
                    bound / latencySeconds,
                    ratio,
                    run.result().get("machineBusy") >= CPU_BOUND ? "yes" : "no"));
            measures.add(Measure.atLeast(0.95, "in-flight-" + bound, ratio, "x"));
        }
        return measures;
    }

    /** Some elements read what nothing has fetched for them: against none, on platform and on virtual threads. */
    static List<Measure> misses(AsyncBench.Setting setting) throws IOException, InterruptedException {
        Bed bed = setting.bed();
        List<Measure> measures = new ArrayList<>();
        measures.add(misses(bed, "platform", JavaProcess.thisJava(), 0.5));
        Optional<Path> java = Java24.find(setting.java24());
        if (java.isPresent()) {
            measures.add(misses(bed, "virtual", java.get(), 0.85));
        } else {
            Bed.note("misses-virtual skipped: " + Java24.MISSING);
        }
        return measures;
    }

    private static Measure misses(Bed bed, String threads, Path java, double goal)
            throws IOException, InterruptedException {
        Bed.Run none = bed.restored("no misses, " + threads + " threads", java, HEAP, FAR);
        Bed.Run some =
                bed.restored("5 % misses, " + threads + " threads", java, HEAP, with("--missShare=" + MISS_SHARE));
        Bed.note(String.format(
                Locale.ROOT,
                "5 %% misses, %s threads: %.4f hand-overs per element",
                threads,
                some.result().get("handOvers") / some.elements()));
        return Measure.atLeast(goal, "misses-" + threads, some.perSecond() / none.perSecond(), "x");
    }

    /** A checkpoint each second: from when the task is to drain until all that was in flight is done. */
    static List<Measure> drain(Bed bed) throws IOException, InterruptedException {
        Bed.Run run = bed.restored(
                "a checkpoint each second",
                JavaProcess.thisJava(),
                HEAP,
                with("--checkpointInterval=1s", "--warmUpSeconds=20", "--seconds=" + DRAIN_SECONDS));
        Bed.note(String.format(Locale.ROOT, "%.0f drains", run.result().get("drains")));
        return List.of(Measure.atMost(150, "drain-p99", run.result().get("drainP99Nanos") / 1e6, "ms"));
    }

    private static Bed.Run asynchronous(Bed bed) throws IOException, InterruptedException {
        return bed.restored("6000 in flight", JavaProcess.thisJava(), HEAP, FAR);
    }

    private static Bed.Run synchronous(Bed bed) throws IOException, InterruptedException {
        return bed.restored(
                "--asyncState=off",
                JavaProcess.thisJava(),
                HEAP,
                with("--asyncState=off", "--warmUpSeconds=5", "--seconds=" + SYNCHRONOUS_SECONDS));
    }

    private static List<String> with(String... options) {
        List<String> all = new ArrayList<>(FAR);
        all.addAll(List.of(options));
        return all;
    }
}
