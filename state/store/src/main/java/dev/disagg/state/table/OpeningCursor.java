// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A cursor that fetches the table's tail when it is first used. */
final class OpeningCursor implements TableCursor {
    private final BlockReader reader;
    private final byte[] from;
    private final byte @Nullable [] to;
    private final ReadMode mode;
    private final @Nullable Long rowHash;
    private @Nullable BlockCursor opened;
    private boolean closed;

    /** @param rowHash asked of the filter before anything is read; null for a cursor over more than a row */
    OpeningCursor(BlockReader reader, byte[] from, byte @Nullable [] to, ReadMode mode, @Nullable Long rowHash) {
        this.reader = reader;
        this.from = from;
        this.to = to;
        this.mode = mode;
        this.rowHash = rowHash;
    }

    @Override
    public CompletableFuture<@Nullable TableBlock> nextBlock() {
        if (closed) {
            return CompletableFuture.completedFuture(null);
        }
        return opened != null
                ? opened.nextBlock()
                : reader.tail().thenCompose(tail -> {
                    if (rowHash != null && !tail.bloom().mayContain(rowHash)) {
                        closed = true;
                        return CompletableFuture.completedFuture(null);
                    }
                    BlockCursor cursor = new BlockCursor(reader, tail.index(), from, to, mode);
                    opened = cursor;
                    return cursor.nextBlock();
                });
    }

    @Override
    public void close() {
        closed = true;
        opened = null;
    }
}
