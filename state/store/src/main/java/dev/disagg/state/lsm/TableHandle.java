// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.table.Table;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A table of a version, readable, with the number of versions that hold it. Thread-safe. */
final class TableHandle {
    final ManifestTable meta;
    final Table table;
    private final @Nullable OwnObject own;
    private final AtomicInteger versions = new AtomicInteger();

    /** @param own not null for a table in an object that this store wrote for itself */
    TableHandle(ManifestTable meta, Table table, @Nullable OwnObject own) {
        this.meta = meta;
        this.table = table;
        this.own = own;
    }

    void retain() {
        versions.incrementAndGet();
    }

    void release() {
        if (versions.decrementAndGet() == 0 && own != null) {
            own.letGo();
        }
    }

    /** A manifest names this table: from now on only the sweep deletes it. */
    void name() {
        if (own != null) {
            own.name();
        }
    }

    /** Whether the key is within the table's keys and clip. */
    boolean covers(byte[] key) {
        return meta.info().covers(key) && Clip.holds(meta.family(), meta.clip(), key);
    }
}
