// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks.async;

import dev.disagg.benchmarks.JavaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Where the rows of one run of the benchmark are measured: a scratch directory with the checkpoint that a first process wrote, once
 * per backend, and of which each measured process restores a copy (of hard links: objects never change).
 */
final class Bed implements AutoCloseable {
    private static final String JOB = "count";
    private static final long MINUTES = 20;
    /** So that also on a crowded machine the compiler is done with what is measured. */
    static final int WARM_UP_ELEMENTS = 500_000;

    private final Path scratch;
    private final int keys;
    private final int seconds;
    private final int warmUpSeconds;
    private final Map<String, Path> loaded = new HashMap<>();
    private final Map<List<String>, Run> runs = new HashMap<>();
    private int copies;

    /** One measured process. */
    record Run(JavaProcess.Result result) {
        double elements() {
            return result.get("elements");
        }

        double perSecond() {
            return elements() / result.get("nanos") * 1e9;
        }

        /** Share of the elements that waited for no state. */
        double hitRate() {
            return result.get("inline") / Math.max(1, elements());
        }

        double coldPerSecond() {
            return perSecond() * (1 - hitRate());
        }

        double cpuNanos() {
            return result.get("cpuNanos");
        }

        double coresUsed() {
            return cpuNanos() / result.get("nanos");
        }

        String text() {
            return String.format(
                    Locale.ROOT,
                    "%.0f elements/s, %.2f us of CPU per element, hit rate %.2f %%, %.2f requests per element, own CPU %.2f"
                            + " processors, machine busy %.1f %%, garbage collection %.0f ms",
                    perSecond(),
                    cpuNanos() / 1000 / elements(),
                    hitRate() * 100,
                    result.get("reads") / elements(),
                    coresUsed(),
                    result.get("machineBusy") * 100,
                    result.get("gcMillis"));
        }
    }

    /** @param parent of the scratch directory: where its files are in memory, no disk takes part in what is measured */
    Bed(Path parent, int keys, int warmUpSeconds, int seconds) throws IOException {
        this.scratch = Files.createTempDirectory(parent, "disagg-bench-async-");
        this.keys = keys;
        this.warmUpSeconds = warmUpSeconds;
        this.seconds = seconds;
    }

    int keys() {
        return keys;
    }

    int seconds() {
        return seconds;
    }

    Path scratch() {
        return scratch;
    }

    /** A run that restores the loaded checkpoint; the same one again when it was made before. */
    Run restored(String what, Path java, String heap, List<String> options) throws IOException, InterruptedException {
        return restored(what, "disagg", java, heap, options);
    }

    Run restored(String what, String backend, Path java, String heap, List<String> options)
            throws IOException, InterruptedException {
        List<String> key = new ArrayList<>(options);
        key.addAll(List.of(backend, java.toString(), heap));
        Run known = runs.get(key);
        if (known != null) {
            return known;
        }
        Path copy = copy(load(backend));
        try {
            List<String> arguments = new ArrayList<>(List.of(
                    "--stateUri=" + copy.toUri(), "--jobName=" + JOB, "--stateBackend=" + backend, "--restore=latest"));
            arguments.addAll(options);
            Run run = measure(what, java, heap, arguments);
            runs.put(key, run);
            return run;
        } finally {
            delete(copy);
        }
    }

    /** A run that starts from nothing. */
    Run fresh(String what, Path java, String heap, List<String> options) throws IOException, InterruptedException {
        Path directory = Files.createDirectory(scratch.resolve("fresh-" + ++copies));
        try {
            List<String> arguments = new ArrayList<>(List.of("--stateUri=" + directory.toUri(), "--fresh=true"));
            arguments.addAll(options);
            return measure(what, java, heap, arguments);
        } finally {
            delete(directory);
        }
    }

    private Run measure(String what, Path java, String heap, List<String> options)
            throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of("measure", "--parallelism=1"));
        if (options.stream().noneMatch(option -> option.startsWith("--keys="))) {
            arguments.add("--keys=" + keys);
        }
        if (options.stream().noneMatch(option -> option.startsWith("--seconds="))) {
            arguments.addAll(List.of(
                    "--warmUpSeconds=" + warmUpSeconds,
                    "--warmUpElements=" + WARM_UP_ELEMENTS,
                    "--seconds=" + seconds));
        }
        if (options.stream().noneMatch(option -> option.startsWith("--checkpointInterval="))) {
            arguments.add("--checkpointInterval=off");
        }
        arguments.addAll(options);
        Run run = new Run(JavaProcess.run(java, List.of(heap), CountRun.class, arguments, MINUTES, true));
        note(what + ": " + run.text());
        note(what + ", CPU us per element by thread: " + run.result().threads());
        return run;
    }

    /** The checkpoint of all keys counted once. */
    private Path load(String backend) throws IOException, InterruptedException {
        Path made = loaded.get(backend);
        if (made != null) {
            return made;
        }
        Path directory = Files.createDirectory(scratch.resolve("loaded-" + backend));
        long start = System.nanoTime();
        JavaProcess.run(
                JavaProcess.thisJava(),
                List.of("-Xmx4g"),
                CountRun.class,
                List.of(
                        "load",
                        "--stateUri=" + directory.toUri(),
                        "--jobName=" + JOB,
                        "--stateBackend=" + backend,
                        "--stateMemory=2GB",
                        "--parallelism=1",
                        "--checkpointInterval=1h",
                        "--keys=" + keys),
                MINUTES,
                false);
        note(String.format(
                Locale.ROOT,
                "a first process wrote %d keys (%s) and a checkpoint in %.0f s",
                keys,
                backend,
                (System.nanoTime() - start) / 1e9));
        loaded.put(backend, directory);
        return directory;
    }

    private Path copy(Path from) throws IOException {
        Path to = scratch.resolve("copy-" + ++copies);
        try (Stream<Path> all = Files.walk(from)) {
            for (Path path : (Iterable<Path>) all::iterator) {
                Path target = to.resolve(from.relativize(path).toString());
                if (Files.isDirectory(path)) {
                    Files.createDirectories(target);
                } else {
                    Files.createLink(target, path);
                }
            }
        }
        return to;
    }

    static void note(String text) {
        System.out.println("note: " + text);
    }

    static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : (Iterable<Path>) all.sorted(Comparator.reverseOrder())::iterator) {
                Files.deleteIfExists(path);
            }
        }
    }

    @Override
    public void close() throws IOException {
        delete(scratch);
    }
}
