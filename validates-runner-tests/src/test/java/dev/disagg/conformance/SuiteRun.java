// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import dev.disagg.conformance.Outcome.Status;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One pass over a list of tests.
 *
 * @param outcomes one for each test of the list, in its order
 * @param seconds wall-clock seconds of the pass
 * @param counters what the pipelines reported about delayed reads; empty unless the pass was a delayed one
 */
record SuiteRun(List<Outcome> outcomes, long seconds, List<DelayCounters> counters) {
    private static final int MOST_AGAIN = 10;
    private static final int ROUNDS_AGAIN = 2;

    SuiteRun {
        outcomes = List.copyOf(outcomes);
        counters = List.copyOf(counters);
    }

    /**
     * Runs {@code suite} and writes {@code conformance.tsv} (or {@code conformance-delayed.tsv}) into the directory of the options: line by line while it runs, in the
     * order of the suite at the end.
     *
     * @param progress is told each outcome as it arrives, one at a time
     */
    static SuiteRun run(Suite suite, ConformanceOptions options, Consumer<Outcome> progress)
            throws IOException, InterruptedException {
        long startNanos = System.nanoTime();
        Path directory = options.directory().resolve(options.passName());
        deleteAll(directory);
        Files.createDirectories(directory);
        Path table = options.directory().resolve(options.passName() + ".tsv");
        Map<String, Outcome> outcomes = new ConcurrentHashMap<>();
        try (OutcomeTable stream = OutcomeTable.create(table)) {
            Consumer<Outcome> sink = outcome -> {
                synchronized (stream) {
                    outcomes.put(outcome.test(), outcome);
                    stream.append(outcome);
                    progress.accept(outcome);
                }
            };
            List<BeamTest> attempted = new ArrayList<>();
            for (BeamTest test : suite.tests()) {
                test.skipReason()
                        .ifPresentOrElse(
                                reason -> sink.accept(new Outcome(test.name(), Status.SKIP, 0, reason)),
                                () -> attempted.add(test));
            }
            runLanes(attempted, options, directory, sink);
            runAgain(attempted, outcomes, options, directory, sink);
        }
        List<Outcome> inOrder =
                suite.tests().stream().map(test -> outcomes.get(test.name())).toList();
        OutcomeTable.write(table, inOrder);
        List<DelayCounters> counters = options.delayedSeed().isPresent() ? DelayCounters.readAll(directory) : List.of();
        return new SuiteRun(inOrder, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNanos), counters);
    }

    /**
     * Some of Beam's tests measure real time and fail when the machine is busy: what failed runs again by itself, at most twice. What
     * passes then counts as passed, and the table says that it failed first. When many fail it is not the machine.
     */
    private static void runAgain(
            List<BeamTest> attempted,
            Map<String, Outcome> outcomes,
            ConformanceOptions options,
            Path directory,
            Consumer<Outcome> sink)
            throws IOException, InterruptedException {
        Map<String, Outcome> first = new HashMap<>(outcomes);
        Consumer<Outcome> again = outcome -> sink.accept(
                outcome.status() == Status.PASS
                        ? new Outcome(
                                outcome.test(),
                                Status.PASS,
                                outcome.millis(),
                                "passed alone; failed first: "
                                        + first.get(outcome.test()).reason())
                        : outcome);
        for (int round = 1; round <= ROUNDS_AGAIN; round++) {
            List<BeamTest> failed = attempted.stream()
                    .filter(test -> outcomes.get(test.name()).status() == Status.FAIL)
                    .filter(test -> !outcomes.get(test.name()).reason().startsWith("timed out"))
                    .toList();
            if (failed.isEmpty() || failed.size() > MOST_AGAIN) {
                return;
            }
            new Lane(options, directory, options.jvms() + round).run(failed, again);
        }
    }

    /** Deals the tests out like cards, so that each lane runs the same ones in the same order every time and long classes are shared. */
    private static void runLanes(
            List<BeamTest> tests, ConformanceOptions options, Path directory, Consumer<Outcome> sink)
            throws InterruptedException {
        int lanes = Math.max(1, Math.min(options.jvms(), tests.size()));
        ExecutorService threads = Executors.newFixedThreadPool(lanes);
        try {
            List<Callable<Void>> work = new ArrayList<>();
            for (int lane = 0; lane < lanes; lane++) {
                int number = lane;
                List<BeamTest> share = IntStream.range(0, tests.size())
                        .filter(index -> index % lanes == number)
                        .mapToObj(tests::get)
                        .toList();
                work.add(() -> {
                    new Lane(options, directory, number + 1).run(share, sink);
                    return null;
                });
            }
            for (Future<Void> lane : threads.invokeAll(work)) {
                lane.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException(
                    "the run of Beam's tests stopped: " + e.getCause().getMessage(), e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }

    private static void deleteAll(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (UncheckedIOException e) {
            throw new IOException("cannot delete the results of the run before: " + directory, e);
        }
    }
}
