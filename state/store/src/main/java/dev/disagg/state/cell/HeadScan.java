// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import dev.disagg.state.ByteStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The scan of a {@link TimeIndex} for due keys: first those of the head, then pages of the store behind it, which it reads
 * by itself since the head may be full of entries that came already and have not fired yet. Keys of a page that was waited
 * for are picked on the thread that completes it: that uses nothing but the page and fields that the leader leaves alone
 * while its call is out.
 */
final class HeadScan implements DueScan {
    /** Keys remembered so that they do not come twice: well over what a task has in flight. */
    private static final int MAX_RECENT = 16_384;

    private static final int PAGE_BYTES = 32 << 10;

    private final TimeIndex index;
    private final byte[] bound;
    private final Set<DueKey> recent = new LinkedHashSet<>();
    private byte[] from = KeyLayout.EMPTY;
    private byte @Nullable [] inserted;
    private ByteStore.@Nullable Cursor cursor;
    private @Nullable CompletableFuture<List<ByteStore.Entry>> page;
    private @Nullable CompletableFuture<List<DueKey>> out;
    private boolean closed;

    HeadScan(TimeIndex index, byte[] bound) {
        this.index = index;
        this.bound = bound;
    }

    /** An entry was set: the scan goes back for it. */
    void inserted(byte[] key) {
        if (Arrays.compareUnsigned(key, bound) < 0 && (inserted == null || Arrays.compareUnsigned(key, inserted) < 0)) {
            inserted = key;
        }
    }

    /** Whether the last page, read from the store, said so. */
    boolean exhausted() {
        return out != null
                && out.isDone()
                && (out.isCompletedExceptionally() || out.join().isEmpty());
    }

    @Override
    public CompletableFuture<List<DueKey>> next(int max) {
        if (out != null && !out.isDone()) {
            throw new IllegalStateException("the scan's last page is still out");
        }
        out = null;
        index.arrive();
        if (inserted != null) {
            from = min(from, inserted);
            inserted = null;
            // The page may be older than what was inserted.
            dropPage();
        }
        while (!closed) {
            List<DueKey> keys = new ArrayList<>();
            pickFromHead(keys, max);
            if (keys.isEmpty() && page != null && page.isDone()) {
                pickFrom(Reads.value(page), keys, max);
            }
            forget();
            if (!keys.isEmpty()) {
                return CompletableFuture.completedFuture(keys);
            }
            byte[] headEnd = index.headEnd();
            boolean behindLastPage =
                    page != null && page.isDone() && Reads.value(page).isEmpty();
            if (behindLastPage || headEnd == null || Arrays.compareUnsigned(headEnd, bound) >= 0) {
                close();
                break;
            }
            if (page == null || page.isDone()) {
                dropPage();
                cursor = index.scan(max(from, headEnd), bound);
                page = cursor.next(PAGE_BYTES);
            }
            if (!page.isDone()) {
                out = page.thenApply(entries -> pickFromLate(entries, max));
                return out;
            }
        }
        return CompletableFuture.completedFuture(List.of());
    }

    @Override
    public List<DueKey> upcoming(int max) {
        List<DueKey> keys = new ArrayList<>();
        if (closed || (out != null && !out.isDone())) {
            return keys;
        }
        byte[] first = inserted == null ? from : min(from, inserted);
        for (Map.Entry<byte[], TimeIndex.HeadEntry> entry :
                index.head().subMap(min(first, bound), true, bound, false).entrySet()) {
            if (keys.size() == max) {
                return keys;
            }
            see(entry.getKey(), entry.getValue().value, keys);
        }
        if (page != null && page.isDone() && !page.isCompletedExceptionally()) {
            for (ByteStore.Entry entry : page.join()) {
                if (keys.size() == max) {
                    return keys;
                }
                if (Arrays.compareUnsigned(entry.key(), first) >= 0) {
                    see(entry.key(), entry.value(), keys);
                }
            }
        }
        return keys;
    }

    private void see(byte[] key, byte[] value, List<DueKey> keys) {
        DueKey due = dueKey(key, value);
        if (!recent.contains(due)) {
            keys.add(due);
        }
    }

    @Override
    public void close() {
        closed = true;
        dropPage();
        index.closed(this);
    }

    private void dropPage() {
        if (cursor != null) {
            cursor.close();
            cursor = null;
            page = null;
        }
    }

    private void pickFromHead(List<DueKey> keys, int max) {
        for (Map.Entry<byte[], TimeIndex.HeadEntry> entry :
                index.head().subMap(min(from, bound), true, bound, false).entrySet()) {
            if (keys.size() == max) {
                return;
            }
            pick(entry.getKey(), entry.getValue().value, keys);
        }
    }

    private void pickFrom(List<ByteStore.Entry> entries, List<DueKey> keys, int max) {
        for (ByteStore.Entry entry : entries) {
            if (keys.size() == max) {
                return;
            }
            if (Arrays.compareUnsigned(entry.key(), from) >= 0) {
                pick(entry.key(), entry.value(), keys);
            }
        }
    }

    private List<DueKey> pickFromLate(List<ByteStore.Entry> entries, int max) {
        List<DueKey> keys = new ArrayList<>();
        pickFrom(entries, keys, max);
        if (keys.isEmpty() && !entries.isEmpty()) {
            // Empty would say exhausted, and there may be more behind this page.
            ByteStore.Entry last = entries.get(entries.size() - 1);
            keys.add(dueKey(last.key(), last.value()));
        }
        return keys;
    }

    private void pick(byte[] key, byte[] value, List<DueKey> keys) {
        from = KeyLayout.successor(key);
        DueKey due = dueKey(key, value);
        if (recent.add(due)) {
            keys.add(due);
        }
    }

    private void forget() {
        Iterator<DueKey> eldest = recent.iterator();
        while (recent.size() > MAX_RECENT) {
            eldest.next();
            eldest.remove();
        }
    }

    static DueKey dueKey(byte[] key, byte[] value) {
        // The value is empty, or the bytes of a key that the entry has only the digest of.
        return new DueKey(KeyLayout.hashOf(key), value.length > 0 ? value : Arrays.copyOfRange(key, 16, key.length));
    }

    private static byte[] max(byte[] a, byte[] b) {
        return Arrays.compareUnsigned(a, b) >= 0 ? a : b;
    }

    private static byte[] min(byte[] a, byte[] b) {
        return Arrays.compareUnsigned(a, b) <= 0 ? a : b;
    }
}
