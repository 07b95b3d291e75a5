// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import java.util.concurrent.CompletableFuture;

/**
 * One state cell of a (key, window). Valid while its {@link KeyEntry} is pinned, or until the next
 * {@link TaskState#maintain}: afterwards ask for it again. Leader only.
 */
public interface Cell {
    /** Its number, by {@link TaskState#cellId}. */
    int id();

    /** The row that it is in. */
    Row row();

    /** Whether the cell's content is known, so that a read waits for nothing. */
    boolean resident();

    /**
     * Reads just this cell. The future completes on any thread and says only that {@link #resident} is to be asked again
     * (it is rarely still false: then fetch again). The same future while a read is out; complete when resident. A value
     * written meanwhile is not overwritten by what arrives.
     */
    CompletableFuture<?> fetch();
}
