// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import dev.disagg.ufs.Corrupt;
import dev.disagg.ufs.Invalid;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The cells of one (key, window). Leader only. */
public final class Row {
    final KeyEntry entry;
    final CellCache cache;
    final long windowEndMillis;
    final byte[] window;
    private final @Nullable KeyTimers timers;
    private int[] ids = new int[2];
    private ScalarCell[] cells = new ScalarCell[2];
    private int count;
    private @Nullable RowRead read;
    private boolean answered;
    /** Once answered: the last cell (unsigned) that the prefetch reached; what is behind it may be in the store. */
    private int reached;

    boolean referenced;
    /** Background jobs that need the row in memory; each kind of job is bounded. */
    int retained;

    /** In the list of dirty rows since this epoch of the cache; 0 when it is not in it. */
    int dirtySince;

    /** Is being written back for a checkpoint that is still being written. */
    boolean late;

    /** Links of the list of dirty rows. */
    @Nullable
    Row dirtier;

    @Nullable
    Row fresher;

    private boolean evicted;

    Row(KeyEntry entry, long windowEndMillis, byte[] window) {
        this.entry = entry;
        this.cache = entry.cache;
        this.windowEndMillis = windowEndMillis;
        this.window = window;
        if (isGlobal()) {
            timers = new KeyTimers(this);
            add(timers);
        } else {
            timers = null;
        }
    }

    /**
     * Whether the prefetch of the row was answered (applies it when it just arrived), or the row is known to be absent. A
     * cell beyond the prefetch's cap of 64 KiB may still be cold: {@link Cell#resident} knows.
     */
    public boolean resident() {
        if (answered) {
            cache.counters.residentHits++;
            return true;
        }
        return arrive();
    }

    /**
     * One ranged read of the row's scalar cells. The future completes on any thread and says only that {@link #resident} is
     * to be asked again (it is rarely still false: then fetch again). The same future while a read is out; complete when
     * resident.
     */
    public CompletableFuture<?> fetch() {
        if (answered) {
            return Reads.ANSWERED;
        }
        requireLive();
        RowRead out = read;
        if (out == null) {
            cache.counters.fetches++;
            out = new RowRead(this);
            read = out;
        }
        return arrive() ? Reads.ANSWERED : out.page();
    }

    /** Whether it is known, without a read, that there is no such cell: neither in memory nor in the store. */
    public boolean lacks(int cell) {
        return answered && Integer.compareUnsigned(cell, reached) <= 0 && find(cell) == null;
    }

    /** One value. */
    public <T> ValueCell<T> value(int cell, CellCodec<T> codec) {
        ScalarCell found = find(cell);
        if (found instanceof ValueCell<?> typed) {
            return cast(typed);
        }
        ValueCell<T> fresh = new ValueCell<>(this, cell, codec);
        install(cell, found, fresh);
        return fresh;
    }

    /** A bag of values. */
    public <T> BagCell<T> bag(int cell, CellCodec<T> codec) {
        ScalarCell found = find(cell);
        if (found instanceof BagCell<?> typed) {
            return cast(typed);
        }
        BagCell<T> fresh = new BagCell<>(this, cell, codec);
        install(cell, found, fresh);
        return fresh;
    }

    /**
     * The accumulator of a combine.
     *
     * @param merge associative and commutative; may change and return its first argument
     * @param identity what an empty cell reads as; a fresh one at each call when it can be changed
     */
    public <A> AccumulatorCell<A> accumulator(
            int cell, CellCodec<A> codec, BinaryOperator<A> merge, Supplier<A> identity) {
        ScalarCell found = find(cell);
        if (found instanceof AccumulatorCell<?> typed) {
            return cast(typed);
        }
        AccumulatorCell<A> fresh = new AccumulatorCell<>(this, cell, codec, merge, identity);
        install(cell, found, fresh);
        return fresh;
    }

    /** A map, set, multimap or ordered list: sub-keys and values are bytes. */
    public CollectionCell collection(int cell) {
        ScalarCell found = find(cell);
        if (found instanceof CollectionCell typed) {
            return typed;
        }
        CollectionCell fresh = new CollectionCell(this, cell);
        install(cell, found, fresh);
        return fresh;
    }

    /** A watermark hold. */
    public HoldCell hold(int cell) {
        ScalarCell found = find(cell);
        if (found instanceof HoldCell typed) {
            return typed;
        }
        HoldCell fresh = new HoldCell(this, cell);
        install(cell, found, fresh);
        return fresh;
    }

    /**
     * Clears every cell that the row's prefetch brought or that was asked for, timers excepted: for an expired, resident row.
     * Cells beyond the prefetch's cap stay (compaction drops them with their window).
     */
    public void clearAll() {
        for (int i = 0; i < count; i++) {
            cells[i].clearContent();
        }
    }

    KeyTimers timers() {
        if (timers == null) {
            throw new IllegalStateException("only a key's own row has timers");
        }
        return timers;
    }

    /** Whether it is the key's own row, not that of a window. */
    public boolean isGlobal() {
        return windowEndMillis == Long.MAX_VALUE && window.length == 0;
    }

    byte[] storeKey(int more) {
        return KeyLayout.row(entry.hash(), entry.keyField(), windowEndMillis, window, more);
    }

    byte[] cellKey(byte kind, int cell, byte[] sub) {
        byte[] key = storeKey(5 + sub.length);
        int at = key.length - 5 - sub.length;
        key[at] = kind;
        KeyLayout.setInt(key, at + 1, cell);
        System.arraycopy(sub, 0, key, at + 5, sub.length);
        return key;
    }

    /** Applies what arrived; whether the row is answered. */
    boolean arrive() {
        RowRead out = read;
        return out != null && out.apply();
    }

    boolean readOut() {
        return read != null;
    }

    /** The prefetch failed: the next one starts anew. */
    void readFailed() {
        read = null;
    }

    /** One entry of the prefetch, read at {@code clock}. */
    void load(int cell, byte[] storeKey, int subAt, byte[] value, long clock) {
        int subBytes = storeKey.length - subAt;
        if (cell == KeyLayout.TIMERS && timers != null) {
            timers.load(storeKey, subAt, value);
            return;
        }
        if (cell == KeyLayout.FULL_KEY && timers != null) {
            entry.fullKeyIsStored();
            return;
        }
        ScalarCell found = find(cell);
        if (found == null) {
            if (subBytes == 0) {
                found = new RawCell(this, cell);
            } else if (subBytes == 1 && storeKey[subAt] == KeyLayout.HOLD[0]) {
                found = new HoldCell(this, cell);
            } else if (subBytes == 1 && storeKey[subAt] == KeyLayout.GENERATION[0]) {
                found = new CollectionCell(this, cell);
            } else {
                throw new Corrupt("row of key " + KeyLayout.hex(entry.key()) + " has an entry of cell " + cell
                        + " with an unknown sub-key "
                        + KeyLayout.hex(Arrays.copyOfRange(storeKey, subAt, storeKey.length))
                        + "; restore from an earlier checkpoint");
            }
            add(found);
        } else if (!Arrays.equals(found.sub(), 0, found.sub().length, storeKey, subAt, storeKey.length)) {
            throw new Invalid(cache.describe(this, cell) + " is stored as another kind than " + found.kind()
                    + ": a cell keeps its kind; give the new one another id");
        }
        found.fillAsOf(value, clock);
    }

    /** The prefetch ended behind {@code lastCell}; {@link KeyLayout#TIMERS} and {@code toEnd} when it saw all. */
    void loaded(int lastCell, boolean toEnd, long clock) {
        read = null;
        answered = true;
        reached = lastCell;
        for (int i = 0; i < count; i++) {
            ScalarCell cell = cells[i];
            boolean timersLeft = cell == timers && !toEnd;
            if (!timersLeft && Integer.compareUnsigned(cell.id, lastCell) <= 0) {
                cell.fillAsOf(null, clock);
            }
        }
    }

    /**
     * The first step of every change of a cell: what a checkpoint that is still being written is to have of the row goes
     * there first.
     */
    void beforeChange() {
        if (tagged()) {
            cache.writeBack(this);
        }
    }

    /** Whether what is dirty belongs to a checkpoint that is still being written. */
    boolean tagged() {
        return late || (dirtySince != 0 && dirtySince != cache.epoch());
    }

    /** Gives the store, or the checkpoint that waits for it, what is dirty. The row is out of the list of dirty ones. */
    void writeBack() {
        for (int i = 0; i < count; i++) {
            ScalarCell cell = cells[i];
            if (cell.dirtyBytes > 0) {
                entry.storeFullKey(tagged());
                cache.counters.writeBacks++;
                cell.writeBack();
            }
        }
    }

    /** Writes back and lets go; false when a read is out. */
    boolean evict() {
        arrive();
        if (read != null || retained > 0) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            if (cells[i].readOut()) {
                return false;
            }
        }
        if (dirtySince != 0) {
            cache.writeBack(this);
        }
        evicted = true;
        answered = false;
        for (int i = 0; i < count; i++) {
            cells[i].leave();
        }
        return true;
    }

    long bytes() {
        return CellCache.ROW_BYTES + window.length;
    }

    boolean evicted() {
        return evicted;
    }

    void requireLive() {
        if (evicted) {
            throw new IllegalStateException(
                    "a row of key " + KeyLayout.hex(entry.key()) + " was used after its eviction: pin the key");
        }
    }

    CompletableFuture<byte @Nullable []> get(byte[] storeKey) {
        cache.counters.fetches++;
        return cache.store.get(Family.ROWS, storeKey);
    }

    ByteStore store() {
        return cache.store;
    }

    void put(byte[] storeKey, byte[] value) {
        if (tagged()) {
            cache.late().put(Family.ROWS, storeKey, value);
        } else {
            cache.store.put(Family.ROWS, storeKey, value);
        }
    }

    void append(byte[] storeKey, byte[] tail) {
        if (tagged()) {
            cache.late().append(Family.ROWS, storeKey, tail);
        } else {
            cache.store.append(Family.ROWS, storeKey, tail);
        }
    }

    void delete(byte[] storeKey) {
        if (tagged()) {
            cache.late().delete(Family.ROWS, storeKey);
        } else {
            cache.store.delete(Family.ROWS, storeKey);
        }
    }

    private @Nullable ScalarCell find(int cell) {
        for (int i = 0; i < count; i++) {
            if (ids[i] == cell) {
                return cells[i];
            }
        }
        return null;
    }

    private void install(int cell, @Nullable ScalarCell found, ScalarCell fresh) {
        requireLive();
        if (found instanceof RawCell raw && fresh.isPlain()) {
            beforeChange();
            for (int i = 0; i < count; i++) {
                if (cells[i] == raw) {
                    cells[i] = fresh;
                }
            }
            raw.becomes(fresh);
        } else if (found != null) {
            throw new Invalid(cache.describe(this, cell) + " is " + found.kind() + " and was asked for as "
                    + fresh.kind() + ": a cell keeps its kind; give the new one another id");
        } else {
            add(fresh);
            if (answered && Integer.compareUnsigned(cell, reached) <= 0) {
                fresh.fillAsOf(null, cache.now());
            }
        }
    }

    private void add(ScalarCell cell) {
        if (count == cells.length) {
            ids = Arrays.copyOf(ids, count * 2);
            cells = Arrays.copyOf(cells, count * 2);
        }
        ids[count] = cell.id;
        cells[count++] = cell;
    }

    /** A cell is bound to its codec when it is first asked for; asking with another type is the caller's error. */
    @SuppressWarnings("unchecked")
    private static <C> C cast(ScalarCell cell) {
        return (C) cell;
    }
}
