// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks.jmh;

import dev.disagg.benchmarks.Measure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Row {@code admit} of {@code ./dev bench async}, and {@code ./dev bench state}: short runs, one process per operation. */
public final class Jmh {
    private static final int WARM_UPS = 4;
    private static final int ITERATIONS = 6;
    private static final int MILLIS = 700;
    private static final String ALLOCATED = "gc.alloc.rate.norm";

    /** An operation's cost. */
    private record Cost(double nanos, double allocatedBytes) {}

    private Jmh() {}

    /** @param options none are known */
    public static List<Measure> async(List<String> options) throws RunnerException {
        Map<String, Cost> costs = run(AdmitBenchmark.class, options);
        double inline = nanos(costs, "inline");
        return List.of(
                Measure.atMost(1.2, "admit-run-release", inline / nanos(costs, "guard"), "x"),
                Measure.atMost(2, "busy-key", nanos(costs, "busyKey") / inline, "x"),
                Measure.atMost(
                        0.1,
                        "admit-run-release-allocates",
                        cost(costs, "inline").allocatedBytes(),
                        "bytes"));
    }

    /** @param options none are known */
    public static List<Measure> state(List<String> options) throws RunnerException {
        List<Measure> measures = new ArrayList<>();
        Map<String, Cost> values = run(ValueBenchmark.class, options);
        measures.add(Measure.atLeast(40, "value-read", nanos(values, "rocksGet") / nanos(values, "cellRead"), "x"));
        Map<String, Cost> gets = run(PointGetBenchmark.class, options);
        measures.add(Measure.atLeast(2, "point-get", nanos(gets, "rocksGet") / nanos(gets, "tableGet"), "x"));
        return measures;
    }

    private static Map<String, Cost> run(Class<?> benchmark, List<String> options) throws RunnerException {
        if (!options.isEmpty()) {
            throw new IllegalArgumentException("'" + options.get(0) + "' is not an option of this benchmark");
        }
        Map<String, Cost> costs = new TreeMap<>();
        for (RunResult result : new Runner(new OptionsBuilder()
                        .include("^" + benchmark.getName().replace(".", "\\.") + "\\.")
                        .forks(1)
                        .warmupIterations(WARM_UPS)
                        .warmupTime(TimeValue.milliseconds(MILLIS))
                        .measurementIterations(ITERATIONS)
                        .measurementTime(TimeValue.milliseconds(MILLIS))
                        .timeUnit(TimeUnit.NANOSECONDS)
                        .addProfiler(GCProfiler.class)
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .run()) {
            String name = result.getParams().getBenchmark();
            name = name.substring(name.lastIndexOf('.') + 1);
            // The median of the iterations: a crowded machine spoils some.
            double nanos = result.getPrimaryResult().getStatistics().getPercentile(50);
            double bytes = result.getSecondaryResults().entrySet().stream()
                    .filter(entry -> entry.getKey().endsWith(ALLOCATED))
                    .mapToDouble(entry -> entry.getValue().getScore())
                    .findFirst()
                    .orElse(Double.NaN);
            System.out.printf(
                    "note: %s.%s: %.2f ns, %.2f bytes allocated%n", benchmark.getSimpleName(), name, nanos, bytes);
            costs.put(name, new Cost(nanos, bytes));
        }
        return costs;
    }

    private static Cost cost(Map<String, Cost> costs, String name) {
        Cost cost = costs.get(name);
        if (cost == null) {
            throw new IllegalStateException("nothing was measured for " + name + ", only for " + costs.keySet());
        }
        return cost;
    }

    private static double nanos(Map<String, Cost> costs, String name) {
        return cost(costs, name).nanos();
    }
}
