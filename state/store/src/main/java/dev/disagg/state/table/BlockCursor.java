// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The cursor of a table: a chunk of blocks in use, and at most one more being read. */
final class BlockCursor implements TableCursor {
    /** Most bytes of one read: long enough that an object store's latency is small beside its transfer. */
    private static final long MAX_CHUNK_BYTES = 1 << 20;
    /** Second read of a cursor that starts with single blocks. */
    private static final long FIRST_AHEAD_BYTES = 64 << 10;

    private final BlockReader reader;
    private final byte[] from;
    private final byte @Nullable [] to;
    private final ReadMode mode;
    private final long maximumChunkBytes;
    private @Nullable Tail tail;
    private @Nullable ChunkReader chunks;
    private int start;
    private int next;
    private int end;
    private long chunkBytes;
    private @Nullable Chunk chunk;
    private @Nullable CompletableFuture<Chunk> ahead;

    BlockCursor(BlockReader reader, byte[] from, byte @Nullable [] to, ReadMode mode) {
        this.reader = reader;
        this.from = from;
        this.to = to;
        this.mode = mode;
        this.maximumChunkBytes = MAX_CHUNK_BYTES;
        // The first read of a cursor that fills the cache is one block: many cursors want no more.
        this.chunkBytes = mode == ReadMode.FILL ? 0 : maximumChunkBytes;
    }

    @Override
    public CompletableFuture<@Nullable TableBlock> nextBlock() {
        if (tail == null) {
            CompletableFuture<Tail> opening = mode == ReadMode.IGNORE ? reader.readTail() : reader.tail();
            return opening.thenCompose(opened -> {
                open(opened);
                return nextBlock();
            });
        }
        try {
            while (next < end) {
                if (chunk == null || next >= chunk.end()) {
                    CompletableFuture<Chunk> fetching = fetching();
                    if (!fetching.isDone()) {
                        return fetching.thenCompose(fetched -> {
                            use(fetched);
                            return nextBlock();
                        });
                    }
                    use(fetching.join());
                }
                TableBlock block = block(next++);
                if (!block.isEmpty()) {
                    return CompletableFuture.completedFuture(block);
                }
            }
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(Failures.cause(e));
        }
        return CompletableFuture.completedFuture(null);
    }

    private void open(Tail opened) {
        tail = opened;
        chunks = new ChunkReader(reader, opened.index(), mode);
        start = opened.index().locate(from);
        next = start;
        end = to == null
                ? opened.index().count()
                : Math.min(opened.index().count(), opened.index().locate(to) + 1);
    }

    private CompletableFuture<Chunk> fetching() {
        CompletableFuture<Chunk> fetching = ahead != null ? ahead : chunks.fetch(next, end, chunkBytes);
        ahead = null;
        return fetching;
    }

    private void use(Chunk fetched) {
        chunk = fetched;
        if (fetched.fromSource()) {
            boolean first = chunkBytes == 0;
            chunkBytes = Math.min(maximumChunkBytes, Math.max(FIRST_AHEAD_BYTES, 2 * chunkBytes));
            if (!first && fetched.end() < end) {
                ahead = chunks.fetch(fetched.end(), end, chunkBytes);
            }
        }
    }

    private TableBlock block(int number) {
        Index index = tail.index();
        boolean last = to != null && number == end - 1;
        return new TableBlock(
                reader.table(),
                index.offset(number),
                number,
                chunk.blocks().block(number),
                number == start ? from : null,
                last ? to : null);
    }

    @Override
    public void close() {
        ahead = null;
        chunk = null;
        next = end;
    }
}
