// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.beam.sdk.transforms.windowing.PaneInfo;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.WindowedValues;
import org.joda.time.Instant;

/**
 * Random elements for a {@link PaneKind}. Which panes they make depends on the watermark that each meets, so no watermark
 * races with an element: nothing is fed behind it before it has been acted on.
 */
final class PaneProgram {
    final PaneKind kind;
    final List<String> keys = new ArrayList<>();
    final Plan plan;
    /** Per key, the sum of all elements. */
    final Map<String, Long> sums = new HashMap<>();

    PaneProgram(long seed, PaneKind kind) {
        this.kind = kind;
        SplittableRandom random = new SplittableRandom(Mix.of(seed, kind.ordinal(), 11));
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            keys.add("k" + i);
        }
        List<Fed> items = new ArrayList<>();
        Map<Long, Integer> restores = new HashMap<>();
        long time = 0;
        long number = 1;
        long checkpoint = 0;
        int barriers = random.nextInt(3);
        for (int n = 12 + random.nextInt(30); n > 0; n--) {
            int choice = random.nextInt(24);
            if (choice < 17) {
                String key = keys.get(random.nextInt(keys.size()));
                // Behind the watermark, where windows take that, and never too late.
                long millis = Math.max(0, time - random.nextInt((int) kind.latenessMillis + 1)) + random.nextInt(20);
                sums.merge(key, number, Long::sum);
                items.add(new Fed.Give(WindowedValues.of(
                        KV.of(key, kind.value(number++)),
                        new Instant(millis),
                        kind.window(millis),
                        PaneInfo.NO_FIRING)));
            } else if (choice < 22) {
                time += 1 + random.nextInt(12);
                items.add(new Fed.Mark(0, time, true));
            } else if (barriers-- > 0) {
                items.add(new Fed.BarrierAt(0, ++checkpoint));
                if (random.nextInt(3) != 0) {
                    restores.put(checkpoint, 1 + random.nextInt(2));
                }
            }
        }
        plan = new Plan(kind.graph, kind.stage, 1, items, restores, Setting.random(random));
    }

    @Override
    public String toString() {
        return kind + ", " + keys.size() + " keys, " + plan;
    }
}
