// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.state.cell.CellMetrics;
import dev.disagg.state.cell.DueKey;
import dev.disagg.state.cell.DueScan;
import dev.disagg.state.cell.KeyEntry;
import dev.disagg.state.cell.KeyTimers;
import dev.disagg.state.cell.TaskState;
import dev.disagg.state.cell.TimerDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Has the rows read of event-time timers that one of the next watermarks will make due, so that their firings need not wait
 * for them: first the timers of these keys, then the rows of the windows that those name. It looks when all that is due has
 * been admitted, as far as two more steps of the watermark like the last one reach. Leader only.
 *
 * <p>It changes what is in memory and nothing else: keys are bounded, also by a quarter of the cell cache, and are not kept
 * there. A read that fails is forgotten here; the firing reads again and says so.
 */
final class DueAhead {
    static final int MOST_KEYS = 256;
    /** Keys that are due and have not fired yet come first, so more are looked at than are read. */
    private static final int MOST_LOOKS = 2 * MOST_KEYS;

    private final TaskState cells;
    private final Prefetch prefetch;
    private final Runnable wake;
    private long watermark = Frontier.MIN;
    private long horizon;
    private List<DueKey> keys = List.of();
    private @Nullable CompletableFuture<?> reading;

    /** @param wake calls for a {@link #poll}; any thread */
    DueAhead(TaskState cells, Prefetch prefetch, Runnable wake) {
        this.cells = cells;
        this.prefetch = prefetch;
        this.wake = wake;
    }

    /** All timers before this watermark have been admitted. */
    void admitted(long watermarkMillis) {
        long before = watermark;
        watermark = Math.max(before, watermarkMillis);
        if (before == Frontier.MIN || watermarkMillis <= before || watermarkMillis >= Frontier.MAX || reading != null) {
            return;
        }
        horizon = Math.min(Frontier.MAX, watermarkMillis + 2 * (watermarkMillis - before));
        if (cells.timers(TimerDomain.EVENT).minTimestampMillis() >= horizon) {
            return;
        }
        int most = mostKeys();
        List<DueKey> next = new ArrayList<>();
        List<CompletableFuture<?>> reads = new ArrayList<>();
        try (DueScan scan = cells.timers(TimerDomain.EVENT).due(horizon)) {
            for (DueKey due : scan.upcoming(most == 0 ? 0 : MOST_LOOKS)) {
                if (next.size() == most) {
                    break;
                }
                KeyEntry entry = cells.key(due.hash(), due.key());
                if (TaskSlot.of(entry).isBusy()) {
                    continue;
                }
                next.add(due);
                KeyTimers timers = entry.timers();
                if (!timers.resident()) {
                    reads.add(timers.fetch());
                }
            }
        }
        keys = next;
        await(reads);
        if (reading == null) {
            fetchWindows();
        }
    }

    /** Goes on when what was read first is there; returns the work done. */
    int poll() {
        CompletableFuture<?> first = reading;
        if (first == null || !first.isDone()) {
            return 0;
        }
        reading = null;
        int work = keys.size();
        fetchWindows();
        return work;
    }

    private void fetchWindows() {
        List<CompletableFuture<?>> reads = new ArrayList<>();
        for (DueKey due : keys) {
            KeyEntry entry = cells.key(due.hash(), due.key());
            CompletableFuture<?> read = entry.timers().resident() ? prefetch.ahead(entry, horizon) : null;
            if (read != null) {
                reads.add(read);
            }
        }
        keys = List.of();
        await(reads);
    }

    private void await(List<CompletableFuture<?>> reads) {
        if (!reads.isEmpty()) {
            CompletableFuture<?> all = CompletableFuture.allOf(reads.toArray(CompletableFuture<?>[]::new));
            reading = all;
            all.whenComplete((done, failure) -> wake.run());
        }
    }

    /** A quarter of what the cache has room for, by what a key takes now. */
    private int mostKeys() {
        CellMetrics now = cells.metrics();
        long bytesPerKey = now.cachedBytes() / Math.max(1, now.cachedKeys()) + 1;
        return (int) Math.min(MOST_KEYS, cells.cacheBytes() / 4 / bytesPerKey);
    }
}
