// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The cursor of a table whose index is at hand: a chunk of blocks in use, and at most one more being read. */
final class BlockCursor implements TableCursor {
    /** Most bytes of one read: long enough that an object store's latency is small beside its transfer. */
    private static final long MAX_CHUNK_BYTES = 1 << 20;
    /** Second read of a cursor that starts with single blocks. */
    private static final long FIRST_AHEAD_BYTES = 64 << 10;

    private final String table;
    private final Index index;
    private final byte[] from;
    private final byte @Nullable [] to;
    private final ChunkReader chunks;
    private final int start;
    private int next;
    private int end;
    private long chunkBytes;
    private @Nullable Chunk chunk;
    private @Nullable CompletableFuture<Chunk> ahead;

    BlockCursor(BlockReader reader, Index index, byte[] from, byte @Nullable [] to, ReadMode mode) {
        this.table = reader.table();
        this.index = index;
        this.from = from;
        this.to = to;
        this.chunks = new ChunkReader(reader, index, mode);
        this.start = index.locate(from);
        this.next = start;
        this.end = to == null ? index.count() : Math.min(index.count(), last(index, start, to) + 1);
        // The first read of a cursor that fills the cache is one block: many cursors want no more.
        this.chunkBytes = mode == ReadMode.FILL ? 0 : MAX_CHUNK_BYTES;
    }

    /** The block that may hold {@code to}; within a row it is most often the first one. */
    private static int last(Index index, int start, byte[] to) {
        return start < index.count() && index.reaches(start, to) ? start : index.locate(to);
    }

    @Override
    public CompletableFuture<@Nullable TableBlock> nextBlock() {
        try {
            while (next < end) {
                Chunk current = chunk;
                if (current == null || next >= current.end()) {
                    CompletableFuture<Chunk> fetching = ahead != null ? ahead : chunks.fetch(next, end, chunkBytes);
                    ahead = null;
                    if (!fetching.isDone()) {
                        return fetching.thenCompose(fetched -> {
                            use(fetched);
                            return nextBlock();
                        });
                    }
                    current = fetching.join();
                    use(current);
                }
                TableBlock block = block(current, next++);
                if (!block.isEmpty()) {
                    return CompletableFuture.completedFuture(block);
                }
            }
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(Failures.cause(e));
        }
        return CompletableFuture.completedFuture(null);
    }

    private void use(Chunk fetched) {
        chunk = fetched;
        if (fetched.fromSource()) {
            boolean first = chunkBytes == 0;
            chunkBytes = Math.min(MAX_CHUNK_BYTES, Math.max(FIRST_AHEAD_BYTES, 2 * chunkBytes));
            if (!first && fetched.end() < end) {
                ahead = chunks.fetch(fetched.end(), end, chunkBytes);
            }
        }
    }

    private TableBlock block(Chunk current, int number) {
        return new TableBlock(
                table,
                index.offset(number),
                number,
                current.blocks().block(number),
                number == start ? from : null,
                number == end - 1 ? to : null);
    }

    @Override
    public void close() {
        ahead = null;
        chunk = null;
        end = next;
    }
}
