// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What is known about the keys below some layers: while an older source may hold a key, its delete must stay and its
 * tails must stay a merge. Plain data, immutable.
 *
 * @param unknown true: any key may be below (a memtable is)
 * @param runs the tables below, run by run; those of one run in key order and apart
 */
public record OlderKeys(Family family, boolean unknown, List<List<Span>> runs) {
    /**
     * A table's keys.
     *
     * @param smallest first key
     * @param largest last key, inclusive
     * @param clip only keys of these groups count
     */
    public record Span(byte[] smallest, byte[] largest, KeyRange clip) {}

    static OlderKeys none(Family family) {
        return new OlderKeys(family, false, List.of());
    }

    static OlderKeys of(Family family, List<? extends Layer> layers) {
        List<List<Span>> runs = new ArrayList<>();
        boolean unknown = false;
        for (Layer layer : layers) {
            if (layer instanceof RunLayer run) {
                runs.add(run.tables().stream().map(table -> span(table.meta)).toList());
            } else {
                unknown = true;
            }
        }
        return new OlderKeys(family, unknown, List.copyOf(runs));
    }

    private static Span span(ManifestTable table) {
        return new Span(table.info().smallestKey(), table.info().largestKey(), table.clip());
    }

    /** Whether an older source may hold the key. */
    public boolean mayHold(byte[] key) {
        if (unknown) {
            return true;
        }
        for (List<Span> run : runs) {
            if (mayHold(run, key)) {
                return true;
            }
        }
        return false;
    }

    private boolean mayHold(List<Span> run, byte[] key) {
        int low = 0;
        int high = run.size() - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Arrays.compareUnsigned(run.get(middle).largest, key) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Span span = run.get(low);
        return Arrays.compareUnsigned(span.smallest, key) <= 0
                && Arrays.compareUnsigned(key, span.largest) <= 0
                && Clip.holds(family, span.clip, key);
    }
}
