// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A row's prefetch while it is out: the range of class 0, page by page up to the cap. */
final class RowRead {
    static final int CAP_BYTES = 64 << 10;

    private final Row row;
    private final int prefixBytes;
    private final ByteStore.Cursor cursor;
    private final long clock;
    private CompletableFuture<List<ByteStore.Entry>> page;
    private int bytes;
    private int lastCell;

    RowRead(Row row) {
        this.row = row;
        byte[] from = row.storeKey(1);
        from[from.length - 1] = KeyLayout.SCALAR;
        byte[] to = row.storeKey(1);
        to[to.length - 1] = KeyLayout.SCALAR + 1;
        byte[] prefix = row.storeKey(0);
        this.prefixBytes = prefix.length;
        this.clock = row.cache.now();
        this.cursor = row.store().scan(Family.ROWS, from, to, prefix);
        this.page = cursor.next(CAP_BYTES);
    }

    CompletableFuture<?> page() {
        return page;
    }

    /** Applies the pages that are there; whether that was all. */
    boolean apply() {
        while (page.isDone()) {
            List<ByteStore.Entry> entries;
            try {
                entries = Reads.value(page);
            } catch (RuntimeException e) {
                row.readFailed();
                cursor.close();
                throw e;
            }
            if (entries.isEmpty()) {
                finish(KeyLayout.TIMERS, true);
                return true;
            }
            for (ByteStore.Entry entry : entries) {
                byte[] key = entry.key();
                lastCell = KeyLayout.getInt(key, prefixBytes + 1);
                row.load(lastCell, key, prefixBytes + 5, entry.value(), clock);
                bytes += key.length + entry.value().length;
            }
            if (bytes >= CAP_BYTES) {
                finish(lastCell, false);
                return true;
            }
            page = cursor.next(CAP_BYTES - bytes);
        }
        return false;
    }

    private void finish(int last, boolean toEnd) {
        cursor.close();
        row.loaded(last, toEnd, clock);
    }
}
