// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

import dev.disagg.runner.graph.StageGraph;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Items for the tasks of a stage, in order, and what happens meanwhile.
 *
 * @param channels 1, or 2 with a side input
 * @param restores checkpoints after which the job fails, and with how many tasks it is restored
 */
record Plan(
        StageGraph graph,
        StageGraph.Stage stage,
        int channels,
        List<Fed> items,
        Map<Long, Integer> restores,
        Setting setting) {

    /** What is fed after a checkpoint has been restored; 0 for the start. */
    List<Fed> from(long checkpoint) {
        List<Fed> again = new ArrayList<>();
        Fed.Mark[] watermarks = new Fed.Mark[channels];
        int next = 0;
        if (checkpoint > 0) {
            boolean in = false;
            for (; next < items.size(); next++) {
                Fed item = items.get(next);
                if (item instanceof Fed.BarrierAt barrier && barrier.checkpoint() == checkpoint) {
                    in = true;
                } else if (in) {
                    break;
                } else if (item instanceof Fed.Mark mark) {
                    watermarks[mark.channel()] = mark;
                }
            }
            Arrays.stream(watermarks).filter(Objects::nonNull).forEach(again::add);
        }
        again.addAll(items.subList(next, items.size()));
        return again;
    }

    Plan in(Setting other, boolean withBarriers) {
        List<Fed> kept = withBarriers
                ? items
                : items.stream()
                        .filter(item -> !(item instanceof Fed.BarrierAt))
                        .toList();
        return new Plan(graph, stage, channels, kept, withBarriers ? restores : Map.of(), other);
    }

    @Override
    public String toString() {
        return items.size() + " items, restores " + restores + ", " + setting;
    }
}
