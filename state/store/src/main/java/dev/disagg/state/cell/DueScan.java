// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Walks the keys that have a timer before a bound, earliest first. Leader only; a scan read to its end is closed.
 */
public interface DueScan extends AutoCloseable {
    /**
     * Up to {@code max} keys, each once per scan; an empty list means that the scan is exhausted. Complete already when
     * memory answers. One call at a time. A key may come although its due timer was cleared meanwhile (then
     * {@link KeyTimers#firstDue} says so), and once more when thousands of other keys came in between. An entry that is
     * set while the scan is open, before its bound, is found too unless its key came already.
     */
    CompletableFuture<List<DueKey>> next(int max);

    /**
     * Keys that {@link #next} will very likely bring soon, earliest first, as far as memory knows; at most {@code max}. Takes
     * nothing from the scan and reads nothing: for starting the reads of their rows ahead. None while a page is out.
     */
    List<DueKey> upcoming(int max);

    @Override
    void close();
}
