// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Blocks in memory, shared by all tables of a process: data blocks (uncompressed) apart from tails (index and filter), so
 * that a scan does not push out what finds blocks. Concurrent reads of one block or tail are one request; a failed read is
 * not kept.
 *
 * <p>Both are bounded by weight together. A tail that is not there costs a read of its own, many times a block's, at every lookup in
 * its table: so tails may take all but one eighth of what is meant for data blocks, and blocks get what tails leave.
 *
 * <p>Thread-safe. Eviction runs on the calling thread.
 */
public final class BlockCache implements AutoCloseable {
    /**
     * What the cache did since it was made.
     *
     * @param hits answers from memory, data blocks
     * @param misses reads from sources, data blocks; a reader that joins a read in flight counts as a miss, too
     * @param tailHits answers from memory, tails
     * @param tailMisses reads from sources, tails
     * @param dataBytes held now by data blocks, bookkeeping included
     * @param tailBytes held now by tails
     */
    public record Stats(long hits, long misses, long tailHits, long tailMisses, long dataBytes, long tailBytes) {}

    /** Identity of a data block: the table's unique name and the block's offset. */
    record Key(String table, long offset) {
        @Override
        public int hashCode() {
            return table.hashCode() * 31 + Long.hashCode(offset * 0x9e3779b97f4a7c15L);
        }
    }

    /** What an entry costs beside its bytes: key, block, array header, the cache's own node. */
    private static final int ENTRY_BYTES = 192;

    /** The part of the bound of data blocks that tails leave alone. */
    private static final int DATA_FLOOR_FRACTION = 8;

    private final WeightedCache<Key, Block> blocks;
    private final WeightedCache<String, Tail> tails;
    private volatile long dataBytes;
    private volatile long tailBytes;

    /**
     * @param dataBytes bound of the data blocks, of which tails may take a part; 0 keeps none
     * @param tailBytes what is set aside for tails
     */
    public BlockCache(long dataBytes, long tailBytes) {
        this.dataBytes = dataBytes;
        this.tailBytes = tailBytes;
        blocks = new WeightedCache<>(dataBytes, (key, block) -> block.bytes().length + ENTRY_BYTES);
        tails = new WeightedCache<>(
                mostTailBytes(dataBytes, tailBytes), (key, tail) -> tail.weightBytes() + ENTRY_BYTES);
    }

    private static long mostTailBytes(long dataBytes, long tailBytes) {
        return tailBytes + dataBytes - dataBytes / DATA_FLOOR_FRACTION;
    }

    WeightedCache<Key, Block> blocks() {
        return blocks;
    }

    WeightedCache<String, Tail> tails() {
        return tails;
    }

    /** The table's tail, loaded at most once whoever asks; data blocks make room for it. */
    CompletableFuture<Tail> tail(String table, Supplier<CompletableFuture<Tail>> loader) {
        return tails.get(
                table,
                () -> loader.get().thenApply(tail -> {
                    makeRoom(tails.weight() + tail.weightBytes() + ENTRY_BYTES);
                    return tail;
                }));
    }

    private void makeRoom(long tailsBytes) {
        long taken = Math.min(tailsBytes, mostTailBytes(dataBytes, tailBytes));
        blocks.resize(dataBytes - Math.max(0, taken - tailBytes));
    }

    /** Counters and sizes now; not one instant's picture. */
    public Stats stats() {
        return new Stats(blocks.hits(), blocks.misses(), tails.hits(), tails.misses(), blocks.weight(), tails.weight());
    }

    /** Changes the bounds: the process-wide pool moved memory. Evicts at once when smaller. */
    public void resize(long dataBytes, long tailBytes) {
        this.dataBytes = dataBytes;
        this.tailBytes = tailBytes;
        tails.resize(mostTailBytes(dataBytes, tailBytes));
        makeRoom(tails.weight());
    }

    /** Drops everything. Tables stay readable and fill the cache again. */
    @Override
    public void close() {
        blocks.clear();
        tails.clear();
    }
}
