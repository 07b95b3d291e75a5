// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import dev.disagg.state.ByteStore;
import dev.disagg.ufs.Failed;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * What the cells of a task share: the store under them, exact accounting of memory, the order in which dirty rows are
 * written back, and the clock hand that evicts.
 */
final class CellCache {
    /** What objects take besides their bytes, about. */
    static final int KEY_BYTES = 200;

    static final int ROW_BYTES = 144;
    static final int CELL_BYTES = 80;

    /** Entries looked at by one slice of eviction: a few microseconds. */
    private static final int SLICE_ENTRIES = 256;
    /**
     * Entries looked at for each one that came since the last slice: a visit takes the marks of use away, the next one
     * evicts, and some are pinned.
     */
    private static final int VISITS_PER_ARRIVAL = 4;

    private static final int SLICE_ROWS = 256;
    /** Rows that each maintenance gives to a checkpoint being written; a row that becomes dirty brings two along. */
    private static final int LATE_SLICE_ROWS = 128;

    final ByteStore store;
    final TaskStateOptions options;
    final Counters counters;
    final TimeIndex holds;
    final TimeIndex[] timers;
    final CellDictionary dictionary;
    final KeyTable keys = new KeyTable();
    final UnresolvedHolds unresolvedHolds = new UnresolvedHolds();
    final Sweeper sweeper;
    private @Nullable Row firstDirty;
    private @Nullable Row lastDirty;
    private final ByteSink sink = new ByteSink(1 << 10);
    private final ByteSink framed = new ByteSink(1 << 10);
    private int hand;
    private int fruitless;
    private int arrivals;
    private boolean writingBack;
    /** Grows with each freeze: rows that are dirty since an earlier one belong to {@link #late}. */
    private int epoch = 1;

    private ByteStore.@Nullable Late late;
    /** Generations set aside for collections that get one while {@link #late} is written. */
    private long lateGeneration;

    private long nextGeneration;
    private long clock;
    long cachedBytes;
    long dirtyBytes;

    CellCache(
            ByteStore store,
            TaskStateOptions options,
            Counters counters,
            TimeIndex holds,
            TimeIndex[] timers,
            CellDictionary dictionary,
            long nextGeneration) {
        this.store = store;
        this.options = options;
        this.counters = counters;
        this.holds = holds;
        this.timers = timers;
        this.dictionary = dictionary;
        this.nextGeneration = nextGeneration;
        this.sweeper = new Sweeper(store);
    }

    KeyEntry key(long hash, byte[] key) {
        KeyEntry entry = keys.find(hash, key);
        if (entry == null) {
            entry = new KeyEntry(this, hash, key);
            keys.add(entry);
            arrivals++;
            cachedBytes += entry.bytes();
        }
        entry.referenced = true;
        return entry;
    }

    /** The number of a generation that no collection of this task ever had; 0 means none. */
    long nextGeneration() {
        return nextGeneration++;
    }

    long peekGeneration() {
        return nextGeneration;
    }

    /** As {@link #nextGeneration}, of what a checkpoint that is still being written says is below its next one. */
    long generationFor(Row row) {
        return row.tagged() ? lateGeneration++ : nextGeneration++;
    }

    int epoch() {
        return epoch;
    }

    /** What takes the writes of tagged rows. */
    ByteStore.Late late() {
        ByteStore.Late to = late;
        if (to == null) {
            throw new IllegalStateException("no checkpoint is being written");
        }
        return to;
    }

    /** Sets aside what tagged rows will need: called before the freeze that {@link #tag} follows. */
    void beforeTag() {
        lateGeneration = nextGeneration;
        // Each dirty cell counts so much at least, and takes one generation at most.
        nextGeneration += dirtyBytes / CELL_BYTES;
    }

    /** What is dirty now belongs to {@code to}, and goes there in slices, or before it changes. */
    void tag(ByteStore.Late to) {
        late = to;
        epoch++;
    }

    /** Gives {@link #late} some of what it waits for; whether that was all. */
    boolean deliver(int maxRows) {
        for (int i = 0; i < maxRows && firstDirty != null && firstDirty.tagged(); i++) {
            writeBack(firstDirty);
        }
        return firstDirty == null || !firstDirty.tagged();
    }

    /** All that it waited for is there. */
    void delivered() {
        late = null;
    }

    boolean anyDirty() {
        return firstDirty != null;
    }

    /** Orders reads and appends: a read that was started before an append does not hold it. */
    long now() {
        return clock;
    }

    long tick() {
        return ++clock;
    }

    /** A row has its first dirty cell. */
    void enqueue(Row row) {
        row.dirtySince = epoch;
        row.dirtier = lastDirty;
        if (lastDirty == null) {
            firstDirty = row;
        } else {
            lastDirty.fresher = row;
        }
        lastDirty = row;
    }

    private void dequeue(Row row) {
        if (row.dirtier == null) {
            firstDirty = row.fresher;
        } else {
            row.dirtier.fresher = row.fresher;
        }
        if (row.fresher == null) {
            lastDirty = row.dirtier;
        } else {
            row.fresher.dirtier = row.dirtier;
        }
        row.dirtier = null;
        row.fresher = null;
        row.dirtySince = 0;
    }

    /** Keeps the bound on dirty bytes; the last step of every write. */
    void boundDirty() {
        if (writingBack) {
            return;
        }
        if (late != null) {
            deliver(2);
        }
        if (dirtyBytes > options.maxDirtyBytes()) {
            writeBack(options.maxDirtyBytes(), Integer.MAX_VALUE);
        }
    }

    /** Writes one dirty row back. */
    void writeBack(Row row) {
        boolean nested = writingBack;
        writingBack = true;
        row.late = row.tagged();
        try {
            dequeue(row);
            row.writeBack();
        } finally {
            row.late = false;
            writingBack = nested;
        }
    }

    /** Writes rows back, longest dirty first, until at most {@code downToBytes} are dirty. */
    private void writeBack(long downToBytes, int maxRows) {
        for (int i = 0; i < maxRows && dirtyBytes > downToBytes && firstDirty != null; i++) {
            writeBack(firstDirty);
        }
    }

    void writeBackAll() {
        writeBack(-1, Integer.MAX_VALUE);
    }

    void maintain() {
        long max = options.maxDirtyBytes();
        if (late != null) {
            deliver(LATE_SLICE_ROWS);
        } else if (dirtyBytes > max - max / 4) {
            writeBack(max / 2, SLICE_ROWS);
        }
        if (cachedBytes > options.cacheBytes()) {
            evictSlice(Math.max(SLICE_ENTRIES, VISITS_PER_ARRIVAL * arrivals));
        }
        arrivals = 0;
        unresolvedHolds.maintain();
        sweeper.maintain();
        holds.maintain();
        for (TimeIndex index : timers) {
            index.maintain();
        }
    }

    private void evictSlice(int visits) {
        // When everything is pinned there is nothing to find: look again only now and then.
        if (fruitless > 0 && visits == SLICE_ENTRIES) {
            fruitless--;
            return;
        }
        boolean allPinned = true;
        for (int i = 0; i < visits && cachedBytes > options.cacheBytes() && keys.size() > 0; i++) {
            if (hand >= keys.size()) {
                hand = 0;
            }
            KeyEntry entry = keys.at(hand);
            allPinned &= entry.isPinned();
            if (!entry.sweep()) {
                hand++;
            }
        }
        if (allPinned && keys.size() > SLICE_ENTRIES) {
            fruitless = 8;
        }
    }

    /** Drops an entry without rows. */
    void remove(KeyEntry entry) {
        keys.remove(entry);
        cachedBytes -= entry.bytes();
    }

    /** Drops everything that is not pinned and has no read out. */
    void evictAll() {
        for (int i = keys.size() - 1; i >= 0; i--) {
            if (i < keys.size()) {
                keys.at(i).evict();
            }
        }
    }

    <T extends @Nullable Object> byte[] encode(Row row, int cell, CellCodec<T> codec, T value) {
        return encodeTo(sink, row, cell, codec, value).copy();
    }

    /** Encoded as one length-prefixed operand at the end of a buffer that the next call reuses. */
    <T extends @Nullable Object> ByteSink operand(Row row, int cell, CellCodec<T> codec, T value) {
        ByteSink encoded = encodeTo(sink, row, cell, codec, value);
        framed.reset();
        framed.writeVarint(encoded.length);
        framed.write(encoded.bytes, 0, encoded.length);
        return framed;
    }

    ByteSink buffer() {
        framed.reset();
        return framed;
    }

    private <T extends @Nullable Object> ByteSink encodeTo(
            ByteSink to, Row row, int cell, CellCodec<T> codec, T value) {
        to.reset();
        try {
            codec.encode(value, to);
        } catch (IOException e) {
            throw new Failed("cannot encode " + describe(row, cell) + ": " + e.getMessage(), e);
        }
        return to;
    }

    <T extends @Nullable Object> T decode(Row row, int cell, CellCodec<T> codec, byte[] bytes, int from, int length) {
        try {
            return codec.decode(new ByteArrayInputStream(bytes, from, length));
        } catch (IOException e) {
            throw new Failed(
                    "cannot decode " + describe(row, cell) + " from " + length
                            + " bytes: was it written by another coder? " + e.getMessage(),
                    e);
        }
    }

    String describe(Row row, int cell) {
        return "cell " + dictionary.name(cell) + " of key " + KeyLayout.hex(row.entry.key());
    }

    /** Since the task was opened. */
    static final class Counters {
        long residentHits;
        long fetches;
        long evictions;
        long writeBacks;
    }
}
