// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import org.jspecify.annotations.Nullable;

/**
 * A key in memory. An entry that is not pinned may be evicted by {@link TaskState#maintain}, with its attachment: do not
 * use it, its rows or its cells afterwards. Leader only.
 */
public final class KeyEntry {
    /** The caller's own; goes with the entry when that is evicted. */
    public @Nullable Object attachment;

    public long hash() {
        throw new UnsupportedOperationException();
    }

    /** Not modified by anybody. */
    public byte[] key() {
        throw new UnsupportedOperationException();
    }

    /** Keeps the entry, its rows and cells in memory until {@link #unpin}; counts. */
    public void pin() {
        throw new UnsupportedOperationException();
    }

    public void unpin() {
        throw new UnsupportedOperationException();
    }

    /**
     * The row of a window; {@code window} is kept, not copied.
     *
     * @throws dev.disagg.ufs.Invalid when the window's bytes are more than 65,535
     */
    public Row row(long windowEndMillis, byte[] window) {
        throw new UnsupportedOperationException();
    }

    /** The key's own row: no window, never expires. */
    public Row globalRow() {
        throw new UnsupportedOperationException();
    }

    /** The key's timers of all windows; they live in {@link #globalRow}. */
    public KeyTimers timers() {
        throw new UnsupportedOperationException();
    }
}
