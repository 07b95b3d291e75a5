// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.heap;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import dev.disagg.state.lsm.ManifestTable;
import dev.disagg.state.lsm.MergeCursor;
import dev.disagg.state.lsm.OpenPlan;
import dev.disagg.state.lsm.TableReaders;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Reads everything that a plan names into a store, one family after the other, without a thread that waits. */
final class HeapLoad {
    private static final int PAGE_BYTES = 1 << 20;

    private final String owner;
    private final TableReaders readers;
    private final HeapStore store;

    HeapLoad(String owner, TableReaders readers, HeapStore store) {
        this.owner = owner;
        this.readers = readers;
        this.store = store;
    }

    CompletableFuture<Void> load(OpenPlan plan) {
        ArrayDeque<Part> parts = new ArrayDeque<>();
        for (List<ManifestTable> ofParent : plan.sources()) {
            parts.add(new Part(Family.SOURCES, readers.scanAll(owner, Family.SOURCES, ofParent)));
        }
        for (Family family : Family.values()) {
            parts.add(new Part(family, readers.scanAll(owner, family, plan.tables())));
        }
        return next(parts);
    }

    private CompletableFuture<Void> next(ArrayDeque<Part> parts) {
        while (true) {
            Part part = parts.peek();
            if (part == null) {
                return CompletableFuture.completedFuture(null);
            }
            CompletableFuture<List<ByteStore.Entry>> page = part.cursor.next(PAGE_BYTES);
            if (!page.isDone() || page.isCompletedExceptionally()) {
                return page.thenCompose(entries -> {
                    take(parts, part, entries);
                    return next(parts);
                });
            }
            take(parts, part, page.join());
        }
    }

    private void take(ArrayDeque<Part> parts, Part part, List<ByteStore.Entry> entries) {
        if (entries.isEmpty()) {
            parts.remove();
        }
        for (ByteStore.Entry entry : entries) {
            store.load(part.family, entry);
        }
    }

    private record Part(Family family, MergeCursor cursor) {}
}
