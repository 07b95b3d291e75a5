// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.ufs.UnifiedFileSystem;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An object that this store wrote for itself (a big flush, a compaction output): deleted at once when its last table is
 * let go before any manifest named one. Once named it is the sweep's. Thread-safe.
 */
final class OwnObject {
    private final UnifiedFileSystem ufs;
    private final String object;
    private final AtomicInteger tables;
    private volatile boolean named;

    OwnObject(UnifiedFileSystem ufs, String object, int tables) {
        this.ufs = ufs;
        this.object = object;
        this.tables = new AtomicInteger(tables);
    }

    void name() {
        named = true;
    }

    void letGo() {
        if (tables.decrementAndGet() == 0 && !named) {
            ufs.discard(object);
        }
    }
}
