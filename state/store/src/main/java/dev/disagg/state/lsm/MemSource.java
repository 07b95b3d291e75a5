// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.table.TableEntry;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The entries of a memtable's snapshot. */
final class MemSource implements Source {
    private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);
    private static final int ENTRIES_PER_CHUNK = 256;
    private static final int BYTES_PER_CHUNK = 64 << 10;

    private final Memtable.Snapshot snapshot;
    private List<TableEntry> chunk = List.of();
    private int at;
    private boolean ended;

    MemSource(Memtable.Snapshot snapshot) {
        this.snapshot = snapshot;
    }

    @Override
    public @Nullable TableEntry head() {
        return at < chunk.size() ? chunk.get(at) : null;
    }

    @Override
    public boolean ended() {
        return ended;
    }

    @Override
    public void pop() {
        at++;
    }

    @Override
    public CompletableFuture<Void> fill() {
        chunk = snapshot.next(ENTRIES_PER_CHUNK, BYTES_PER_CHUNK);
        at = 0;
        if (chunk.isEmpty()) {
            ended = true;
            snapshot.close();
        }
        return DONE;
    }

    @Override
    public void close() {
        ended = true;
        chunk = List.of();
        at = 0;
        snapshot.close();
    }
}
