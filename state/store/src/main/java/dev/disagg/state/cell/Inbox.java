// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.ufs.Invalid;
import org.jspecify.annotations.Nullable;

/** Elements that wait in the store, by (group, arrival number). Leader only; arrays given are kept. */
public final class Inbox {
    private final ByteStore store;
    private long next;

    Inbox(ByteStore store, long next) {
        this.store = store;
        this.next = next;
    }

    /**
     * Appends an element.
     *
     * @param group key group, see {@link KeyRange}; the task's first one when elements have no key
     * @return its number, larger than all given before in this task and its parents
     */
    public long append(int group, byte[] element) {
        long number = next++;
        store.put(Family.INBOX, key(group, number), element);
        return number;
    }

    /** Removes an element; nothing happens when there is none. */
    public void remove(int group, long number) {
        store.delete(Family.INBOX, key(group, number));
    }

    /** All elements, by group, then number. */
    public Pages<Item> all() {
        return pages(KeyLayout.EMPTY, null);
    }

    /** The elements of one group, by number. */
    public Pages<Item> group(int group) {
        return pages(key(group, 0), key(group, Long.MAX_VALUE));
    }

    /** The elements of one group whose numbers are in [first, end), by number. */
    public Pages<Item> range(int group, long first, long end) {
        return pages(key(group, first), key(group, end));
    }

    long next() {
        return next;
    }

    private Pages<Item> pages(byte[] from, byte @Nullable [] to) {
        return new StorePages<>(
                store.scan(Family.INBOX, from, to, null),
                entry -> new Item(
                        KeyLayout.getInt(entry.key(), 0) >>> 16, KeyLayout.getLong(entry.key(), 2), entry.value()));
    }

    private static byte[] key(int group, long number) {
        if (group < 0 || group >= KeyRange.GROUPS) {
            throw new Invalid("not a key group: " + group + " of " + KeyRange.GROUPS);
        }
        byte[] key = new byte[10];
        KeyLayout.setShort(key, 0, group);
        KeyLayout.setLong(key, 2, number);
        return key;
    }

    /** A waiting element. */
    public record Item(int group, long number, byte[] element) {}
}
