// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.ByteStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Reads a cursor to its end without a thread that waits. */
public final class CursorDrain {
    private static final int PAGE_BYTES = 1 << 20;

    private CursorDrain() {}

    /** Gives every entry to {@code each}, one at a time and in order; the future completes at the end. */
    public static CompletableFuture<Void> drain(ByteStore.Cursor cursor, Consumer<ByteStore.Entry> each) {
        while (true) {
            CompletableFuture<List<ByteStore.Entry>> page = cursor.next(PAGE_BYTES);
            if (!page.isDone() || page.isCompletedExceptionally()) {
                return page.thenCompose(entries -> {
                    entries.forEach(each);
                    return entries.isEmpty() ? CompletableFuture.completedFuture(null) : drain(cursor, each);
                });
            }
            List<ByteStore.Entry> entries = page.join();
            if (entries.isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            entries.forEach(each);
        }
    }
}
