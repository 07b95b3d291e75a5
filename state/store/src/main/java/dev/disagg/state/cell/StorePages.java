// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import dev.disagg.state.ByteStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A store's cursor, its entries decoded. The decoder is a pure function: it runs on whatever thread completes a read. */
final class StorePages<T> implements Pages<T> {
    private final ByteStore.@Nullable Cursor cursor;
    private final Function<ByteStore.Entry, T> decoder;

    StorePages(ByteStore.@Nullable Cursor cursor, Function<ByteStore.Entry, T> decoder) {
        this.cursor = cursor;
        this.decoder = decoder;
    }

    static <T> Pages<T> empty() {
        return new StorePages<>(null, entry -> {
            throw new IllegalStateException("an empty range has no entry");
        });
    }

    @Override
    public CompletableFuture<List<T>> next(int maxBytes) {
        if (cursor == null) {
            return CompletableFuture.completedFuture(List.of());
        }
        return cursor.next(maxBytes).thenApply(page -> {
            List<T> decoded = new ArrayList<>(page.size());
            for (ByteStore.Entry entry : page) {
                decoded.add(decoder.apply(entry));
            }
            return decoded;
        });
    }

    @Override
    public void close() {
        if (cursor != null) {
            cursor.close();
        }
    }
}
