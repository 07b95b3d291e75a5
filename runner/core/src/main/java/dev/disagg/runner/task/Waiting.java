// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.values.WindowedValue;
import org.jspecify.annotations.Nullable;

/**
 * An element that waits in a task's inbox.
 *
 * @param edge index of the edge that it came by
 * @param key encoded; null for an element without a key
 * @param hash of the key
 * @param group key group under which it is stored
 * @param number its place in the stored inbox, or -1
 */
record Waiting(WindowedValue<?> value, int edge, byte @Nullable [] key, long hash, int group, long number) {
    long timestampMillis() {
        return value.getTimestamp().getMillis();
    }

    /** Its only one: an element in several windows is taken apart before it waits. */
    BoundedWindow window() {
        return value.getWindows().iterator().next();
    }
}
