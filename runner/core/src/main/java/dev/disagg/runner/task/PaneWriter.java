// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.runner.graph.View;
import dev.disagg.runner.state.Reads;
import dev.disagg.state.ByteStore;
import dev.disagg.state.SharedRuns;
import dev.disagg.ufs.Failed;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.transforms.Materializations;
import org.apache.beam.sdk.values.KV;
import org.jspecify.annotations.Nullable;

/**
 * Makes the panes of one side input out of their elements, which are walked once, in bounded memory: a small pane is kept
 * as it is, a large one streamed into a run that all readers link. One owner at a time.
 */
public final class PaneWriter {
    /** Handed to the background at once: one such chunk is written while the next is gathered. */
    private static final int CHUNK_BYTES = 512 << 10;

    private static final int ENTRY_BYTES = 64;

    private final View view;
    private final SharedRuns runs;
    private final int smallBytes;
    private final boolean multimap;
    private final boolean mayBeLarge;
    private final Coder<Object> coder;

    /** @param smallBytes encoded size up to which a pane is handed over by value */
    @SuppressWarnings("unchecked")
    public PaneWriter(View view, SharedRuns runs, int smallBytes) {
        this.view = view;
        this.runs = runs;
        this.smallBytes = smallBytes;
        this.coder = (Coder<Object>) view.view().getCoderInternal();
        this.multimap = Materializations.MULTIMAP_MATERIALIZATION_URN.equals(
                view.view().getViewFn().getMaterialization().getUrn());
        this.mayBeLarge = !multimap || hasEqualBytesForEqualKeys(coder);
    }

    /** A key is looked up by its bytes; a coder that may give others each time can be looked up in memory alone. */
    private static boolean hasEqualBytesForEqualKeys(Coder<?> coder) {
        try {
            ((KvCoder<?, ?>) coder).getKeyCoder().verifyDeterministic();
            return true;
        } catch (Coder.NonDeterministicException e) {
            return false;
        }
    }

    /**
     * @param copy whether the elements of a small pane are decoded again, so that nobody shares them
     * @return content that, when it is a run, is held once
     */
    ViewPane.Content write(Iterable<?> elements, boolean copy, Reads reads) {
        Iterator<?> all = elements.iterator();
        List<Object> first = new ArrayList<>();
        ByteArrayOutputStream encoded = new ByteArrayOutputStream();
        encoded.writeBytes(new byte[Integer.BYTES]);
        ByteArrayOutputStream one = new ByteArrayOutputStream();
        while (all.hasNext()) {
            Object element = all.next();
            one.reset();
            encode(coder, element, one);
            byte[] bytes = one.toByteArray();
            encoded.writeBytes(bytes);
            first.add(copy ? decode(bytes) : element);
            if (mayBeLarge && encoded.size() - Integer.BYTES > smallBytes) {
                return writeLarge(first, all, reads);
            }
        }
        byte[] bytes = encoded.toByteArray();
        ByteBuffer.wrap(bytes).putInt(0, first.size());
        return new ViewPane.Small(first, bytes);
    }

    private ViewPane.Large writeLarge(List<Object> first, Iterator<?> rest, Reads reads) {
        try (SharedRuns.Writer writer = multimap ? runs.sorting() : runs.inOrder()) {
            Chunks chunks = new Chunks(writer, reads);
            first.forEach(chunks::add);
            while (rest.hasNext()) {
                chunks.add(rest.next());
            }
            chunks.flush();
            reads.await(chunks.running);
            return new ViewPane.Large(reads.await(writer.finish()));
        }
    }

    /** Elements as entries, on their way to the run. */
    private final class Chunks {
        private final SharedRuns.Writer writer;
        private final Reads reads;
        private final ByteArrayOutputStream buffer = new ByteArrayOutputStream();
        private List<ByteStore.Entry> chunk = new ArrayList<>();
        private int bytes;
        private long number;
        private byte @Nullable [] lastKey;
        CompletableFuture<Void> running = CompletableFuture.completedFuture(null);

        Chunks(SharedRuns.Writer writer, Reads reads) {
            this.writer = writer;
            this.reads = reads;
        }

        @SuppressWarnings("unchecked")
        void add(Object element) {
            if (multimap) {
                KvCoder<Object, Object> kv = (KvCoder<Object, Object>) (Coder<?>) coder;
                KV<Object, Object> pair = (KV<Object, Object>) element;
                byte[] key = bytes(kv.getKeyCoder(), pair.getKey());
                if (!Arrays.equals(key, lastKey)) {
                    put(PaneLayout.keyEntry(key));
                    lastKey = key;
                }
                put(PaneLayout.entry(PaneLayout.valuesOf(key), number++, bytes(kv.getValueCoder(), pair.getValue())));
            } else {
                put(PaneLayout.entry(PaneLayout.ELEMENTS, number++, bytes(coder, element)));
            }
        }

        private byte[] bytes(Coder<Object> with, Object value) {
            buffer.reset();
            encode(with, value, buffer);
            return buffer.toByteArray();
        }

        private void put(ByteStore.Entry entry) {
            chunk.add(entry);
            bytes += ENTRY_BYTES + entry.key().length + entry.value().length;
            if (bytes >= CHUNK_BYTES) {
                flush();
            }
        }

        void flush() {
            reads.await(running);
            running = writer.append(chunk);
            chunk = new ArrayList<>();
            bytes = 0;
        }
    }

    private void encode(Coder<Object> with, Object value, ByteArrayOutputStream to) {
        try {
            with.encode(value, to);
        } catch (IOException e) {
            throw new Failed(
                    "an element of the side input " + view.id() + " can not be encoded by " + with + ": "
                            + e.getMessage() + "; check the coder of its collection",
                    e);
        }
    }

    private Object decode(byte[] bytes) {
        try {
            return coder.decode(new ByteArrayInputStream(bytes));
        } catch (IOException e) {
            throw new Failed(
                    "an element of the side input " + view.id() + " can not be decoded by " + coder + ": "
                            + e.getMessage() + "; check the coder of its collection",
                    e);
        }
    }
}
