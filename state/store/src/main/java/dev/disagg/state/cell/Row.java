// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import java.util.concurrent.CompletableFuture;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;

/** The cells of one (key, window). Leader only. */
public final class Row {
    /**
     * Whether the prefetch of the row was answered (applies it when it just arrived), or the row is known to be absent. A
     * cell beyond the prefetch's cap of 64 KiB may still be cold: {@link Cell#resident} knows.
     */
    public boolean resident() {
        throw new UnsupportedOperationException();
    }

    /**
     * One ranged read of the row's scalar cells. The future completes on any thread and says only that {@link #resident} is
     * to be asked again (it is rarely still false: then fetch again). The same future while a read is out; complete when
     * resident.
     */
    public CompletableFuture<?> fetch() {
        throw new UnsupportedOperationException();
    }

    public <T> ValueCell<T> value(int cell, CellCodec<T> codec) {
        throw new UnsupportedOperationException();
    }

    public <T> BagCell<T> bag(int cell, CellCodec<T> codec) {
        throw new UnsupportedOperationException();
    }

    /**
     * @param merge associative and commutative; may change and return its first argument
     * @param identity what an empty cell reads as; a fresh one at each call when it can be changed
     */
    public <A> AccumulatorCell<A> accumulator(
            int cell, CellCodec<A> codec, BinaryOperator<A> merge, Supplier<A> identity) {
        throw new UnsupportedOperationException();
    }

    /** A map, set, multimap or ordered list: sub-keys and values are bytes. */
    public CollectionCell collection(int cell) {
        throw new UnsupportedOperationException();
    }

    public HoldCell hold(int cell) {
        throw new UnsupportedOperationException();
    }

    /** Clears every cell of the row that is known, whether it was asked for or not: for an expired, resident row. */
    public void clearAll() {
        throw new UnsupportedOperationException();
    }
}
