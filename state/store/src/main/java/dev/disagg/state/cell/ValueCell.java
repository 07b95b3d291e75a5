// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One value. Leader only. */
public final class ValueCell<T> implements Cell {
    @Override
    public boolean resident() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<?> fetch() {
        throw new UnsupportedOperationException();
    }

    /** The value, null when there is none; a fresh copy when the type can be changed. Needs {@link #resident}. */
    public @Nullable T read() {
        throw new UnsupportedOperationException();
    }

    public void write(T value) {
        throw new UnsupportedOperationException();
    }

    public void clear() {
        throw new UnsupportedOperationException();
    }
}
