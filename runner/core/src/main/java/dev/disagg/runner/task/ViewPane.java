// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import java.util.List;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;

/**
 * All elements of a side input for one window, as of one pane.
 *
 * @param view index of the view in its stage
 * @param pane number of the pane; a later one replaces an earlier one
 */
record ViewPane(int view, BoundedWindow window, long pane, List<?> elements) {}
