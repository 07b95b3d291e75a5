// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Fetches runs of adjacent data blocks by one read each. */
final class ChunkReader {
    private final BlockReader reader;
    private final Index index;
    private final ReadMode mode;

    ChunkReader(BlockReader reader, Index index, ReadMode mode) {
        this.reader = reader;
        this.index = index;
        this.mode = mode;
    }

    /**
     * Fetches from block {@code first} on.
     *
     * @param end number after the last block of interest
     * @param maximumBytes bound of the read; one block is read whatever its size
     */
    CompletableFuture<Chunk> fetch(int first, int end, long maximumBytes) {
        Block resident = resident(first);
        if (resident != null) {
            return CompletableFuture.completedFuture(new Chunk(first, first + 1, number -> resident, false));
        }
        return mode == ReadMode.FILL ? fill(first, end, maximumBytes) : read(first, end, maximumBytes);
    }

    private @Nullable Block resident(int number) {
        return switch (mode) {
            case FILL -> reader.cache().blocks().getIfPresent(reader.key(index, number));
            case PASS_BY -> reader.cache().blocks().peek(reader.key(index, number));
            case IGNORE -> null;
        };
    }

    private CompletableFuture<Chunk> read(int first, int end, long maximumBytes) {
        long start = index.offset(first);
        int next = first;
        long length = 0;
        do {
            length += reader.storedWithTrailer(index, next);
            next++;
        } while (next < end && follows(start + length, next, maximumBytes - length) && resident(next) == null);
        int last = next;
        return reader.read(start, Math.toIntExact(length))
                .thenApply(bytes -> new Chunk(
                        first,
                        last,
                        number -> reader.view(index, number, bytes, (int) (index.offset(number) - start)),
                        true));
    }

    private boolean follows(long offset, int number, long maximumBytes) {
        // Refuses without throwing: a block claimed already must be read.
        long length = index.storedBytes(number) + BlockFrame.TRAILER_BYTES;
        return index.offset(number) == offset
                && length >= BlockFrame.TRAILER_BYTES
                && length <= maximumBytes
                && offset + length <= reader.info().tailOffset();
    }

    /** As {@link #read}, but other readers of the same blocks wait for this one, and the cache gets the blocks. */
    private CompletableFuture<Chunk> fill(int first, int end, long maximumBytes) {
        WeightedCache<BlockCache.Key, Block> cache = reader.cache().blocks();
        cache.countMiss();
        long start = index.offset(first);
        long length = 0;
        List<CompletableFuture<Block>> claims = new ArrayList<>();
        int next = first;
        do {
            int storedBytes = reader.storedWithTrailer(index, next);
            CompletableFuture<Block> mine = new CompletableFuture<>();
            CompletableFuture<Block> other = cache.claim(reader.key(index, next), mine);
            if (other != null && next == first) {
                return other.thenApply(block -> new Chunk(first, first + 1, number -> block, true));
            }
            if (other != null) {
                break;
            }
            claims.add(mine);
            length += storedBytes;
            next++;
        } while (next < end && follows(start + length, next, maximumBytes - length));
        CompletableFuture<byte[]> read;
        try {
            read = reader.read(start, Math.toIntExact(length));
        } catch (RuntimeException | Error e) {
            read = CompletableFuture.failedFuture(e);
        }
        int last = next;
        return read.handle((bytes, failure) -> settle(first, start, claims, bytes, failure))
                .thenApply(blocks -> new Chunk(
                        first, last, number -> blocks.get(number - first).join(), true));
    }

    private List<CompletableFuture<Block>> settle(
            int first,
            long start,
            List<CompletableFuture<Block>> claims,
            byte @Nullable [] bytes,
            @Nullable Throwable failure) {
        for (int i = 0; i < claims.size(); i++) {
            int number = first + i;
            Block block = null;
            Throwable cause = failure == null ? null : Failures.cause(failure);
            if (bytes != null) {
                try {
                    // Blocks that are kept apart are let go apart.
                    block = claims.size() == 1
                            ? reader.view(index, number, bytes, 0)
                            : reader.open(index, number, bytes, (int) (index.offset(number) - start));
                } catch (RuntimeException | Error e) {
                    cause = e;
                }
            }
            reader.cache().blocks().settle(reader.key(index, number), claims.get(i), block, cause);
        }
        return claims;
    }
}
