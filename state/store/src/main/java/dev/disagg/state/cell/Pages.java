// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Entries in order, seen as of the moment it was opened, a page at a time. Leader only; close what is not read to its end.
 *
 * @param <T> type of the entries
 */
public interface Pages<T> extends AutoCloseable {
    /** The next entries, about {@code maxBytes} of them but at least one; empty at the end. One call at a time. */
    CompletableFuture<List<T>> next(int maxBytes);

    @Override
    void close();
}
