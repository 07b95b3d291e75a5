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
 * The scan of a {@link TimeIndex} for due keys. When the head does not reach the bound, the keys are picked from the page
 * that is being read, on the thread that completes it: that uses nothing but the page and fields that the leader leaves
 * alone while its call is out.
 */
final class HeadScan implements DueScan {
    /** Keys remembered so that they do not come twice: well over what a task has in flight. */
    private static final int MAX_RECENT = 16_384;

    private final TimeIndex index;
    private final byte[] bound;
    private final Set<DueKey> recent = new LinkedHashSet<>();
    private byte[] from = KeyLayout.EMPTY;
    private byte @Nullable [] inserted;
    private @Nullable CompletableFuture<List<DueKey>> out;
    private boolean closed;

    HeadScan(TimeIndex index, byte[] bound) {
        this.index = index;
        this.bound = bound;
    }

    /** An entry was set: the scan goes back for it. */
    void inserted(byte[] key) {
        if (Arrays.compareUnsigned(key, bound) < 0
                && (inserted == null || Arrays.compareUnsigned(key, inserted) < 0)) {
            inserted = key;
        }
    }

    /** Whether the last page, read from the store, said so. */
    boolean exhausted() {
        return out != null && out.isDone() && (out.isCompletedExceptionally() || out.join().isEmpty());
    }

    @Override
    public CompletableFuture<List<DueKey>> next(int max) {
        if (out != null && !out.isDone()) {
            throw new IllegalStateException("the scan's last page is still out");
        }
        out = null;
        index.arrive();
        if (inserted != null && Arrays.compareUnsigned(inserted, from) < 0) {
            from = inserted;
        }
        inserted = null;
        while (!closed) {
            List<DueKey> keys = new ArrayList<>();
            for (Map.Entry<byte[], TimeIndex.HeadEntry> entry :
                    index.head().subMap(min(from, bound), true, bound, false).entrySet()) {
                if (keys.size() == max) {
                    break;
                }
                pick(entry.getKey(), entry.getValue().value, keys);
            }
            forget();
            if (!keys.isEmpty()) {
                return CompletableFuture.completedFuture(keys);
            }
            byte[] headEnd = index.headEnd();
            if (headEnd == null || Arrays.compareUnsigned(headEnd, bound) >= 0) {
                close();
            } else if (index.startRefill()) {
                index.arrive();
            } else {
                out = index.refillPage().thenApply(page -> pickFrom(page, max));
                return out;
            }
        }
        return CompletableFuture.completedFuture(List.of());
    }

    @Override
    public void close() {
        closed = true;
        index.closed(this);
    }

    private List<DueKey> pickFrom(List<ByteStore.Entry> page, int max) {
        List<DueKey> keys = new ArrayList<>();
        ByteStore.Entry last = null;
        for (ByteStore.Entry entry : page) {
            if (keys.size() == max || Arrays.compareUnsigned(entry.key(), bound) >= 0) {
                break;
            }
            last = entry;
            if (Arrays.compareUnsigned(entry.key(), from) >= 0) {
                pick(entry.key(), entry.value(), keys);
            }
        }
        if (keys.isEmpty() && last != null) {
            // Empty would say exhausted, and there may be more behind this page.
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

    private static DueKey dueKey(byte[] key, byte[] value) {
        // The value is empty, or the bytes of a key that the entry has only the digest of.
        return new DueKey(KeyLayout.hashOf(key), value.length > 0 ? value : Arrays.copyOfRange(key, 16, key.length));
    }

    private static byte[] min(byte[] a, byte[] b) {
        return Arrays.compareUnsigned(a, b) <= 0 ? a : b;
    }
}
