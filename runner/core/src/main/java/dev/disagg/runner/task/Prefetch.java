// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.async.Computation;
import dev.disagg.runner.graph.Head;
import dev.disagg.runner.state.StepState;
import dev.disagg.runner.state.TimerWindows;
import dev.disagg.state.cell.KeyEntry;
import dev.disagg.state.cell.KeyTimers;
import dev.disagg.state.cell.Row;
import dev.disagg.state.cell.TaskState;
import dev.disagg.state.cell.Timer;
import dev.disagg.state.cell.TimerDomain;
import dev.disagg.ufs.Failed;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.jspecify.annotations.Nullable;

/**
 * Has the rows that a computation will work on read before its body runs; other keys go on meanwhile. Leader only.
 *
 * <p>At most two round trips: the key's own row, which has its timers and the tree of its merging windows, together with the
 * rows of an element's own windows; then the rows that the first names, of windows that merge or have a timer due. The
 * second is looked for only when the first was not in memory, or while bodies have to wait in their middle. Rows of windows
 * that bodies of the kind do not read are not fetched, see {@link KnownReads}.
 */
final class Prefetch {
    /** Windows of due timers looked at in one computation; further ones are waited for in the middle of the body. */
    private static final int MAX_DUE = 64;
    /** The same where nobody waits yet. */
    private static final int MAX_DUE_AHEAD = 4;

    private final boolean usesKeyRow;
    private final boolean usesWindowRows;
    private final WindowRows rows;
    private final TimerWindows timerWindows;
    private final @Nullable MergingRows merging;
    private final Consumer<Computation> ready;
    private final boolean enabled;
    private final KnownReads ofElements = new KnownReads();
    private final KnownReads[] ofTimers = new KnownReads[TimerDomain.values().length];

    /** @param ready told, on any thread, of a computation whose rows have come, or failed to */
    Prefetch(Head.Keyed head, TaskState cells, Consumer<Computation> ready, boolean enabled) {
        this.usesKeyRow = KeyedNode.usesKeyRow(head);
        this.usesWindowRows = KeyedNode.usesWindowRows(head);
        this.rows = new WindowRows(KeyedNode.windowCoder(head));
        this.timerWindows = new TimerWindows(KeyedNode.windowCoder(head));
        this.merging = usesWindowRows ? null : new MergingRows(head, cells, rows);
        this.ready = ready;
        this.enabled = enabled;
        for (int i = 0; i < ofTimers.length; i++) {
            ofTimers[i] = new KnownReads();
        }
    }

    /** An element's body has ended. */
    void learn(StepState of) {
        learn(ofElements, of);
    }

    /** A timer's body has ended. */
    void learn(TimerDomain domain, StepState of) {
        learn(ofTimers[domain.ordinal()], of);
    }

    private static void learn(KnownReads kind, StepState of) {
        kind.learn(of.touched());
        of.touched().clear();
    }

    /** Whether the rows are here; if not, they are being read. */
    boolean prepare(KeyedElement element) {
        throwReadFailure(element.readFailure);
        if (!enabled) {
            return true;
        }
        KeyEntry entry = element.entry();
        CompletableFuture<?> wait = usesKeyRow ? fetch(entry.globalRow(), null) : null;
        boolean keyRowIsCold = wait != null;
        if (usesWindowRows && ofElements.any()) {
            for (BoundedWindow window : element.value.getWindows()) {
                wait = fetch(rows.row(entry, window), ofElements, wait);
            }
        }
        element.wasCold |= keyRowIsCold;
        MergingRows merges = merging;
        if (merges != null && !keyRowIsCold && (element.wasCold || ofElements.miss()) && ofElements.any()) {
            for (BoundedWindow window : element.value.getWindows()) {
                wait = fetchAll(merges.of(entry, window, false), wait);
            }
        }
        return isHere(wait, element, failure -> element.readFailure = failure);
    }

    boolean prepare(Fire fire) {
        throwReadFailure(fire.readFailure);
        if (!enabled) {
            return true;
        }
        KeyTimers timers = fire.entry.timers();
        CompletableFuture<?> wait = timers.resident() ? null : timers.fetch();
        KnownReads known = ofTimers[fire.domain.ordinal()];
        if (wait != null) {
            fire.wasCold = true;
        } else if ((fire.wasCold || known.miss()) && known.any()) {
            wait = fetchWindows(fire.entry, timers.due(fire.domain, fire.beforeMillis, MAX_DUE), known);
        }
        return isHere(wait, fire, failure -> fire.readFailure = failure);
    }

    /**
     * Starts to read what the event-time timers of a key before this bound will read, long before they are due. The key's
     * own row is in memory.
     *
     * @return null when all is there
     */
    @Nullable
    CompletableFuture<?> ahead(KeyEntry entry, long beforeMillis) {
        KnownReads known = ofTimers[TimerDomain.EVENT.ordinal()];
        return known.any()
                ? fetchWindows(entry, entry.timers().due(TimerDomain.EVENT, beforeMillis, MAX_DUE_AHEAD), known)
                : null;
    }

    private @Nullable CompletableFuture<?> fetchWindows(KeyEntry entry, List<Timer> due, KnownReads known) {
        CompletableFuture<?> wait = null;
        for (Timer timer : due) {
            BoundedWindow window = timerWindows.of(timer);
            if (window != null) {
                wait = merging == null
                        ? fetch(rows.row(entry, window), known, wait)
                        : fetchAll(merging.of(entry, window, true), wait);
            }
        }
        return wait;
    }

    private static @Nullable CompletableFuture<?> fetchAll(Collection<Row> all, @Nullable CompletableFuture<?> others) {
        CompletableFuture<?> wait = others;
        for (Row row : all) {
            wait = fetch(row, wait);
        }
        return wait;
    }

    /** A point read of the only cell that is wanted ends at the newest table that has it; a range asks all that may. */
    private static @Nullable CompletableFuture<?> fetch(
            Row row, KnownReads known, @Nullable CompletableFuture<?> others) {
        int[] only = known.only();
        if (only == null) {
            return fetch(row, others);
        }
        if (row.isResident(only[0])) {
            return others;
        }
        CompletableFuture<?> read = row.fetch(only);
        if (read.isDone() && row.isResident(only[0])) {
            return others;
        }
        return others == null ? read : CompletableFuture.allOf(others, read);
    }

    private static @Nullable CompletableFuture<?> fetch(Row row, @Nullable CompletableFuture<?> others) {
        if (row.resident()) {
            return others;
        }
        CompletableFuture<?> read = row.fetch();
        if (read.isDone() && row.resident()) {
            return others;
        }
        return others == null ? read : CompletableFuture.allOf(others, read);
    }

    private boolean isHere(
            @Nullable CompletableFuture<?> wait, Computation computation, Consumer<Throwable> onFailure) {
        if (wait == null) {
            return true;
        }
        wait.whenComplete((ignored, failure) -> {
            if (failure != null) {
                onFailure.accept(failure);
            }
            ready.accept(computation);
        });
        return false;
    }

    private static void throwReadFailure(@Nullable Throwable failure) {
        if (failure != null) {
            Throwable cause =
                    failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
            throw cause instanceof RuntimeException known
                    ? known
                    : new Failed("a state read failed: " + cause.getMessage(), cause);
        }
    }
}
