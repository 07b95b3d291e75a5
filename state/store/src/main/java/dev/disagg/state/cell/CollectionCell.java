// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Sub-keys and values in unsigned byte order: what map, set, multimap and ordered-list state are made of. The cell itself
 * holds only the number of the current generation, so it comes with the row's prefetch; entries are read one by one or
 * scanned. Arrays given are kept, arrays handed out are not modified. Leader only.
 */
public final class CollectionCell implements Cell {
    /** Whether the generation is known: what {@link #get} and {@link #scan} need. */
    @Override
    public boolean resident() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<?> fetch() {
        throw new UnsupportedOperationException();
    }

    /** The value of {@code sub} as of this call, null when absent. Complete already when memory answers. */
    public CompletableFuture<byte @Nullable []> get(byte[] sub) {
        throw new UnsupportedOperationException();
    }

    /** What memory knows of {@code sub}; null when only a read can tell. Needs nothing. */
    public @Nullable Lookup getIfResident(byte[] sub) {
        throw new UnsupportedOperationException();
    }

    /** Reads nothing. */
    public void put(byte[] sub, byte[] value) {
        throw new UnsupportedOperationException();
    }

    /** Reads nothing. */
    public void delete(byte[] sub) {
        throw new UnsupportedOperationException();
    }

    /** The entries in {@code [from, to)} as of this call; null for the end. Needs {@link #resident}. */
    public Pages<Entry> scan(byte[] from, byte @Nullable [] to) {
        throw new UnsupportedOperationException();
    }

    /** Empties the collection without touching its entries: the next one goes to a new generation. Reads nothing. */
    public void clear() {
        throw new UnsupportedOperationException();
    }

    /** What memory knows of a sub-key: its value, or null when it is known to be absent. */
    public record Lookup(byte @Nullable [] value) {}

    /** A sub-key and its value. */
    public record Entry(byte[] sub, byte[] value) {}
}
