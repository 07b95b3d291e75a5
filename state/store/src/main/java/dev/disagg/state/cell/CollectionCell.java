// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Sub-keys and values in unsigned byte order: what map, set, multimap and ordered-list state are made of. The cell itself
 * holds only the number of the current generation, so it comes with the row's prefetch; entries are read one by one or
 * scanned. Arrays given are kept, arrays handed out are not modified. Leader only.
 *
 * <p>The scalar entry is a {@link CollectionNotes} log. Entries written while the generation is unknown go into that log,
 * and into the generation when the cell is next read.
 */
public final class CollectionCell extends ScalarCell {
    private static final int SUB_BYTES = 112;
    private static final int MIN_CACHED_BYTES = 64 << 10;
    private static final int MAX_READS = 256;

    /** Least recently used first. While the cell is unknown, just what was written. */
    private final LinkedHashMap<Sub, Cached> subs = new LinkedHashMap<>(8, 0.75f, true);

    private final Map<Sub, CompletableFuture<byte @Nullable []>> reads = new HashMap<>();
    /** Entries of the current generation; 0: none, the collection is empty. */
    private long generation;
    /** Every live entry of the current generation is in {@link #subs}: what is not there is absent. */
    private boolean allInMemory;
    /** The store may have entries of the current generation. */
    private boolean inStore;
    /** Cleared while unknown: the log goes on, so that its older generation is found and swept. */
    private boolean clearedBlindly;

    private boolean notesChanged;
    private List<Long> debris = List.of();
    private int subBytes;
    private int dirtySubBytes;

    CollectionCell(Row row, int cell) {
        super(row, cell);
    }

    /** The value of {@code sub} as of this call, null when absent. Complete already when memory answers. */
    public CompletableFuture<byte @Nullable []> get(byte[] sub) {
        Lookup known = getIfResident(sub);
        if (known != null) {
            return CompletableFuture.completedFuture(known.value());
        }
        requireResident();
        Sub key = new Sub(sub);
        CompletableFuture<byte @Nullable []> out = reads.get(key);
        if (out == null) {
            out = row.get(entryKey(sub));
            if (reads.size() >= MAX_READS) {
                reads.values().removeIf(CompletableFuture::isDone);
            }
            if (out.isDone() || reads.size() < MAX_READS) {
                reads.put(key, out);
            }
            getIfResident(sub);
        }
        return out;
    }

    /** What memory knows of {@code sub}; null when only a read can tell. Needs nothing. */
    public @Nullable Lookup getIfResident(byte[] sub) {
        resident();
        Sub key = new Sub(sub);
        Cached cached = subs.get(key);
        if (cached == null) {
            CompletableFuture<byte @Nullable []> out = reads.get(key);
            if (out != null && out.isDone()) {
                reads.remove(key);
                byte[] value = Reads.value(out);
                remember(key, value, false);
                settle();
                return new Lookup(value);
            }
            return known && (generation == 0 || allInMemory) ? new Lookup(null) : null;
        }
        return new Lookup(cached.value);
    }

    /** Reads nothing. */
    public void put(byte[] sub, byte[] value) {
        write(sub, value);
    }

    /** Reads nothing. */
    public void delete(byte[] sub) {
        write(sub, null);
    }

    /** Whether nothing was put since the collection was new or last cleared. Needs {@link #resident}. */
    public boolean isUntouched() {
        requireResident();
        return generation == 0;
    }

    /** The entries in {@code [from, to)} as of this call; null for the end. Needs {@link #resident}. */
    public Pages<Entry> scan(byte[] from, byte @Nullable [] to) {
        StoredRange range = range(from, to);
        return range == null ? StorePages.empty() : range.open();
    }

    /**
     * The entries of now that {@link BagCell#moveTo} put. They can be read again and again, also when more were put or the
     * collection was cleared meanwhile. Null when there are none. Needs {@link #resident}.
     */
    public @Nullable StoredRange keep() {
        byte[] next = new byte[8];
        KeyLayout.setLong(next, 0, row.cache.nextGeneration());
        StoredRange range = range(KeyLayout.EMPTY, next);
        if (range != null) {
            row.cache.sweeper.hold(generation, range);
        }
        return range;
    }

    private @Nullable StoredRange range(byte[] from, byte @Nullable [] to) {
        requireResident();
        if (dirtyBytes > 0) {
            writeBack();
        }
        if (generation == 0) {
            return null;
        }
        byte[] first = entryKey(from);
        byte[] end;
        if (to == null) {
            end = entryKey(KeyLayout.EMPTY);
            KeyLayout.setLong(end, end.length - 8, generation + 1);
        } else {
            end = entryKey(to);
        }
        return Arrays.compareUnsigned(first, end) >= 0
                ? null
                : new StoredRange(row.cache, first, end, row.storeKey(0), first.length - from.length);
    }

    /** Empties the collection without touching its entries: the next one goes to a new generation. Reads nothing. */
    public void clear() {
        clearContent();
    }

    @Override
    void clearContent() {
        row.requireLive();
        resident();
        row.beforeChange();
        if (!known) {
            clearedBlindly = true;
        } else if (generation != 0 && inStore) {
            addDebris(generation);
        }
        generation = 0;
        allInMemory = false;
        inStore = false;
        forget();
        known = true;
        notesChanged = notesChanged || stored || !debris.isEmpty();
        settle();
    }

    @Override
    void fill(byte @Nullable [] content) {
        Map<Sub, Cached> written = new LinkedHashMap<>(subs);
        forget();
        if (content != null) {
            CollectionNotes notes = CollectionNotes.parse(content);
            generation = notes.generation;
            inStore = generation != 0;
            notesChanged = notes.compactible();
            for (long old : notes.debris) {
                addDebris(old);
            }
            for (Map.Entry<Sub, byte @Nullable []> entry : notes.writes.entrySet()) {
                remember(entry.getKey(), entry.getValue(), true);
            }
        }
        allInMemory = false;
        for (Map.Entry<Sub, Cached> entry : written.entrySet()) {
            remember(entry.getKey(), entry.getValue().value, true);
        }
        settle();
    }

    @Override
    void writeBack() {
        if (!known) {
            ByteSink log = row.cache.buffer();
            for (Map.Entry<Sub, Cached> entry : subs.entrySet()) {
                CollectionNotes.write(log, entry.getKey().bytes, entry.getValue().value);
            }
            append(log.copy());
            forget();
            settle();
            return;
        }
        for (Map.Entry<Sub, Cached> entry : subs.entrySet()) {
            store(entry.getKey(), entry.getValue());
        }
        writeNotes();
        settle();
    }

    @Override
    void leave() {
        super.leave();
        subs.clear();
        reads.clear();
    }

    @Override
    byte[] sub() {
        return KeyLayout.GENERATION;
    }

    @Override
    String kind() {
        return "a collection";
    }

    /** The entries of an old generation are gone. */
    void swept(long old) {
        if (!known || !debris.contains(old)) {
            return;
        }
        row.beforeChange();
        debris = new ArrayList<>(debris);
        debris.remove(old);
        notesChanged = true;
        settle();
    }

    private void addDebris(long old) {
        List<Long> more = new ArrayList<>(debris);
        more.add(old);
        debris = more;
        row.cache.sweeper.add(this, old);
    }

    private void write(byte[] sub, byte @Nullable [] value) {
        row.requireLive();
        resident();
        row.beforeChange();
        Sub key = new Sub(sub);
        reads.remove(key);
        if (known && generation == 0) {
            if (value == null) {
                return;
            }
            generation = row.cache.nextGeneration();
            allInMemory = true;
            notesChanged = true;
        }
        remember(key, value, true);
        settle();
    }

    private void remember(Sub key, byte @Nullable [] value, boolean dirty) {
        Cached before = subs.get(key);
        if (before != null) {
            uncount(key, before);
        }
        Cached cached = new Cached(value, dirty);
        subs.put(key, cached);
        int bytes = bytes(key, cached);
        subBytes += bytes;
        dirtySubBytes += dirty ? bytes : 0;
    }

    private void uncount(Sub key, Cached cached) {
        int bytes = bytes(key, cached);
        subBytes -= bytes;
        dirtySubBytes -= cached.dirty ? bytes : 0;
    }

    private void forget() {
        subs.clear();
        reads.clear();
        subBytes = 0;
        dirtySubBytes = 0;
    }

    /** Bounds the entries in memory, then notes sizes. */
    private void settle() {
        long bound = Math.max(MIN_CACHED_BYTES, row.cache.options.cacheBytes() / 16);
        if (subBytes > bound && known) {
            // Sub-keys of a generation are written after the generation itself is known to the log.
            writeNotes();
            Iterator<Map.Entry<Sub, Cached>> eldest = subs.entrySet().iterator();
            while (subBytes > bound - bound / 8 && eldest.hasNext()) {
                Map.Entry<Sub, Cached> entry = eldest.next();
                store(entry.getKey(), entry.getValue());
                uncount(entry.getKey(), entry.getValue());
                eldest.remove();
                allInMemory = false;
            }
        }
        account(subBytes, dirtySubBytes > 0 || notesChanged ? dirtySubBytes + CellCache.CELL_BYTES : 0);
    }

    private void store(Sub key, Cached cached) {
        if (!cached.dirty) {
            return;
        }
        dirtySubBytes -= bytes(key, cached);
        cached.dirty = false;
        if (cached.value != null) {
            row.entry.storeFullKey(row.tagged());
            if (generation == 0) {
                generation = row.cache.generationFor(row);
                notesChanged = true;
            }
            inStore = true;
            row.put(entryKey(key.bytes), cached.value);
        } else if (inStore) {
            row.delete(entryKey(key.bytes));
        }
    }

    private void writeNotes() {
        if (!notesChanged) {
            return;
        }
        notesChanged = false;
        if (clearedBlindly) {
            ByteSink log = row.cache.buffer();
            CollectionNotes.clear(log);
            CollectionNotes.state(log, generation, debris);
            append(log.copy());
        } else if (generation == 0 && debris.isEmpty()) {
            deleteStored();
        } else {
            ByteSink log = row.cache.buffer();
            CollectionNotes.state(log, generation, debris);
            store(log.copy());
        }
    }

    private byte[] entryKey(byte[] sub) {
        byte[] key = row.storeKey(13 + sub.length);
        int at = key.length - 13 - sub.length;
        key[at] = KeyLayout.COLLECTION;
        KeyLayout.setInt(key, at + 1, id);
        KeyLayout.setLong(key, at + 5, generation);
        System.arraycopy(sub, 0, key, at + 13, sub.length);
        return key;
    }

    /** The range of an old generation. */
    byte[] generationKey(long old) {
        byte[] key = entryKey(KeyLayout.EMPTY);
        KeyLayout.setLong(key, key.length - 8, old);
        return key;
    }

    private static int bytes(Sub key, Cached cached) {
        return SUB_BYTES + key.bytes.length + (cached.value == null ? 0 : cached.value.length);
    }

    /** What memory knows of a sub-key: its value, or null when it is known to be absent. */
    public record Lookup(byte @Nullable [] value) {}

    /** A sub-key and its value. */
    public record Entry(byte[] sub, byte[] value) {}

    record Sub(byte[] bytes) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Sub s && Arrays.equals(bytes, s.bytes);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes);
        }
    }

    private static final class Cached {
        final byte @Nullable [] value;
        boolean dirty;

        Cached(byte @Nullable [] value, boolean dirty) {
            this.value = value;
            this.dirty = dirty;
        }
    }
}
