// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.async.Epoch;
import dev.disagg.async.EpochScan;
import dev.disagg.state.cell.DueKey;
import dev.disagg.state.cell.DueScan;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Wakes the keys that have an event-time timer before the watermark that sealed an epoch, a bounded number per step. */
final class EventTimers implements EpochScan {
    private static final int STEP = 256;

    private final KeyedTask task;
    private final DueScan scan;
    private @Nullable Epoch epoch;
    private final long beforeMillis;
    private @Nullable CompletableFuture<List<DueKey>> reading;

    EventTimers(KeyedTask task, DueScan scan, long beforeMillis) {
        this.task = task;
        this.scan = scan;
        this.beforeMillis = beforeMillis;
    }

    /** Says which epoch the firings belong to. */
    void into(Epoch sealed) {
        epoch = sealed;
    }

    @Override
    public Step step() {
        CompletableFuture<List<DueKey>> read = reading;
        if (read == null) {
            read = scan.next(STEP);
            reading = read;
            if (!read.isDone()) {
                read.whenComplete((keys, failure) -> task.async().scanReady());
                return Step.WAITING;
            }
        } else if (!read.isDone()) {
            return Step.WAITING;
        }
        reading = null;
        List<DueKey> due = read.join();
        if (due.isEmpty()) {
            scan.close();
            task.allAdmitted(beforeMillis);
            return Step.EXHAUSTED;
        }
        Epoch sealed = epoch;
        if (sealed == null) {
            throw new IllegalStateException("a scan of timers began before its epoch was sealed");
        }
        due.forEach(key -> task.admitFire(sealed, key, beforeMillis));
        return Step.MORE;
    }
}
