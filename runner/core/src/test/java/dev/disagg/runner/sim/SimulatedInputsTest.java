// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.greaterThan;

import dev.disagg.async.sim.Simulation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Elements that wait before they are let in, for a side input or for a checkpoint, in whole tasks, in the simulation: each
 * key sees its elements in their order, once, and the end of a window after all of them, whatever waits, fails and is
 * restored. {@code ./dev sim SEED} replays one program of each kind.
 */
class SimulatedInputsTest {
    private static final Long ONE_SEED = Long.getLong("disagg.sim.seed");
    private static final int PROGRAMS = Integer.getInteger("disagg.sim.inputs", 400);
    private static final long MAX_STEPS = 10_000;

    private long restores;

    @ParameterizedTest
    @EnumSource
    void everyKeySeesItsElementsInOrderWhateverTheyWaitFor(DigestProgram.Kind kind) {
        if (ONE_SEED != null) {
            run(ONE_SEED, kind);
            return;
        }
        for (long seed = 1; seed <= PROGRAMS; seed++) {
            run(seed, kind);
        }
        assertThat("restores", restores, greaterThan(PROGRAMS / 5L));
    }

    @Test
    void aTimerOfStableInputComesAgainAtItsPlaceAmongTheElementsOfItsKey() {
        run(31, DigestProgram.Kind.STABLE_INPUT);
    }

    private void run(long seed, DigestProgram.Kind kind) {
        DigestProgram program = new DigestProgram(seed, kind);
        boolean stable = kind == DigestProgram.Kind.STABLE_INPUT;
        try (Simulation simulation = Simulation.unruly(seed)) {
            FeedRun<Seen> run = new FeedRun<>(program.plan, program.keys, new SimulatedWorld(simulation));
            if (stable) {
                run.feeding(attempt -> item -> DigestProgram.fedAgain(item, attempt));
            }
            run.onRelease((seen, millis) -> seen.keySet().forEach(key -> released(program, run, key, millis)));
            run.run();
            simulation.run(() -> simulation.liveThreads() == 0, MAX_STEPS);
            for (String key : program.keys) {
                try {
                    ordered(program, key, run.trace.log(key));
                    if (stable) {
                        stable(program, key, run);
                    } else {
                        sides(program, run.trace.log(key));
                    }
                } catch (AssertionError e) {
                    throw new AssertionError(key + ": " + e.getMessage() + "\n" + run.trace.log(key));
                }
            }
            restores += run.restores;
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(
                    "program " + seed + " failed, replay: ./dev sim " + seed + " (" + program + ")", e);
        }
    }

    private static long number(Seen seen) {
        return seen.value() % DigestProgram.ATTEMPT;
    }

    /** Nothing that is before a watermark comes after it. */
    private static void released(DigestProgram program, FeedRun<Seen> run, String key, long millis) {
        List<Seen> log = run.trace.log(key);
        Set<Long> seen = log.stream().map(SimulatedInputsTest::number).collect(Collectors.toSet());
        for (Fed.Give give : program.elements(key)) {
            require(
                    give.timestampMillis() >= millis
                            || seen.contains((Long) give.value().getValue().getValue()),
                    "watermark " + millis + " was released before " + give + " of " + log);
        }
    }

    private static void ordered(DigestProgram program, String key, List<Seen> log) {
        List<Fed.Give> elements = program.elements(key);
        Map<Long, Long> left = new HashMap<>();
        elements.forEach(each -> left.merge(end(each), 1L, Long::sum));
        Map<Long, Long> digests = new HashMap<>();
        List<Long> ended = new ArrayList<>();
        int next = 0;
        for (Seen seen : log) {
            long end = seen.windowEndMillis();
            if (seen.value() == Seen.SOON) {
                require(!ended.contains(end), "after the end: " + seen);
                require(digests.getOrDefault(end, 0L) == seen.digest(), "other state at a timer: " + seen);
                continue;
            }
            if (seen.value() == Seen.TIMER) {
                require(left.getOrDefault(end, 0L) == 0, "the end came before an element: " + seen);
                require(!ended.contains(end), "the end came twice: " + seen);
                require(digests.get(end) == seen.digest(), "other state at the end: " + seen);
                require(seen.watermarkMillis() > end, "the end came too early: " + seen);
                ended.add(end);
                continue;
            }
            require(next < elements.size(), "an element more than were sent: " + seen);
            Fed.Give element = elements.get(next++);
            require(element.value().getValue().getValue().equals(number(seen)), element + " should be next: " + seen);
            require(end(element) == end, "in another window: " + seen);
            require(seen.watermarkMillis() <= element.timestampMillis(), "the watermark was not held: " + seen);
            digests.merge(end, Seen.digest(0, seen.value()), (before, one) -> Seen.digest(before, seen.value()));
            require(digests.get(end) == seen.digest(), "other state: " + seen);
            left.merge(end, -1L, Long::sum);
        }
        require(next == elements.size(), "only " + next + " of " + elements.size() + " elements were seen");
        require(ended.size() == left.size(), "windows without an end: " + left + " " + ended);
    }

    private static long end(Fed.Give element) {
        return element.value().getWindows().iterator().next().maxTimestamp().getMillis();
    }

    /** The side input is that of the window; a later pane is never followed by an earlier one. */
    private static void sides(DigestProgram program, List<Seen> log) {
        Map<Long, Long> newest = new HashMap<>();
        for (Seen seen : log) {
            if (seen.value() == Seen.TIMER) {
                continue;
            }
            long begin = seen.windowEndMillis() - Math.floorMod(seen.windowEndMillis(), DigestProgram.SIDE_MILLIS);
            int panes = program.panes.getOrDefault(begin, 0);
            require(seen.side().size() == Math.min(panes, 1), panes + " panes were sent: " + seen);
            if (panes > 0) {
                long pane = seen.side().get(0) - DigestProgram.sideValue(begin, 0);
                require(pane >= 0 && pane < panes, "of another window: " + seen);
                require(pane >= newest.getOrDefault(begin, 0L), "an earlier pane: " + seen);
                newest.put(begin, pane);
            }
        }
    }

    /**
     * After a failure the source gives other elements. Whatever a key had seen, it has to see again, so nothing was let in
     * that the checkpoint does not contain from which it went on; the ends of windows at the same places among the elements. So
     * are timers of processing time, unless tasks are merged that were not equally far in both times.
     */
    private void stable(DigestProgram program, String key, FeedRun<Seen> run) {
        List<Seen> log = run.trace.log(key);
        List<Long> containedIn = program.containedIn(key);
        int next = 0;
        for (Seen seen : log) {
            if (seen.isElement()) {
                long checkpoint = containedIn.get(next++);
                require(seen.committed() >= checkpoint, "seen before checkpoint " + checkpoint + ": " + seen);
            }
        }
        for (List<Seen> lost : run.lost.getOrDefault(key, List.of())) {
            again(log, lost, program.merges());
        }
    }

    private static void again(List<Seen> log, List<Seen> lost, boolean withoutSoon) {
        List<Seen> all = compared(log, withoutSoon);
        List<Seen> before = compared(lost, withoutSoon);
        require(
                before.size() <= all.size() && all.subList(0, before.size()).equals(before),
                "it had seen before a failure\n" + lost);
    }

    private static List<Seen> compared(List<Seen> log, boolean withoutSoon) {
        return log.stream()
                .filter(seen -> !withoutSoon || seen.value() != Seen.SOON)
                .map(Seen::same)
                .toList();
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }
}
