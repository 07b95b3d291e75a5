// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import dev.disagg.state.KeyRange;

/** Elements that wait in the store, by (group, arrival number). Leader only; arrays given are kept. */
public final class Inbox {
    /**
     * Appends an element.
     *
     * @param group key group, see {@link KeyRange}; the task's first one when elements have no key
     * @return its number, larger than all given before in this task and its parents
     */
    public long append(int group, byte[] element) {
        throw new UnsupportedOperationException();
    }

    public void remove(int group, long number) {
        throw new UnsupportedOperationException();
    }

    /** All elements, by group, then number. */
    public Pages<Item> all() {
        throw new UnsupportedOperationException();
    }

    /** The elements of one group, by number. */
    public Pages<Item> group(int group) {
        throw new UnsupportedOperationException();
    }

    /** A waiting element. */
    public record Item(int group, long number, byte[] element) {}
}
