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
 * @param spans the tables below
 */
public record OlderKeys(Family family, boolean unknown, List<Span> spans) {
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
        List<Span> spans = new ArrayList<>();
        boolean unknown = false;
        for (Layer layer : layers) {
            if (layer instanceof RunLayer run) {
                for (TableHandle table : run.tables()) {
                    spans.add(span(table.meta));
                }
            } else {
                unknown = true;
            }
        }
        return new OlderKeys(family, unknown, List.copyOf(spans));
    }

    static Span span(ManifestTable table) {
        return new Span(table.info().smallestKey(), table.info().largestKey(), table.clip());
    }

    boolean mayHold(byte[] key) {
        if (unknown) {
            return true;
        }
        for (Span span : spans) {
            if (Arrays.compareUnsigned(span.smallest, key) <= 0
                    && Arrays.compareUnsigned(key, span.largest) <= 0
                    && Clip.holds(family, span.clip, key)) {
                return true;
            }
        }
        return false;
    }
}
