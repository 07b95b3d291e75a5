// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

/** Positions of the task's source splits. Leader only; arrays given are kept. */
public final class Sources {
    /** Replaces the position of a split. */
    public void put(byte[] splitId, byte[] position) {
        throw new UnsupportedOperationException();
    }

    public void delete(byte[] splitId) {
        throw new UnsupportedOperationException();
    }

    /** All splits, by id. */
    public Pages<Item> all() {
        throw new UnsupportedOperationException();
    }

    /** A split and its position. */
    public record Item(byte[] splitId, byte[] position) {}
}
