// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import org.jspecify.annotations.Nullable;

/** A thread of the task. It leads, or it waits: as a spare, or parked inside a computation. */
public final class Worker {
    private final String name;
    @Nullable Object attachment;

    Worker(String name) {
        this.name = name;
    }

    /** What {@link Duty#workerStarted} returned for it. */
    public @Nullable Object attachment() {
        return attachment;
    }

    /** The task's name and the number of the worker. */
    public String name() {
        return name;
    }
}
