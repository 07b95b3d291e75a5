// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.heap;

import dev.disagg.state.ByteStore;
import dev.disagg.state.lsm.Memtable;
import dev.disagg.state.table.TableEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Pages over a map's snapshot. */
final class HeapCursor implements ByteStore.Cursor {
    private static final int ENTRIES_PER_PAGE = 1024;

    private final Memtable.Snapshot snapshot;

    HeapCursor(Memtable.Snapshot snapshot) {
        this.snapshot = snapshot;
    }

    @Override
    public CompletableFuture<List<ByteStore.Entry>> next(int maxBytes) {
        List<ByteStore.Entry> page = new ArrayList<>();
        for (TableEntry entry : snapshot.next(ENTRIES_PER_PAGE, maxBytes)) {
            page.add(new ByteStore.Entry(entry.key(), entry.value()));
        }
        if (page.isEmpty()) {
            snapshot.close();
        }
        return CompletableFuture.completedFuture(page);
    }

    @Override
    public void close() {
        snapshot.close();
    }
}
