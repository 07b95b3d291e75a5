// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks.async;

import dev.disagg.benchmarks.JavaProcess;
import dev.disagg.benchmarks.Measure;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/** The pause of a freeze while a million cells are in memory. */
final class FreezeRow {
    private static final long MINUTES = 5;

    private FreezeRow() {}

    static List<Measure> measure(Bed bed) throws IOException, InterruptedException {
        JavaProcess.Result result = JavaProcess.run(
                JavaProcess.thisJava(),
                List.of("-Xmx3g"),
                FreezeRun.class,
                List.of(bed.scratch().resolve("freeze").toUri().toString()),
                MINUTES,
                true);
        Bed.note(String.format(
                Locale.ROOT,
                "%.0f freezes with %.0f cells in memory: median %.2f ms, p99 %.2f ms, longest %.2f ms; CPU of the freezing thread p99 %.2f ms; a collection was in %.0f",
                result.get("freezes"),
                result.get("cells"),
                result.get("medianNanos") / 1e6,
                result.get("p99Nanos") / 1e6,
                result.get("maxNanos") / 1e6,
                result.get("p99CpuNanos") / 1e6,
                result.get("collected")));
        return List.of(Measure.atMost(5, "freeze-p99", result.get("p99Nanos") / 1e6, "ms"));
    }
}
