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
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One pass over a list of tests.
 *
 * @param outcomes one for each test of the list, in its order
 * @param seconds wall-clock seconds of the pass
 */
record SuiteRun(List<Outcome> outcomes, long seconds) {
    private static final int MOST_AGAIN = 10;
    private static final int ROUNDS_AGAIN = 2;
    private static final int AGAIN_LANE = 100;
    private static final int REAL_TIME_LANE = 200;
    private static final int WARM_UP = 3;

    SuiteRun {
        outcomes = List.copyOf(outcomes);
    }

    /**
     * Runs {@code suite} and writes its table, {@code conformance.tsv} or one named after the configuration, into the directory of the options: line by line while it
     * runs, in the order of the suite at the end.
     *
     * @param needs what some tests need
     * @param expected what fails once is not tried again
     * @param progress is told each outcome as it arrives, one at a time
     */
    static SuiteRun run(
            Suite suite, Needs needs, ExpectedFailures expected, ConformanceOptions options, Consumer<Outcome> progress)
            throws IOException, InterruptedException {
        long startNanos = System.nanoTime();
        Path directory = options.directory().resolve(options.configuration().passName());
        deleteAll(directory);
        Files.createDirectories(directory);
        Path table = options.directory().resolve(options.configuration().passName() + ".tsv");
        Map<String, Outcome> outcomes = new ConcurrentHashMap<>();
        Map<String, BeamTest> byName =
                suite.tests().stream().collect(Collectors.toMap(BeamTest::name, test -> test, (a, b) -> a));
        HandOvers.Judge judge = HandOvers.judge(options.configuration(), options.runner());
        try (OutcomeTable stream = OutcomeTable.create(table)) {
            Consumer<Outcome> sink = raw -> {
                Outcome outcome = judge.judged(byName.get(raw.test()), raw);
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
            List<BeamTest> timed = attempted.stream()
                    .filter(test -> needs.realTime(test)
                            && expected.reasonFor(test.name()).isEmpty())
                    .toList();
            attempted.removeAll(timed);
            runLanes(lanes(attempted, needs, options.jvms()), needs, options, directory, sink);
            int lane = REAL_TIME_LANE;
            for (BeamTest test : timed) {
                lane++;
                sink.accept(
                        new Lane(options, needs, directory, lane).attempt(test).outcome());
            }
            List<BeamTest> unexpected = attempted.stream()
                    .filter(test -> expected.reasonFor(test.name()).isEmpty())
                    .toList();
            runAgain(unexpected, outcomes, needs, options, directory, sink);
        }
        List<Outcome> inOrder =
                suite.tests().stream().map(test -> outcomes.get(test.name())).toList();
        OutcomeTable.write(table, inOrder);
        return new SuiteRun(inOrder, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNanos));
    }

    /**
     * Some of Beam's tests measure real time and fail when the machine is busy: what failed runs again by itself, at most twice. What
     * passes then counts as passed, and the table says that it failed first. When many fail it is not the machine. Before each, a few
     * others run that have passed: a JVM that has just begun is as slow as a busy machine. Those that are known to measure it are not among them: see {@link Attempts}.
     */
    private static void runAgain(
            List<BeamTest> attempted,
            Map<String, Outcome> outcomes,
            Needs needs,
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
                                        + first.get(outcome.test()).reason(),
                                outcome.counters())
                        : outcome);
        for (int round = 1; round <= ROUNDS_AGAIN; round++) {
            List<BeamTest> failed = attempted.stream()
                    .filter(test -> outcomes.get(test.name()).status() == Status.FAIL)
                    .filter(test -> !outcomes.get(test.name()).reason().startsWith("timed out"))
                    .toList();
            if (failed.isEmpty() || failed.size() > MOST_AGAIN) {
                return;
            }
            List<BeamTest> warmUp = attempted.stream()
                    .filter(test -> outcomes.get(test.name()).status() == Status.PASS)
                    .filter(test -> !needs.ownLane(test) && needs.options(test).isEmpty())
                    .limit(WARM_UP)
                    .toList();
            List<BeamTest> share = failed.stream()
                    .flatMap(test -> Stream.concat(warmUp.stream(), Stream.of(test)))
                    .toList();
            Set<String> names = failed.stream().map(BeamTest::name).collect(Collectors.toSet());
            new Lane(options, needs, directory, AGAIN_LANE + round).run(share, outcome -> {
                if (names.contains(outcome.test())) {
                    again.accept(outcome);
                }
            });
        }
    }

    /**
     * The shares of the lanes: first one for each test that needs a lane of its own, then the others. These are dealt out like cards, so that each lane runs the same ones
     * in the same order every time and long classes are shared.
     */
    private static List<List<BeamTest>> lanes(List<BeamTest> tests, Needs needs, int jvms) {
        List<List<BeamTest>> lanes = new ArrayList<>();
        tests.stream().filter(needs::ownLane).map(List::of).forEach(lanes::add);
        List<BeamTest> shared =
                tests.stream().filter(test -> !needs.ownLane(test)).toList();
        for (int lane = 0; lane < Math.min(jvms, shared.size()); lane++) {
            int first = lane;
            lanes.add(IntStream.range(0, shared.size())
                    .filter(index -> index % jvms == first)
                    .mapToObj(shared::get)
                    .toList());
        }
        return lanes;
    }

    private static void runLanes(
            List<List<BeamTest>> lanes, Needs needs, ConformanceOptions options, Path directory, Consumer<Outcome> sink)
            throws InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(Math.max(1, lanes.size()));
        try {
            List<Callable<Void>> work = new ArrayList<>();
            for (List<BeamTest> share : lanes) {
                int number = work.size() + 1;
                work.add(() -> {
                    new Lane(options, needs, directory, number).run(share, sink);
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
