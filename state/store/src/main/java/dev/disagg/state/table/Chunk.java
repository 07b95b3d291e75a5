// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

/**
 * Adjacent data blocks that came by one read, or one that was in the cache.
 *
 * @param first number of the first block
 * @param end number after the last block
 */
record Chunk(int first, int end, Source blocks, boolean fromSource) {
    /** Gives each block, by number; it may be checked and uncompressed only then. */
    @FunctionalInterface
    interface Source {
        Block block(int number);
    }
}
