// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import dev.disagg.state.Family;
import dev.disagg.ufs.Invalid;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A key in memory. The rows of an entry that is not pinned may be evicted by {@link TaskState#maintain}; when it is not kept
 * either, the entry, too, with its attachment: do not use them afterwards. Leader only.
 */
public final class KeyEntry {
    private static final int MANY_ROWS = 8;

    /** The caller's own; goes with the entry when that is evicted. */
    public @Nullable Object attachment;

    final CellCache cache;
    private final long hash;
    private final byte[] key;
    private byte @Nullable [] keyField;
    private int pins;
    private int keeps;
    private Row[] rows = new Row[2];
    private int rowCount;
    private @Nullable Row last;
    private @Nullable Row global;
    private @Nullable Map<Window, Row> byWindow;
    boolean referenced;
    int ringIndex;
    private boolean fullKeyStored;

    KeyEntry(CellCache cache, long hash, byte[] key) {
        this.cache = cache;
        this.hash = hash;
        this.key = key;
    }

    public long hash() {
        return hash;
    }

    /** Not modified by anybody. */
    public byte[] key() {
        return key;
    }

    /** Keeps the entry, its rows and cells in memory until {@link #unpin}; counts. */
    public void pin() {
        pins++;
    }

    public void unpin() {
        if (pins == 0) {
            throw new IllegalStateException("unpin without pin of key " + KeyLayout.hex(key));
        }
        pins--;
    }

    /** Keeps the entry with its attachment in memory, but not its rows, until {@link #unkeep}; counts. */
    public void keep() {
        keeps++;
    }

    public void unkeep() {
        if (keeps == 0) {
            throw new IllegalStateException("unkeep without keep of key " + KeyLayout.hex(key));
        }
        keeps--;
    }

    /**
     * The row of a window; {@code window} is kept, not copied.
     *
     * @throws dev.disagg.ufs.Invalid when the window's bytes are more than 65,535
     */
    public Row row(long windowEndMillis, byte[] window) {
        Row row = last;
        if (row == null || row.windowEndMillis != windowEndMillis || !Arrays.equals(row.window, window)) {
            row = find(windowEndMillis, window);
            if (row == null) {
                row = add(windowEndMillis, window);
            }
            last = row;
        }
        row.referenced = true;
        return row;
    }

    /** The key's own row: no window, never expires. */
    public Row globalRow() {
        Row row = global;
        if (row == null) {
            row = add(Long.MAX_VALUE, KeyLayout.EMPTY);
        }
        row.referenced = true;
        return row;
    }

    /** The key's timers of all windows; they live in {@link #globalRow}. */
    public KeyTimers timers() {
        return globalRow().timers();
    }

    /** What goes into stored keys for this one. */
    byte[] keyField() {
        byte[] field = keyField;
        if (field == null) {
            field = KeyLayout.keyField(key);
            keyField = field;
        }
        return field;
    }

    /** What a time index entry carries besides its key. */
    byte[] indexValue() {
        return keyField() == key ? KeyLayout.EMPTY : key;
    }

    /**
     * Before anything of a key is written that is stored as its digest.
     *
     * @param late it goes to the checkpoint that is still being written
     */
    void storeFullKey(boolean late) {
        if ((late || !fullKeyStored) && keyField() != key) {
            fullKeyStored = true;
            byte[] cell = KeyLayout.row(hash, keyField(), Long.MAX_VALUE, KeyLayout.EMPTY, 5);
            KeyLayout.setInt(cell, cell.length - 4, KeyLayout.FULL_KEY);
            if (late) {
                cache.late().put(Family.ROWS, cell, key);
            } else {
                cache.store.put(Family.ROWS, cell, key);
            }
        }
    }

    void fullKeyIsStored() {
        fullKeyStored = true;
    }

    long bytes() {
        return CellCache.KEY_BYTES + key.length;
    }

    boolean isPinned() {
        return pins > 0;
    }

    /** One visit of the clock hand; true when the entry is gone. */
    boolean sweep() {
        if (pins > 0) {
            return false;
        }
        for (int i = rowCount - 1; i >= 0; i--) {
            Row row = rows[i];
            if (row.referenced) {
                row.referenced = false;
            } else {
                evict(i);
            }
        }
        if (referenced) {
            referenced = false;
            return false;
        }
        return removeIfEmpty();
    }

    /** Evicts whatever can be. */
    void evict() {
        if (pins > 0) {
            return;
        }
        for (int i = rowCount - 1; i >= 0; i--) {
            evict(i);
        }
        removeIfEmpty();
    }

    private boolean removeIfEmpty() {
        if (rowCount > 0 || keeps > 0) {
            return false;
        }
        cache.remove(this);
        return true;
    }

    private void evict(int index) {
        Row row = rows[index];
        if (!row.evict()) {
            return;
        }
        cache.counters.evictions++;
        cache.cachedBytes -= row.bytes();
        rows[index] = rows[--rowCount];
        Arrays.fill(rows, rowCount, rowCount + 1, null);
        if (row == last) {
            last = null;
        }
        if (row == global) {
            global = null;
        }
        if (byWindow != null) {
            byWindow.remove(new Window(row.windowEndMillis, row.window));
        }
    }

    private @Nullable Row find(long windowEndMillis, byte[] window) {
        if (byWindow != null) {
            return byWindow.get(new Window(windowEndMillis, window));
        }
        for (int i = 0; i < rowCount; i++) {
            Row row = rows[i];
            if (row.windowEndMillis == windowEndMillis && Arrays.equals(row.window, window)) {
                return row;
            }
        }
        return null;
    }

    private Row add(long windowEndMillis, byte[] window) {
        if (window.length > KeyLayout.MAX_WINDOW_BYTES) {
            throw new Invalid("a window of " + window.length + " bytes; at most " + KeyLayout.MAX_WINDOW_BYTES
                    + " can be stored: encode windows shorter");
        }
        Row row = new Row(this, windowEndMillis, window);
        if (rowCount == rows.length) {
            rows = Arrays.copyOf(rows, rowCount * 2);
        }
        rows[rowCount++] = row;
        cache.cachedBytes += row.bytes();
        if (row.isGlobal()) {
            global = row;
        }
        if (byWindow == null && rowCount > MANY_ROWS) {
            byWindow = new HashMap<>();
            for (int i = 0; i < rowCount; i++) {
                byWindow.put(new Window(rows[i].windowEndMillis, rows[i].window), rows[i]);
            }
        } else if (byWindow != null) {
            byWindow.put(new Window(windowEndMillis, window), row);
        }
        return row;
    }

    private record Window(long endMillis, byte[] bytes) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Window w && endMillis == w.endMillis && Arrays.equals(bytes, w.bytes);
        }

        @Override
        public int hashCode() {
            return Long.hashCode(endMillis) * 31 + Arrays.hashCode(bytes);
        }
    }
}
