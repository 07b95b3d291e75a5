// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;

/** Positions of the task's source splits. Leader only; arrays given are kept. */
public final class Sources {
    private final ByteStore store;

    Sources(ByteStore store) {
        this.store = store;
    }

    /** Replaces the position of a split. */
    public void put(byte[] splitId, byte[] position) {
        store.put(Family.SOURCES, splitId, position);
    }

    /** Removes a split; nothing happens when there is none. */
    public void delete(byte[] splitId) {
        store.delete(Family.SOURCES, splitId);
    }

    /** All splits, by id. */
    public Pages<Item> all() {
        return new StorePages<>(
                store.scan(Family.SOURCES, KeyLayout.EMPTY, null, null), entry -> new Item(entry.key(), entry.value()));
    }

    /** A split and its position. */
    public record Item(byte[] splitId, byte[] position) {}
}
