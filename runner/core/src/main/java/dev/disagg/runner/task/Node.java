// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

/** One step of a chain. One owner. */
interface Node {
    /** Whether it may output at the end of a bundle, so that an open bundle holds the watermark. */
    default boolean outputsAtBundleEnd() {
        return false;
    }

    default void startBundle() {}

    default void finishBundle() {}

    /** Outputs what it keeps back, also across bundles; called before a watermark or barrier passes, and in time. */
    default void flush() {}

    /** Whether somebody may wait for what it keeps back although no watermark comes, so that it is flushed in time. */
    default boolean isAwaited() {
        return false;
    }

    /** Releases what user code holds; called once, also after a failure. */
    default void teardown() {}
}
