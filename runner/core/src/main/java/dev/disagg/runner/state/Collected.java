// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.state;

import dev.disagg.state.cell.CollectionCell;
import dev.disagg.state.cell.Pages;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A collection of sub-keys, with waiting for what is not in memory. */
record Collected(StepState state, CollectionCell cell) {
    private static final int PAGE_BYTES = 1 << 20;

    byte @Nullable [] get(byte[] sub) {
        state.settle();
        state.reads.check();
        state.reads.beforeRead();
        CollectionCell.Lookup known = cell.getIfResident(sub);
        if (known == null) {
            fetchCell();
            known = cell.getIfResident(sub);
        } else {
            state.touched().add(cell);
        }
        return known != null ? known.value() : state.reads.await(cell.get(sub));
    }

    /** Starts what a read of the whole collection begins with. */
    void readLater() {
        state.readLater(cell);
    }

    /** Starts what a read of one entry waits for. */
    void readLater(byte[] sub) {
        state.readLater(cell);
        if (cell.resident()) {
            cell.prefetch(sub);
        }
    }

    /** Brings the cell itself, which says where its entries are. */
    private void fetchCell() {
        state.bring(cell);
    }

    void put(byte[] sub, byte[] value) {
        state.settle();
        state.reads.check();
        cell.put(sub, value);
    }

    void delete(byte[] sub) {
        state.settle();
        state.reads.check();
        cell.delete(sub);
    }

    void clear() {
        state.settle();
        state.reads.check();
        cell.clear();
    }

    /** Entries in [from, to) as of now. */
    List<CollectionCell.Entry> range(byte[] from, byte @Nullable [] to) {
        state.settle();
        state.reads.check();
        state.reads.beforeRead();
        fetchCell();
        List<CollectionCell.Entry> all = new ArrayList<>();
        try (Pages<CollectionCell.Entry> pages = cell.scan(from, to)) {
            for (List<CollectionCell.Entry> page = state.reads.await(pages.next(PAGE_BYTES));
                    !page.isEmpty();
                    page = state.reads.await(pages.next(PAGE_BYTES))) {
                all.addAll(page);
            }
        }
        return all;
    }

    /** The first entry that is not before {@code from}; null when there is none. */
    CollectionCell.@Nullable Entry first(byte[] from) {
        state.settle();
        state.reads.check();
        state.reads.beforeRead();
        fetchCell();
        try (Pages<CollectionCell.Entry> pages = cell.scan(from, null)) {
            List<CollectionCell.Entry> page = state.reads.await(pages.next(1));
            return page.isEmpty() ? null : page.get(0);
        }
    }

    List<CollectionCell.Entry> all() {
        return range(new byte[0], null);
    }

    boolean isEmpty() {
        state.settle();
        state.reads.check();
        state.reads.beforeRead();
        fetchCell();
        try (Pages<CollectionCell.Entry> pages = cell.scan(new byte[0], null)) {
            return state.reads.await(pages.next(1)).isEmpty();
        }
    }

    /** Clears [from, to). */
    void clearRange(byte[] from, byte @Nullable [] to) {
        range(from, to).forEach(entry -> cell.delete(entry.sub()));
    }
}
