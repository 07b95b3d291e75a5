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

    /**
     * @param dataBytes bound of the data blocks; 0 keeps none
     * @param tailBytes bound of the tails; a tail larger than this is read again for every lookup
     */
    public BlockCache(long dataBytes, long tailBytes) {
        throw new UnsupportedOperationException();
    }

    /** Counters and sizes now; not one instant's picture. */
    public Stats stats() {
        throw new UnsupportedOperationException();
    }

    /** Changes the bounds: the process-wide pool moved memory. Evicts at once when smaller. */
    public void resize(long dataBytes, long tailBytes) {
        throw new UnsupportedOperationException();
    }

    /** Drops everything. Tables stay readable and fill the cache again. */
    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
