// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.rocksdb;

import dev.disagg.state.ByteStore;
import dev.disagg.state.ByteStore.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/** Pages over a native iterator, which sees the database as of its beginning. Ends with the database. */
final class RocksCursor implements ByteStore.Cursor {
    private static final int ENTRIES_PER_PAGE = 1024;

    private final Database database;
    private final RocksIterator entries;
    private final Handles handles;
    private boolean released;

    /** @param handles of the iterator and what it points to */
    RocksCursor(Database database, RocksIterator entries, Handles handles) {
        this.database = database;
        this.entries = entries;
        this.handles = handles;
    }

    @Override
    public CompletableFuture<List<Entry>> next(int maxBytes) {
        List<Entry> page;
        try {
            page = database.page(this, maxBytes);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
        if (page.isEmpty()) {
            close();
        }
        return CompletableFuture.completedFuture(page);
    }

    /** Called by the database, in its lock. */
    List<Entry> page(int maxBytes) throws RocksDBException {
        List<Entry> page = new ArrayList<>();
        if (released) {
            return page;
        }
        long bytes = 0;
        while (page.size() < ENTRIES_PER_PAGE && (page.isEmpty() || bytes < maxBytes) && entries.isValid()) {
            Entry entry = new Entry(entries.key(), entries.value());
            bytes += entry.key().length + entry.value().length;
            page.add(entry);
            entries.next();
        }
        if (!entries.isValid()) {
            entries.status();
        }
        return page;
    }

    /** Called by the database, in its lock. */
    void release() {
        released = true;
        handles.close();
    }

    @Override
    public void close() {
        database.close(this);
    }
}
