// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;

/** Processing time under a script: stands still until an event advances it. Thread-safe. */
public final class ScriptClock {
    private final List<Runnable> watchers = new CopyOnWriteArrayList<>();
    private volatile long nowMillis = BoundedWindow.TIMESTAMP_MIN_VALUE.getMillis();

    public long nowMillis() {
        return nowMillis;
    }

    /** Tells {@code task} of each advance. */
    public void watch(StageTask task) {
        watchers.add(task::timeAdvanced);
    }

    void advance(long millis) {
        nowMillis += millis;
        watchers.forEach(Runnable::run);
    }
}
