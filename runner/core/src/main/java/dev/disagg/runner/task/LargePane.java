// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.runner.state.Reads;
import dev.disagg.state.ByteStore;
import dev.disagg.state.SharedRun;
import dev.disagg.ufs.Failed;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.AbstractList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.transforms.Materializations;

/**
 * A large pane as the primitive views that Beam's view functions are given. Nothing is kept: elements come page by page,
 * through the process's block cache. What waits hands the leadership over, so a view is used by one chain alone.
 */
final class LargePane {
    private static final int PAGE_BYTES = 128 << 10;

    private final String viewId;
    private final SharedRun run;
    private final Reads reads;

    LargePane(String viewId, SharedRun run, Reads reads) {
        this.viewId = viewId;
        this.run = run;
        this.reads = reads;
    }

    <T> Materializations.IterableView<T> iterable(Coder<T> coder) {
        Iterable<T> elements = pages(() -> run.row(PaneLayout.ELEMENTS), entry -> decode(coder, entry.value()));
        if (run.entries() > Integer.MAX_VALUE) {
            return () -> elements;
        }
        List<T> list = new Elements<>(coder, elements);
        return () -> list;
    }

    /** The elements of an iterable at any index: of a list, Beam asks the iterable below it. */
    private final class Elements<T> extends AbstractList<T> {
        private final Coder<T> coder;
        private final Iterable<T> inOrder;

        Elements(Coder<T> coder, Iterable<T> inOrder) {
            this.coder = coder;
            this.inOrder = inOrder;
        }

        @Override
        public T get(int index) {
            Objects.checkIndex(index, size());
            reads.check();
            reads.beforeRead();
            try (ByteStore.Cursor cursor = run.row(PaneLayout.ELEMENTS, index)) {
                return decode(coder, reads.await(cursor.next(1)).get(0).value());
            }
        }

        @Override
        public int size() {
            return (int) run.entries();
        }

        @Override
        public Iterator<T> iterator() {
            return inOrder.iterator();
        }
    }

    <K, V> Materializations.MultimapView<K, V> multimap(KvCoder<K, V> coder) {
        return new Materializations.MultimapView<>() {
            @Override
            public Iterable<K> get() {
                return pages(
                        () -> run.rows(PaneLayout.KEYS), entry -> decode(coder.getKeyCoder(), PaneLayout.keyOf(entry)));
            }

            @Override
            public Iterable<V> get(K key) {
                byte[] row = PaneLayout.valuesOf(encode(coder.getKeyCoder(), key));
                return pages(() -> run.row(row), entry -> decode(coder.getValueCoder(), entry.value()));
            }
        };
    }

    private <T> Iterable<T> pages(Supplier<ByteStore.Cursor> open, Function<ByteStore.Entry, T> decoder) {
        return () -> {
            reads.check();
            reads.beforeRead();
            return new Pages<>(open.get(), decoder);
        };
    }

    private final class Pages<T> implements Iterator<T> {
        private final ByteStore.Cursor cursor;
        private final Function<ByteStore.Entry, T> decoder;
        private List<ByteStore.Entry> page = List.of();
        private int at;
        private boolean ended;

        Pages(ByteStore.Cursor cursor, Function<ByteStore.Entry, T> decoder) {
            this.cursor = cursor;
            this.decoder = decoder;
        }

        @Override
        public boolean hasNext() {
            if (at == page.size() && !ended) {
                page = reads.await(cursor.next(PAGE_BYTES));
                at = 0;
                ended = page.isEmpty();
            }
            return at < page.size();
        }

        @Override
        public T next() {
            if (!hasNext()) {
                throw new NoSuchElementException("the side input " + viewId + " has no more elements");
            }
            return decoder.apply(page.get(at++));
        }
    }

    private <T> byte[] encode(Coder<T> coder, T value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            coder.encode(value, bytes);
        } catch (IOException e) {
            throw new Failed(
                    "a key that is looked up in the side input " + viewId + " can not be encoded by " + coder + ": "
                            + e.getMessage(),
                    e);
        }
        return bytes.toByteArray();
    }

    private <T> T decode(Coder<T> coder, byte[] bytes) {
        try {
            return coder.decode(new ByteArrayInputStream(bytes));
        } catch (IOException e) {
            throw new Failed(
                    "an element of the side input " + viewId + " can not be decoded by " + coder + ": " + e.getMessage()
                            + "; has the coder of its collection changed?",
                    e);
        }
    }
}
