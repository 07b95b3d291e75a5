// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.greaterThan;

import dev.disagg.async.sim.Simulation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.PaneInfo;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.WindowedValue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * GroupByKey and Combine, with merging windows, early, late and accumulating panes, in whole tasks, in the simulation. The
 * reference is the same task in its simplest setting: all state in memory, one element at a time on one thread, no
 * checkpoint and no failure. Independent of that, no element may be lost, doubled or in two windows. {@code ./dev sim SEED}
 * replays one program of each kind.
 */
class SimulatedPanesTest {
    private static final Long ONE_SEED = Long.getLong("disagg.sim.seed");
    private static final int PROGRAMS = Integer.getInteger("disagg.sim.panes", 100);
    private static final long MAX_STEPS = 10_000;

    private record Pane(BoundedWindow window, long timestampMillis, PaneInfo info, List<Long> values) {}

    private long handOvers;
    private long restores;

    @ParameterizedTest
    @EnumSource
    void everyKeyHasThePanesOfTheSimplestSetting(PaneKind kind) {
        if (ONE_SEED != null) {
            run(ONE_SEED, kind);
            return;
        }
        for (long seed = 1; seed <= PROGRAMS; seed++) {
            run(seed, kind);
        }
        assertThat("hand-overs", handOvers, greaterThan((long) PROGRAMS));
        assertThat("restores", restores, greaterThan(PROGRAMS / 5L));
    }

    private void run(long seed, PaneKind kind) {
        PaneProgram program = new PaneProgram(seed, kind);
        try {
            Map<String, List<Pane>> expected = panes(seed, program, program.plan.in(Setting.simplest(), false));
            Map<String, List<Pane>> came = panes(seed, program, program.plan);
            for (String key : program.keys) {
                require(
                        comparable(program, came.get(key)).equals(comparable(program, expected.get(key))),
                        key + "\nexpected " + expected.get(key) + "\n     got " + came.get(key));
                complete(program, key, came.get(key));
            }
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(
                    "program " + seed + " failed, replay: ./dev sim " + seed + " (" + program + ")", e);
        }
    }

    private Map<String, List<Pane>> panes(long seed, PaneProgram program, Plan plan) {
        try (Simulation simulation = Simulation.unruly(seed)) {
            FeedRun<Object> run = new FeedRun<>(plan, program.keys, new SimulatedWorld(simulation))
                    .late(program.kind.latenessMillis > 0);
            run.run();
            simulation.run(() -> simulation.liveThreads() == 0, MAX_STEPS);
            handOvers += run.handOvers;
            restores += run.restores;
            Map<String, List<Pane>> panes = new TreeMap<>();
            program.keys.forEach(key -> panes.put(key, new ArrayList<>()));
            run.outs.forEach(out -> panes.get(FeedRun.key(out)).add(pane(out)));
            return panes;
        }
    }

    /**
     * Windows that fire at one watermark do so in an order that is Beam's choice. Where windows live on behind their end,
     * whether the first pane behind it is late or on time is that of the output watermark, which elements meet as it happens
     * to be, and a pane is the last where watermarks that came one after the other are acted on as one.
     */
    private static Map<BoundedWindow, List<Pane>> comparable(PaneProgram program, List<Pane> panes) {
        boolean exact = program.kind.latenessMillis == 0;
        return panes.stream().map(pane -> exact ? pane : late(pane)).collect(Collectors.groupingBy(Pane::window));
    }

    private static Pane late(Pane pane) {
        PaneInfo info = pane.info;
        PaneInfo onTime = PaneInfo.createPane(
                info.isFirst(),
                false,
                info.getTiming() == PaneInfo.Timing.LATE ? PaneInfo.Timing.ON_TIME : info.getTiming(),
                info.getIndex(),
                info.getNonSpeculativeIndex());
        return new Pane(pane.window, pane.timestampMillis, onTime, pane.values);
    }

    private static Pane pane(WindowedValue<?> out) {
        Object value = ((KV<?, ?>) out.getValue()).getValue();
        List<Long> values = new ArrayList<>();
        if (value instanceof Iterable<?> all) {
            all.forEach(each -> values.add((Long) each));
        } else {
            values.add((Long) value);
        }
        values.sort(null);
        return new Pane(out.getWindows().iterator().next(), out.getTimestamp().getMillis(), out.getPaneInfo(), values);
    }

    /** What holds whatever the order of things is. */
    private static void complete(PaneProgram program, String key, List<Pane> panes) {
        Map<BoundedWindow, Pane> last = new HashMap<>();
        Set<BoundedWindow> onTime = new HashSet<>();
        long sum = 0;
        for (Pane pane : panes) {
            Pane before = last.put(pane.window, pane);
            require(before == null || !before.info.isLast(), key + ", a pane behind the last: " + pane);
            require(
                    pane.info.getIndex() == (before == null ? 0 : before.info.getIndex() + 1),
                    key + ", a pane is missing before " + pane + " in " + panes);
            require(
                    pane.info.getTiming() != PaneInfo.Timing.ON_TIME || onTime.add(pane.window),
                    key + ", on time twice: " + pane);
            sum += sum(pane) - (program.kind.accumulates && before != null ? sum(before) : 0);
        }
        if (!program.kind.accumulates || !program.kind.merges()) {
            // Of a window that was fired and then merged into another, both have had panes.
            require(sum == program.sums.getOrDefault(key, 0L), key + ", elements lost or doubled in " + panes);
        }
    }

    private static long sum(Pane pane) {
        return pane.values.stream().mapToLong(each -> each).sum();
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }
}
