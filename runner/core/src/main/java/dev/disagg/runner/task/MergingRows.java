// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.runner.graph.Head;
import dev.disagg.runner.state.KeyValues;
import dev.disagg.state.cell.KeyEntry;
import dev.disagg.state.cell.Row;
import dev.disagg.state.cell.TaskState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.beam.runners.core.MergingActiveWindowSet;
import org.apache.beam.runners.core.StateTag;
import org.apache.beam.runners.core.StateTags;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.MapCoder;
import org.apache.beam.sdk.coders.SetCoder;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.IntervalWindow;
import org.jspecify.annotations.Nullable;

/**
 * Where the state of merging windows is: in the rows of the windows that {@link MergingActiveWindowSet} names in the key's
 * own row, under {@code "tree"}. Leader only.
 */
final class MergingRows {
    /** Of one window; a key with more that it could merge with reads the rest in the middle of the body. */
    private static final int MAX_ROWS = 16;

    private final KeyValues<Map<BoundedWindow, Set<BoundedWindow>>> trees;
    private final WindowRows rows;

    MergingRows(Head.Keyed head, TaskState cells, WindowRows rows) {
        Coder<BoundedWindow> coder = KeyedNode.windowCoder(head);
        StateTag<ValueState<Map<BoundedWindow, Set<BoundedWindow>>>> tag =
                StateTags.makeSystemTagInternal(StateTags.value("tree", MapCoder.of(coder, SetCoder.of(coder))));
        this.trees = new KeyValues<>(cells, head.name(), tag, MapCoder.of(coder, SetCoder.of(coder)));
        this.rows = rows;
    }

    /**
     * The rows that {@code window} and those it may merge with keep their state in; the key's own row must be in memory.
     *
     * @param fires whether panes are made: which came before is kept under the window itself
     */
    List<Row> of(KeyEntry entry, BoundedWindow window, boolean fires) {
        List<Row> found = new ArrayList<>();
        Map<BoundedWindow, Set<BoundedWindow>> tree = trees.of(entry);
        if (tree != null) {
            for (Map.Entry<BoundedWindow, Set<BoundedWindow>> active : tree.entrySet()) {
                if (mayMerge(window, active.getKey())) {
                    if (fires && found.size() < MAX_ROWS) {
                        found.add(rows.row(entry, active.getKey()));
                    }
                    for (BoundedWindow address : active.getValue()) {
                        if (found.size() < MAX_ROWS) {
                            found.add(rows.row(entry, address));
                        }
                    }
                }
            }
        }
        if (found.isEmpty()) {
            found.add(rows.row(entry, window));
        }
        return found;
    }

    /** Windows of other kinds may merge however they like. */
    private static boolean mayMerge(@Nullable BoundedWindow a, BoundedWindow b) {
        return !(a instanceof IntervalWindow one && b instanceof IntervalWindow other) || one.intersects(other);
    }
}
