// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Moves forward through a table, block by block. Not thread-safe; blocks handed out stay valid after the cursor moved on
 * or was closed.
 */
public interface TableCursor extends AutoCloseable {
    /**
     * The next block that has entries of the range, or a null value at the end. Complete already when the block is in
     * memory. Called again only after the previous future completed. After a failure the cursor is of no use.
     */
    CompletableFuture<@Nullable TableBlock> nextBlock();

    /** Gives up what was read ahead. */
    @Override
    void close();
}
