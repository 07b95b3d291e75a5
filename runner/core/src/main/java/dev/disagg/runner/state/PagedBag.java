// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.state;

import dev.disagg.state.cell.BagCell;
import dev.disagg.state.cell.CollectionCell.Entry;
import dev.disagg.state.cell.StoredRange;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * What was in a large bag when it was read: pages come from the store while it is iterated, one at a time. Can be iterated
 * again and again, by any thread, after the bag has changed, and after an iteration that failed. An iterator is one
 * thread's.
 */
final class PagedBag<T> implements Iterable<T> {
    private final Reads reads;
    private final BagCell<T> cell;
    private final StoredRange pages;
    private final List<T> tail;

    /** @param tail what comes behind all pages */
    PagedBag(Reads reads, BagCell<T> cell, StoredRange pages, List<T> tail) {
        this.reads = reads;
        this.cell = cell;
        this.pages = pages;
        this.tail = tail;
    }

    @Override
    public Iterator<T> iterator() {
        return new PageIterator();
    }

    private final class PageIterator implements Iterator<T> {
        private Iterator<T> values = List.<T>of().iterator();
        private byte @Nullable [] last;
        private boolean inTail;

        @Override
        public boolean hasNext() {
            while (!values.hasNext()) {
                if (inTail) {
                    return false;
                }
                List<Entry> page = reads.anywhere(() -> pages.first(last));
                if (page.isEmpty()) {
                    inTail = true;
                    values = tail.iterator();
                } else {
                    last = page.get(0).sub();
                    values = cell.readPage(page.get(0).value()).iterator();
                }
            }
            return true;
        }

        @Override
        public T next() {
            if (!hasNext()) {
                throw new NoSuchElementException("all values of the bag were given");
            }
            return values.next();
        }
    }
}
