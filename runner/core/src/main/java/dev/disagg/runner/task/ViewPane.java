// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.state.SharedRun;
import java.util.List;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;

/**
 * All elements of a side input for one window, as of one pane.
 *
 * @param view index of the view in its stage
 * @param pane number of the pane; a later one replaces an earlier one
 */
record ViewPane(int view, BoundedWindow window, long pane, Content content) {
    /** Where the elements are. */
    sealed interface Content {}

    /**
     * In memory.
     *
     * @param encoded the number of elements in 4 bytes, and the elements by their coder
     */
    record Small(List<?> elements, byte[] encoded) implements Content {
        static final Small NOTHING = new Small(List.of(), new byte[4]);
    }

    /** In the job's files, laid out as {@link PaneLayout} says. Whoever is sent it holds the run once. */
    record Large(SharedRun run) implements Content {}
}
