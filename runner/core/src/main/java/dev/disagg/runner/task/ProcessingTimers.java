// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.runner.graph.Head;
import dev.disagg.state.cell.DueKey;
import dev.disagg.state.cell.DueScan;
import dev.disagg.state.cell.TaskState;
import dev.disagg.state.cell.TimerDomain;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Wakes the keys whose processing-time timers are due. */
final class ProcessingTimers {
    private static final int STEP = 256;

    private final KeyedTask task;
    private final TaskState cells;
    private final AtEnd atEnd;
    private @Nullable DueScan scan;
    private @Nullable CompletableFuture<List<DueKey>> reading;
    private long beforeMillis;
    private int firing;
    private boolean last;
    private boolean lastScanned;

    /** What becomes of timers that are pending when all input has ended. */
    enum AtEnd {
        /** All fire once, in order, whatever their time: those of user code. */
        FIRE_ONCE,
        /** They fire at their time until none is left: those by which a splittable DoFn goes on. */
        RESUME,
        /** Nothing: those of triggers, whose windows the last watermark closes. */
        DROP;

        static AtEnd of(Head.Keyed head) {
            return head instanceof Head.Splittable ? RESUME : head instanceof Head.Stateful ? FIRE_ONCE : DROP;
        }
    }

    ProcessingTimers(KeyedTask task, TaskState cells, AtEnd atEnd) {
        this.task = task;
        this.cells = cells;
        this.atEnd = atEnd;
    }

    private long nextMillis() {
        // What the last firings have set does not fire any more: the task is over.
        return task.sealedInput() >= Frontier.MAX
                ? Long.MAX_VALUE
                : cells.timers(TimerDomain.PROCESSING).minTimestampMillis();
    }

    /** Before which timers are due: of restrictions that wait to go on, all are when the job is drained. */
    private long dueMillis() {
        return resumesAtOnce() ? Long.MAX_VALUE : task.timerNowMillis();
    }

    /** Whether timers by which restrictions go on are due as soon as they are set. */
    boolean resumesAtOnce() {
        return atEnd == AtEnd.RESUME && task.draining();
    }

    /** Admits firings that are due, at most about {@code room}; returns an amount of work. */
    int poll(int room) {
        if (scan == null) {
            if (firing > 0 || last || nextMillis() >= dueMillis()) {
                return 0;
            }
            beforeMillis = dueMillis();
            scan = cells.timers(TimerDomain.PROCESSING).due(beforeMillis);
        }
        return step(room);
    }

    private int step(int room) {
        DueScan from = scan;
        if (from == null || room <= 0) {
            return 0;
        }
        CompletableFuture<List<DueKey>> read = reading;
        if (read == null) {
            read = from.next(Math.min(STEP, room));
            reading = read;
            if (!read.isDone()) {
                read.whenComplete((keys, failure) -> task.async().wake());
                return 0;
            }
        } else if (!read.isDone()) {
            return 0;
        }
        reading = null;
        List<DueKey> due = read.join();
        if (due.isEmpty()) {
            from.close();
            scan = null;
            lastScanned |= last;
            // That a scan is over is work too: the end of input, which waits for it, is then looked at again.
            return 1;
        }
        firing += due.size();
        due.forEach(key -> task.admitProcessing(key, beforeMillis));
        return due.size();
    }

    /** Whether no timer is due or being fired. */
    boolean isQuiet() {
        return scan == null && firing == 0 && (last || nextMillis() >= dueMillis());
    }

    /** Whether all timers that are due have been admitted. */
    boolean areIn() {
        return scan == null && nextMillis() >= dueMillis();
    }

    void fired() {
        firing--;
    }

    /** Whether the end of input is being awaited, so that each timer fires only once. */
    boolean firesOnce() {
        return last && atEnd == AtEnd.FIRE_ONCE;
    }

    /** Whether timers are pending, or may yet be set, that fire at their time although all input has ended. */
    boolean goOn() {
        return atEnd == AtEnd.RESUME && (task.async().inFlight() > 0 || scan != null || nextMillis() != Long.MAX_VALUE);
    }

    /** Called when all input has ended: brings the last firings about; returns whether they are over. */
    boolean finish(int room) {
        if (atEnd == AtEnd.DROP) {
            return scan == null && firing == 0;
        }
        if (atEnd == AtEnd.RESUME) {
            return !goOn();
        }
        if (!last && (task.async().inFlight() > 0 || task.inputWatermarkMillis() < task.sealedInput())) {
            // What is started, or due by an earlier watermark, may still set a timer.
            return false;
        }
        if (!last) {
            if (scan != null || firing > 0) {
                return false;
            }
            if (nextMillis() == Long.MAX_VALUE) {
                return true;
            }
            last = true;
            beforeMillis = Long.MAX_VALUE;
            scan = cells.timers(TimerDomain.PROCESSING).due(beforeMillis);
        }
        if (scan != null) {
            step(room);
        }
        return lastScanned && firing == 0;
    }

    /** Nanoseconds until the next timer is due. */
    long nanosToNext() {
        if (scan != null || firing > 0 || last) {
            return Long.MAX_VALUE;
        }
        long next = nextMillis();
        if (next == Long.MAX_VALUE) {
            return Long.MAX_VALUE;
        }
        long wait = next - task.nowMillis() + 1;
        if (wait <= 0 && next >= task.timerNowMillis()) {
            // Due, but held back: whoever holds it back will wake the task.
            return Long.MAX_VALUE;
        }
        return TimeUnit.MILLISECONDS.toNanos(Math.max(1, wait));
    }
}
