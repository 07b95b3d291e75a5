// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.state;

import dev.disagg.state.cell.BagCell;
import dev.disagg.state.cell.CollectionCell;
import dev.disagg.state.cell.Row;
import dev.disagg.state.cell.StoredRange;
import org.apache.beam.sdk.state.BagState;
import org.apache.beam.sdk.state.ReadableState;

/**
 * A bag: a cell with what was added last, and behind it, for a bag that is larger than a page, a collection of pages. So
 * memory never has a large bag as a whole. {@code add} reads nothing, but for a page that is full, and now and then when
 * nothing is known of the bag: one that is only ever added to must become pages too.
 */
record CellBag<T>(StepState state, Row row, BagCell<T> cell, int pagesCell) implements BagState<T> {
    static final int PAGE_BYTES = 1 << 20;

    @Override
    public void add(T value) {
        state.reads.check();
        cell.add(value);
        if (cell.bytes() >= PAGE_BYTES || (!cell.resident() && state.isTurnToRead())) {
            page();
        }
    }

    private void page() {
        state.ensure(cell);
        if (cell.bytes() >= PAGE_BYTES) {
            cell.moveTo(pages(), PAGE_BYTES);
        }
    }

    private CollectionCell pages() {
        CollectionCell pages = row.collection(pagesCell);
        state.bring(pages);
        return pages;
    }

    @Override
    public Iterable<T> read() {
        state.reads.check();
        state.ensure(cell);
        if (row.lacks(pagesCell)) {
            return cell.read();
        }
        StoredRange pages = pages().keep();
        return pages == null ? cell.read() : new PagedBag<>(state.reads, cell, pages, cell.read());
    }

    @Override
    public BagState<T> readLater() {
        state.readLater(cell);
        return this;
    }

    @Override
    public ReadableState<Boolean> isEmpty() {
        return CellValue.readable(() -> {
            state.reads.check();
            state.ensure(cell);
            return cell.isEmpty() && (row.lacks(pagesCell) || pages().isUntouched());
        });
    }

    @Override
    public void clear() {
        state.reads.check();
        cell.clear();
        if (!row.lacks(pagesCell)) {
            row.collection(pagesCell).clear();
        }
    }
}
