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

/** Hand-over and resume on virtual threads against platform threads, both on one Java of version 24 or later. */
final class HandOverRow {
    private static final int ROUNDS = 3;
    private static final long MINUTES = 3;

    private HandOverRow() {}

    static List<Measure> measure(AsyncBench.Setting setting) throws IOException, InterruptedException {
        Optional<Path> java = Java24.find(setting.java24());
        if (java.isEmpty()) {
            Bed.note("hand-over skipped: " + Java24.MISSING);
            return List.of();
        }
        List<Double> platform = new ArrayList<>();
        List<Double> virtual = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            platform.add(nanos(java.get(), "platform"));
            virtual.add(nanos(java.get(), "virtual"));
        }
        return List.of(Measure.atMost(0.4, "hand-over", median(virtual) / median(platform), "x"));
    }

    private static double nanos(Path java, String threads) throws IOException, InterruptedException {
        JavaProcess.Result result =
                JavaProcess.run(java, List.of("-Xmx512m"), HandOverRun.class, List.of(threads), MINUTES, true);
        Bed.note(String.format(
                Locale.ROOT,
                "hand-over and resume, %s threads: %.0f ns, %.0f ns of CPU",
                threads,
                result.get("nanos"),
                result.get("cpuNanos")));
        return result.get("nanos");
    }

    static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }
}
