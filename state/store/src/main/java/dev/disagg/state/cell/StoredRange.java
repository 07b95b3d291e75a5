// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import dev.disagg.state.Family;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A range of a collection's stored entries. While it is reachable its entries are not swept, if it was made to be kept. */
public final class StoredRange {
    private final CellCache cache;
    private final byte[] first;
    private final byte[] end;
    private final byte[] rowPrefix;
    private final int prefixBytes;

    StoredRange(CellCache cache, byte[] first, byte[] end, byte[] rowPrefix, int prefixBytes) {
        this.cache = cache;
        this.first = first;
        this.end = end;
        this.rowPrefix = rowPrefix;
        this.prefixBytes = prefixBytes;
    }

    /** Its entries from the first. Leader only. */
    public Pages<CollectionCell.Entry> open() {
        return open(first);
    }

    /** Its first entry behind {@code sub}, or its very first when that is null; empty at the end. Leader only. */
    public CompletableFuture<List<CollectionCell.Entry>> first(byte @Nullable [] sub) {
        byte[] from = first;
        if (sub != null) {
            // The next key in order is this one and a zero byte.
            from = Arrays.copyOf(first, prefixBytes + sub.length + 1);
            System.arraycopy(sub, 0, from, prefixBytes, sub.length);
            from[from.length - 1] = 0;
        }
        if (Arrays.compareUnsigned(from, end) >= 0) {
            return CompletableFuture.completedFuture(List.of());
        }
        Pages<CollectionCell.Entry> pages = open(from);
        return pages.next(1).whenComplete((page, failure) -> pages.close());
    }

    private Pages<CollectionCell.Entry> open(byte[] from) {
        cache.counters.fetches++;
        return new StorePages<>(
                cache.store.scan(Family.ROWS, from, end, rowPrefix),
                entry -> new CollectionCell.Entry(
                        Arrays.copyOfRange(entry.key(), prefixBytes, entry.key().length), entry.value()));
    }
}
