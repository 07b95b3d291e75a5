// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Chooses what to merge next in one family. Pure.
 *
 * <ol>
 *   <li>Enough flushed runs, and together not small against level 1: all of them, with the tables of level 1 that they
 *       overlap, go to level 1.
 *   <li>Enough flushed runs, but small against level 1: neighbours of like size become one flushed run, so that level 1 is
 *       not rewritten for a few bytes at every checkpoint.
 *   <li>Otherwise a table of level 1 of which the clip leaves at most half is written again without the rest.
 * </ol>
 *
 * <p>Only flushed runs older than every frozen memtable take part: a newer run must not sink below an older entry.
 */
final class CompactionPicker {
    /** Flushed runs go down when they have at least this fraction (one fourth) of level 1. */
    private static final int LEVEL_RATIO = 4;
    /** A run joins its newer neighbours when it is at most this many times their sum. */
    private static final int TIER_RATIO = 2;

    private CompactionPicker() {}

    /**
     * A choice.
     *
     * @param inputs newest first; each of one run, in key order
     * @param level of the output
     * @param run of the output; null for a new number
     */
    record Pick(
            List<List<TableHandle>> inputs,
            int level,
            @Nullable Long run,
            OlderKeys older) {
        /** Whether flushed runs are among the inputs: the newest of them comes first. */
        boolean fromFlushed() {
            return inputs.get(0).get(0).meta.level() == 0;
        }

        long newestRun() {
            return inputs.get(0).get(0).meta.run();
        }

        long bytes() {
            return inputs.stream()
                    .flatMap(List::stream)
                    .mapToLong(table -> table.meta.range().length())
                    .sum();
        }

        Set<TableHandle> tables() {
            Set<TableHandle> all = new HashSet<>();
            inputs.forEach(all::addAll);
            return all;
        }
    }

    static @Nullable Pick pick(Family family, List<Layer> newestFirst, int compactionRuns) {
        List<RunLayer> flushed = new ArrayList<>();
        List<RunLayer> bottom = new ArrayList<>();
        for (Layer layer : newestFirst) {
            if (layer instanceof MemLayer) {
                flushed.clear();
            } else if (layer instanceof RunLayer run) {
                (run.level() == 0 ? flushed : bottom).add(run);
            }
        }
        if (flushed.size() < compactionRuns) {
            return unclipped(family, bottom);
        }
        if (bytes(flushed) >= bytes(bottom) / LEVEL_RATIO) {
            return down(family, flushed, bottom);
        }
        Pick tier = tier(family, flushed, bottom);
        if (tier != null) {
            return tier;
        }
        return flushed.size() >= 2 * compactionRuns ? down(family, flushed, bottom) : null;
    }

    private static Pick down(Family family, List<RunLayer> flushed, List<RunLayer> bottom) {
        List<List<TableHandle>> inputs = new ArrayList<>();
        Span span = new Span();
        for (RunLayer run : flushed) {
            inputs.add(run.tables());
            run.tables().forEach(span::add);
        }
        Set<TableHandle> touched = new HashSet<>();
        boolean grew = true;
        while (grew) {
            grew = false;
            for (RunLayer run : bottom) {
                for (TableHandle table : run.tables()) {
                    if (span.overlaps(table) && touched.add(table)) {
                        span.add(table);
                        grew = true;
                    }
                }
            }
        }
        for (RunLayer run : bottom) {
            List<TableHandle> of = new ArrayList<>(run.tables());
            of.retainAll(touched);
            if (!of.isEmpty()) {
                inputs.add(List.copyOf(of));
            }
        }
        Long run = bottom.isEmpty() ? null : bottom.get(0).run();
        return new Pick(inputs, 1, run, OlderKeys.none(family));
    }

    private static @Nullable Pick tier(Family family, List<RunLayer> flushed, List<RunLayer> bottom) {
        for (int first = 0; first + 1 < flushed.size(); first++) {
            long sum = flushed.get(first).bytes();
            int end = first + 1;
            while (end < flushed.size() && flushed.get(end).bytes() <= sum * TIER_RATIO) {
                sum += flushed.get(end).bytes();
                end++;
            }
            if (end - first >= 2) {
                List<RunLayer> chosen = flushed.subList(first, end);
                List<Layer> below = new ArrayList<>(flushed.subList(end, flushed.size()));
                below.addAll(bottom);
                List<List<TableHandle>> inputs = new ArrayList<>();
                chosen.forEach(run -> inputs.add(run.tables()));
                return new Pick(inputs, 0, chosen.get(0).run(), OlderKeys.of(family, below));
            }
        }
        return null;
    }

    private static @Nullable Pick unclipped(Family family, List<RunLayer> bottom) {
        if (!Clip.applies(family)) {
            return null;
        }
        for (RunLayer run : bottom) {
            for (TableHandle table : run.tables()) {
                if (2 * groups(table.meta.clip()) <= groups(table.meta.written())) {
                    return new Pick(List.of(List.of(table)), run.level(), run.run(), OlderKeys.none(family));
                }
            }
        }
        return null;
    }

    private static int groups(KeyRange range) {
        return range.endGroup() - range.firstGroup();
    }

    private static long bytes(List<RunLayer> runs) {
        long bytes = 0;
        for (RunLayer run : runs) {
            bytes += run.bytes();
        }
        return bytes;
    }

    /** The keys of some tables, from the smallest to the largest. */
    private static final class Span {
        private byte @Nullable [] smallest;
        private byte @Nullable [] largest;

        void add(TableHandle table) {
            byte[] first = table.meta.info().smallestKey();
            byte[] last = table.meta.info().largestKey();
            if (smallest == null || Arrays.compareUnsigned(first, smallest) < 0) {
                smallest = first;
            }
            if (largest == null || Arrays.compareUnsigned(last, largest) > 0) {
                largest = last;
            }
        }

        boolean overlaps(TableHandle table) {
            return smallest != null
                    && largest != null
                    && Arrays.compareUnsigned(table.meta.info().smallestKey(), largest) <= 0
                    && Arrays.compareUnsigned(smallest, table.meta.info().largestKey()) <= 0;
        }
    }
}
