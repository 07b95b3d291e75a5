// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.async.Computation;
import dev.disagg.runner.graph.Head;
import dev.disagg.state.cell.KeyEntry;
import dev.disagg.state.cell.Row;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.jspecify.annotations.Nullable;

/** Has the rows that a computation will work on read before its body runs; other keys go on meanwhile. Leader only. */
final class Prefetch {
    private final boolean usesKeyRow;
    private final boolean usesWindowRows;
    private final WindowRows rows;
    private final Consumer<Computation> ready;
    private final boolean enabled;

    /** @param ready told, on any thread, of a computation whose rows have come, or failed to */
    Prefetch(Head.Keyed head, Consumer<Computation> ready, boolean enabled) {
        this.usesKeyRow = KeyedNode.usesKeyRow(head);
        this.usesWindowRows = KeyedNode.usesWindowRows(head);
        this.rows = new WindowRows(KeyedNode.windowCoder(head));
        this.ready = ready;
        this.enabled = enabled;
    }

    /** Whether the rows are here; if not, they are being read. */
    boolean prepare(KeyedElement element) {
        throwReadFailure(element.readFailure);
        if (!enabled) {
            return true;
        }
        KeyEntry entry = element.entry();
        CompletableFuture<?> wait = usesKeyRow ? fetch(entry.globalRow(), null) : null;
        if (usesWindowRows) {
            for (BoundedWindow window : element.value.getWindows()) {
                wait = fetch(rows.row(entry, window), wait);
            }
        }
        return isHere(wait, element, failure -> element.readFailure = failure);
    }

    boolean prepare(Fire fire) {
        throwReadFailure(fire.readFailure);
        if (!enabled) {
            return true;
        }
        return isHere(fetch(fire.entry.globalRow(), null), fire, failure -> fire.readFailure = failure);
    }

    private static @Nullable CompletableFuture<?> fetch(Row row, @Nullable CompletableFuture<?> others) {
        if (row.resident()) {
            return others;
        }
        CompletableFuture<?> read = row.fetch();
        return others == null ? read : CompletableFuture.allOf(others, read);
    }

    private boolean isHere(
            @Nullable CompletableFuture<?> wait,
            Computation computation,
            java.util.function.Consumer<Throwable> onFailure) {
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
            Throwable cause = failure instanceof java.util.concurrent.CompletionException && failure.getCause() != null
                    ? failure.getCause()
                    : failure;
            throw cause instanceof RuntimeException known
                    ? known
                    : new dev.disagg.ufs.Failed("a state read failed: " + cause.getMessage(), cause);
        }
    }
}
