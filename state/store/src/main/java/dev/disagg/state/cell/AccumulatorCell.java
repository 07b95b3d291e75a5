// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import java.util.concurrent.CompletableFuture;

/** The running accumulator of a combine. Leader only. */
public final class AccumulatorCell<A> implements Cell {
    @Override
    public boolean resident() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<?> fetch() {
        throw new UnsupportedOperationException();
    }

    /** The accumulator, identity when empty; a fresh copy when the type can be changed. Needs {@link #resident}. */
    public A read() {
        throw new UnsupportedOperationException();
    }

    /** Merges {@code delta} in; reads nothing. The caller may change {@code delta} afterwards. */
    public void add(A delta) {
        throw new UnsupportedOperationException();
    }

    /** As {@link #add}, without its copy: {@code delta} is the cell's from now on. */
    public void addOwned(A delta) {
        throw new UnsupportedOperationException();
    }

    public void write(A accumulator) {
        throw new UnsupportedOperationException();
    }

    public void clear() {
        throw new UnsupportedOperationException();
    }

    /** Needs {@link #resident}, unless something was added since the cell left the store. */
    public boolean isEmpty() {
        throw new UnsupportedOperationException();
    }
}
