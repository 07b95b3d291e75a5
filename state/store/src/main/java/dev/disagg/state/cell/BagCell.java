// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A bag of values, in the order they were added. Leader only. */
public final class BagCell<T> implements Cell {
    @Override
    public boolean resident() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<?> fetch() {
        throw new UnsupportedOperationException();
    }

    /** What is in the bag now; unmodifiable, and later calls do not change it. Needs {@link #resident}. */
    public List<T> read() {
        throw new UnsupportedOperationException();
    }

    /** Reads nothing. */
    public void add(T value) {
        throw new UnsupportedOperationException();
    }

    /** Needs {@link #resident}, unless something was added since the cell left the store. */
    public boolean isEmpty() {
        throw new UnsupportedOperationException();
    }

    public void clear() {
        throw new UnsupportedOperationException();
    }
}
