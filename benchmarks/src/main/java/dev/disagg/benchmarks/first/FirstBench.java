// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks.first;

import dev.disagg.benchmarks.Measure;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * {@code ./dev bench first [--rounds=3] [--events=1000000] [--seconds=60]}: both jobs on both runners in turn, {@code rounds}
 * times; medians. DirectRunner gets as many events as it does in about {@code seconds}, at most {@code events}.
 */
public final class FirstBench {
    private static final String HEAP = "-Xmx2g";
    private static final double LEAST_RATIO = 20;
    private static final double MOST_SUM_MICROS = 4;
    private static final int KEPT_LINES = 40;
    private static final long PROCESS_MINUTES = 15;

    private record Result(long events, long nanos, long coldEvents, long coldNanos) {
        double micros() {
            return nanos / 1000.0 / events;
        }

        double coldMicros() {
            return coldNanos / 1000.0 / coldEvents;
        }
    }

    private FirstBench() {}

    /** @param options as the class says */
    public static List<Measure> run(List<String> options) throws IOException, InterruptedException {
        int rounds = (int) option(options, "rounds", 3, 1);
        long events = option(options, "events", 1_000_000, Job.EVENTS_PER_KEY);
        long seconds = option(options, "seconds", 60, 1);
        if (events % Job.EVENTS_PER_KEY != 0) {
            throw new IllegalArgumentException("--events=" + events + " is not a multiple of " + Job.EVENTS_PER_KEY);
        }
        System.out.println("note: processes with " + HEAP + ", default options of both runners, " + Job.EVENTS_PER_KEY
                + " events per key");
        Map<Job, List<Result>> ours = new EnumMap<>(Job.class);
        Map<Job, List<Result>> direct = new EnumMap<>(Job.class);
        for (int round = 1; round <= rounds; round++) {
            for (Job job : Job.values()) {
                measure(ours, round, job, "disagg", events, seconds);
                measure(direct, round, job, "direct", events, seconds);
            }
        }
        List<Measure> measures = new ArrayList<>();
        for (Job job : Job.values()) {
            String name = job.name().toLowerCase(Locale.ROOT).replace('_', '-');
            double oursMicros = median(ours.getOrDefault(job, List.of()).stream()
                    .map(Result::micros)
                    .toList());
            double directMicros = median(direct.getOrDefault(job, List.of()).stream()
                    .map(Result::micros)
                    .toList());
            System.out.println(String.format(
                    Locale.ROOT,
                    "note: %s, median CPU us/event: disagg %.3f, direct %.3f; with the start of Java and without warm-up: disagg %.3f, direct %.3f (of its %d first events)",
                    name,
                    oursMicros,
                    directMicros,
                    median(ours.getOrDefault(job, List.of()).stream()
                            .map(Result::coldMicros)
                            .toList()),
                    median(direct.getOrDefault(job, List.of()).stream()
                            .map(Result::coldMicros)
                            .toList()),
                    direct.getOrDefault(job, List.of()).get(0).coldEvents()));
            measures.add(Measure.atLeast(LEAST_RATIO, name + "-cpu-ratio", directMicros / oursMicros, "x"));
            if (job == Job.KEYED_SUM) {
                measures.add(Measure.atMost(MOST_SUM_MICROS, name + "-cpu", oursMicros, "us/event"));
            }
        }
        return measures;
    }

    private static void measure(
            Map<Job, List<Result>> results, int round, Job job, String runner, long events, long seconds)
            throws IOException, InterruptedException {
        Result result = process(job, runner, events, seconds);
        results.computeIfAbsent(job, any -> new ArrayList<>()).add(result);
        System.out.println(String.format(
                Locale.ROOT,
                "note: round %d, %s, %s: %d events, %.3f CPU us/event; with the start of Java and without warm-up %.3f of %d",
                round,
                job,
                runner,
                result.events(),
                result.micros(),
                result.coldMicros(),
                result.coldEvents()));
    }

    /** As many processors as this process: the child inherits its limits. */
    private static Result process(Job job, String runner, long events, long seconds)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("--add-opens"))
                .forEach(command::add);
        command.addAll(List.of(HEAP, "-cp", System.getProperty("java.class.path"), FirstRun.class.getName()));
        command.addAll(List.of(runner, job.name(), Long.toString(events), Long.toString(seconds)));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.onExit().orTimeout(PROCESS_MINUTES, TimeUnit.MINUTES).exceptionally(tooLong -> {
            process.destroyForcibly();
            return process;
        });
        Deque<String> last = new ArrayDeque<>();
        Result result = null;
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("RESULT ")) {
                    String[] words = line.split(" ");
                    result = new Result(
                            Long.parseLong(words[1]),
                            Long.parseLong(words[2]),
                            Long.parseLong(words[3]),
                            Long.parseLong(words[4]));
                }
                last.add(line);
                if (last.size() > KEPT_LINES) {
                    last.remove();
                }
            }
        }
        if (process.waitFor() != 0 || result == null) {
            throw new IllegalStateException(job + " on " + runner + " failed, or took longer than " + PROCESS_MINUTES
                    + " minutes:\n" + String.join("\n", last));
        }
        return result;
    }

    private static long option(List<String> options, String name, long otherwise, long least) {
        String prefix = "--" + name + "=";
        for (String option : options) {
            if (!option.matches("--(rounds|events|seconds)=[0-9]{1,12}")) {
                throw new IllegalArgumentException("'" + option + "' is not one of --rounds=N --events=N --seconds=N");
            }
            if (option.startsWith(prefix)) {
                long value = Long.parseLong(option.substring(prefix.length()));
                if (value < least) {
                    throw new IllegalArgumentException(option + " is less than " + least);
                }
                return value;
            }
        }
        return otherwise;
    }

    private static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }
}
