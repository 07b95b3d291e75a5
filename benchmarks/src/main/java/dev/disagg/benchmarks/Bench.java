// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks;

import dev.disagg.benchmarks.async.AsyncBench;
import dev.disagg.benchmarks.first.FirstBench;
import dev.disagg.benchmarks.jmh.Jmh;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * {@code ./dev bench NAME [--option=value...]}: prints the machine and the commit, then notes, then one line {@code BENCH
 * <name> <measure> <value> <unit> goal <goal> ok|short} per measure. Exits with 0 also when a goal is missed, with 1 when
 * a measurement fails, with 2 when it is not understood.
 */
public final class Bench {
    private interface Benchmark {
        List<Measure> run(List<String> options) throws Exception;
    }

    private static final Map<String, Benchmark> BENCHMARKS =
            new TreeMap<>(Map.of("first", FirstBench::run, "async", AsyncBench::run, "state", Jmh::state));

    private Bench() {}

    /** @param args the name of a benchmark and its options */
    public static void main(String[] args) throws Exception {
        Benchmark benchmark = args.length == 0 ? null : BENCHMARKS.get(args[0]);
        if (benchmark == null) {
            System.err.println("bench: " + (args.length == 0 ? "which one?" : "there is no benchmark '" + args[0] + "'")
                    + "; benchmarks: " + String.join(" ", BENCHMARKS.keySet()));
            System.exit(2);
            return;
        }
        Machine.lines().forEach(System.out::println);
        try {
            benchmark
                    .run(Arrays.asList(args).subList(1, args.length))
                    .forEach(measure -> System.out.println(measure.line(args[0])));
        } catch (IllegalArgumentException e) {
            System.err.println("bench " + args[0] + ": " + e.getMessage());
            System.exit(2);
        } catch (IllegalStateException e) {
            System.err.println("bench " + args[0] + ": " + e.getMessage());
            System.exit(1);
        }
    }
}
