// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

/**
 * Blocks in memory, shared by all tables of a process: data blocks (uncompressed) apart from tails (index and filter), so
 * that a scan does not push out what finds blocks. Each part is bounded by weight. Concurrent reads of one block or tail
 * are one request; a failed read is not kept.
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

    private final WeightedCache<Key, Block> blocks;
    private final WeightedCache<String, Tail> tails;

    /**
     * @param dataBytes bound of the data blocks; 0 keeps none
     * @param tailBytes bound of the tails; a tail larger than this is read again for every lookup
     */
    public BlockCache(long dataBytes, long tailBytes) {
        blocks = new WeightedCache<>(dataBytes, (key, block) -> block.bytes().length + ENTRY_BYTES);
        tails = new WeightedCache<>(tailBytes, (key, tail) -> tail.weightBytes() + ENTRY_BYTES);
    }

    WeightedCache<Key, Block> blocks() {
        return blocks;
    }

    WeightedCache<String, Tail> tails() {
        return tails;
    }

    /** Counters and sizes now; not one instant's picture. */
    public Stats stats() {
        return new Stats(blocks.hits(), blocks.misses(), tails.hits(), tails.misses(), blocks.weight(), tails.weight());
    }

    /** Changes the bounds: the process-wide pool moved memory. Evicts at once when smaller. */
    public void resize(long dataBytes, long tailBytes) {
        blocks.resize(dataBytes);
        tails.resize(tailBytes);
    }

    /** Drops everything. Tables stay readable and fill the cache again. */
    @Override
    public void close() {
        blocks.clear();
        tails.clear();
    }
}
