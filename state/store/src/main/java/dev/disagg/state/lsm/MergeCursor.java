// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.ByteStore;
import dev.disagg.state.table.TableEntry;
import dev.disagg.ufs.Invalid;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A view over several sources, each key folded to its value. Cold sources are fetched at the same time. */
public final class MergeCursor implements ByteStore.Cursor {
    private static final int ENTRY_BYTES = 32;

    private final String owner;
    private final EntryMerge merge;
    private final Runnable whenClosed;
    private final AtomicBoolean closed = new AtomicBoolean();
    private @Nullable CompletableFuture<List<ByteStore.Entry>> running;

    /** @param whenClosed gives back what the cursor pins */
    MergeCursor(String owner, List<Source> newestFirst, Runnable whenClosed) {
        this.owner = owner;
        this.merge = new EntryMerge(newestFirst);
        this.whenClosed = whenClosed;
    }

    @Override
    public CompletableFuture<List<ByteStore.Entry>> next(int maxBytes) {
        if (running != null && !running.isDone()) {
            throw new Invalid("cursor of " + owner + " was asked for a page while one is being read: wait for it");
        }
        if (closed.get()) {
            return CompletableFuture.completedFuture(List.of());
        }
        CompletableFuture<List<ByteStore.Entry>> page = page(new Page(maxBytes));
        if (!page.isDone() || page.isCompletedExceptionally()) {
            page = ReadFailure.named(owner, page);
        }
        running = page;
        return page;
    }

    private CompletableFuture<List<ByteStore.Entry>> page(Page page) {
        while (true) {
            if (!merge.ready()) {
                CompletableFuture<Void> fill = merge.fill();
                if (!fill.isDone() || fill.isCompletedExceptionally()) {
                    return fill.thenCompose(ignored -> page(page));
                }
                continue;
            }
            List<TableEntry> group = merge.nextGroup();
            if (group == null) {
                close();
                return CompletableFuture.completedFuture(page.entries);
            }
            TableEntry entry = Fold.fold(group, false);
            if (entry != null && page.add(entry)) {
                return CompletableFuture.completedFuture(page.entries);
            }
        }
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            merge.close();
            whenClosed.run();
        }
    }

    private static final class Page {
        private final List<ByteStore.Entry> entries = new ArrayList<>();
        private final int maxBytes;
        private long bytes;

        Page(int maxBytes) {
            this.maxBytes = maxBytes;
        }

        /** True when the page is full. */
        boolean add(TableEntry entry) {
            entries.add(new ByteStore.Entry(entry.key(), entry.value()));
            bytes += ENTRY_BYTES + entry.key().length + (long) entry.value().length;
            return bytes >= maxBytes;
        }
    }
}
