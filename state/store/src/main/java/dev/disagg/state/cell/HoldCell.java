// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import java.util.concurrent.CompletableFuture;

/** A watermark hold. Leader only. */
public final class HoldCell implements Cell {
    @Override
    public boolean resident() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<?> fetch() {
        throw new UnsupportedOperationException();
    }

    /** The hold, {@link Long#MAX_VALUE} when there is none. Needs {@link #resident}. */
    public long read() {
        throw new UnsupportedOperationException();
    }

    /**
     * Holds the output watermark at {@code millis}. On a cell that is not resident, the hold that it replaces goes on
     * holding until the cell is read.
     */
    public void write(long millis) {
        throw new UnsupportedOperationException();
    }

    public void clear() {
        throw new UnsupportedOperationException();
    }
}
