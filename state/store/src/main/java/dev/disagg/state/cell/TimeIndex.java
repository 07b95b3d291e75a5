// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One time family, its earliest entries in memory.
 *
 * <p>Invariant: every live entry below {@link #headEnd} is in {@link #lanes}; every live entry at or after it is in the
 * store (null: there is none). An entry of the head goes to the store only when it leaves the head or at a freeze, so one
 * that is set and cleared early costs no write. The head is filled from the store a page at a time; what is set or cleared
 * behind it while a page is out is noted and replayed over the page.
 */
final class TimeIndex {
    /** Told apart from values by identity. */
    private static final byte[] DELETED = new byte[0];

    private static final int MAX_NOTES = 1 << 16;
    private static final int MAX_PAGE_BYTES = 256 << 10;

    private final ByteStore store;
    private final Family family;
    private final int headEntries;
    private final CellCache.Counters counters;
    private final List<TreeMap<byte[], HeadEntry>> lanes;
    private final Set<HeadScan> scans = new HashSet<>();
    private int size;
    private int notInStore;
    /** Grows with each freeze: entries that only the head has, and had before, belong to {@link #late}. */
    private int epoch;

    private ByteStore.@Nullable Late late;
    /** How many of them are left, and where the walk over them is. */
    private int tagged;

    private int walkLane;
    private byte @Nullable [] walked;
    private byte @Nullable [] headEnd;
    private @Nullable Refill refill;

    /** @param lowWaterMillis no live entry is before it; {@link Long#MAX_VALUE} for an empty family */
    TimeIndex(
            ByteStore store,
            Family family,
            int lanes,
            int headEntries,
            long lowWaterMillis,
            CellCache.Counters counters) {
        this.store = store;
        this.family = family;
        this.headEntries = headEntries;
        this.counters = counters;
        this.headEnd = lowWaterMillis == Long.MAX_VALUE ? null : KeyLayout.timeBound(lowWaterMillis);
        this.lanes = new ArrayList<>();
        for (int i = 0; i < lanes; i++) {
            this.lanes.add(new TreeMap<>(Arrays::compareUnsigned));
        }
    }

    void set(byte[] key, byte[] value) {
        arrive();
        if (!inHead(key)) {
            store.put(family, key, value);
            note(key, value);
        } else if (lane(key).putIfAbsent(key, new HeadEntry(value, epoch)) == null) {
            size++;
            notInStore++;
            trim();
        } else {
            return;
        }
        for (HeadScan scan : scans) {
            scan.inserted(key);
        }
    }

    void clear(byte[] key) {
        arrive();
        if (!inHead(key)) {
            store.delete(family, key);
            note(key, null);
            return;
        }
        HeadEntry removed = lane(key).remove(key);
        if (removed != null) {
            size--;
            if (isTagged(removed)) {
                store(key, removed);
            }
            if (removed.stored) {
                store.delete(family, key);
            } else {
                notInStore--;
            }
        }
    }

    /** The earliest time in a lane, or a lower bound of it; {@link Long#MAX_VALUE} when it is empty. */
    long minMillis(int lane) {
        arrive();
        while (size == 0 && headEnd != null && startRefill()) {
            arrive();
        }
        TreeMap<byte[], HeadEntry> entries = lanes.get(lane);
        if (!entries.isEmpty()) {
            return KeyLayout.timeOf(entries.firstKey());
        }
        return headEnd == null ? Long.MAX_VALUE : KeyLayout.timeOf(headEnd);
    }

    /** No live entry of any lane is before this; {@link Long#MAX_VALUE} when there is none. */
    long lowWaterMillis() {
        arrive();
        long min = headEnd == null ? Long.MAX_VALUE : KeyLayout.timeOf(headEnd);
        for (TreeMap<byte[], HeadEntry> lane : lanes) {
            if (!lane.isEmpty()) {
                min = Math.min(min, KeyLayout.timeOf(lane.firstKey()));
            }
        }
        return min;
    }

    DueScan due(long beforeMillisExclusive) {
        scans.removeIf(HeadScan::exhausted);
        HeadScan scan = new HeadScan(this, KeyLayout.timeBound(beforeMillisExclusive));
        scans.add(scan);
        return scan;
    }

    /** Reads ahead when the head runs low. */
    void maintain() {
        arrive();
        if (size < headEntries / 4 && headEnd != null) {
            startRefill();
        }
    }

    /** Gives the store everything that only the head has. */
    void writeBack() {
        arrive();
        if (notInStore == 0) {
            return;
        }
        for (TreeMap<byte[], HeadEntry> lane : lanes) {
            for (Map.Entry<byte[], HeadEntry> entry : lane.entrySet()) {
                store(entry.getKey(), entry.getValue());
            }
        }
    }

    boolean anyNotInStore() {
        return notInStore > 0;
    }

    /** What only the head has now belongs to {@code to}, and goes there in slices, or before it changes. */
    void tag(ByteStore.Late to) {
        late = to;
        epoch++;
        tagged = notInStore;
        walkLane = 0;
        walked = null;
    }

    /** Looks at some entries, and gives {@link #late} those that it waits for; whether it has all. */
    boolean deliver(int maxEntries) {
        for (int i = 0; i < maxEntries && tagged > 0; i++) {
            TreeMap<byte[], HeadEntry> lane = lanes.get(walkLane);
            Map.Entry<byte[], HeadEntry> next = walked == null ? lane.firstEntry() : lane.higherEntry(walked);
            if (next == null) {
                walkLane++;
                walked = null;
                continue;
            }
            walked = next.getKey();
            if (isTagged(next.getValue())) {
                store(next.getKey(), next.getValue());
            }
        }
        if (tagged == 0) {
            late = null;
        }
        return tagged == 0;
    }

    private boolean isTagged(HeadEntry entry) {
        return tagged > 0 && !entry.stored && entry.since != epoch;
    }

    void close() {
        dropRefill();
    }

    /** Applies the pages that are there; goes on to the next while the head is low. */
    void arrive() {
        while (refill != null && refill.page.isDone()) {
            apply(refill);
        }
    }

    private void apply(Refill arrived) {
        byte[] begin = headEnd;
        if (begin == null) {
            throw new IllegalStateException("a page of " + family + " arrived though all of it is in memory");
        }
        List<ByteStore.Entry> page;
        try {
            page = Reads.value(arrived.page);
        } catch (RuntimeException e) {
            dropRefill();
            throw e;
        }
        headEnd = page.isEmpty()
                ? null
                : KeyLayout.successor(page.get(page.size() - 1).key());
        for (ByteStore.Entry entry : page) {
            putStored(entry.key(), entry.value());
        }
        for (ByteStore.Entry note : arrived.notes) {
            // Those before this page were replayed with an earlier one, and the head has moved on since.
            if (inHead(note.key()) && Arrays.compareUnsigned(note.key(), begin) >= 0) {
                if (note.value() == DELETED) {
                    size -= lane(note.key()).remove(note.key()) == null ? 0 : 1;
                } else {
                    putStored(note.key(), note.value());
                }
            }
        }
        if (headEnd == null || size >= headEntries / 4) {
            dropRefill();
        } else {
            arrived.page = arrived.cursor.next(pageBytes());
        }
        trim();
    }

    /** Starts a read of the next page unless one is out; whether it is answered already. */
    private boolean startRefill() {
        if (refill == null) {
            byte[] from = headEnd;
            if (from == null) {
                return false;
            }
            counters.fetches++;
            ByteStore.Cursor cursor = store.scan(family, from, null, null);
            refill = new Refill(cursor, cursor.next(pageBytes()));
        }
        return refill.page.isDone();
    }

    /** What the store has in a range, for a scan behind the head. */
    ByteStore.Cursor scan(byte[] from, byte[] to) {
        counters.fetches++;
        return store.scan(family, from, to, null);
    }

    /** The only lane of a timer family. */
    TreeMap<byte[], HeadEntry> head() {
        return lanes.get(0);
    }

    byte @Nullable [] headEnd() {
        return headEnd;
    }

    void closed(HeadScan scan) {
        scans.remove(scan);
    }

    private int pageBytes() {
        return Math.min(MAX_PAGE_BYTES, headEntries * 64);
    }

    private void putStored(byte[] key, byte[] value) {
        HeadEntry entry = new HeadEntry(value, epoch);
        entry.stored = true;
        if (lane(key).put(key, entry) == null) {
            size++;
        }
    }

    private void store(byte[] key, HeadEntry entry) {
        if (!entry.stored) {
            if (isTagged(entry) && late != null) {
                late.put(family, key, entry.value);
                tagged--;
            } else {
                store.put(family, key, entry.value);
            }
            entry.stored = true;
            notInStore--;
        }
    }

    /** Over its bound, the head gives its later half to the store. */
    private void trim() {
        if (size <= headEntries) {
            return;
        }
        // A page that is out begins behind the old end of the head: it would leave a gap.
        dropRefill();
        while (size > headEntries / 2) {
            TreeMap<byte[], HeadEntry> latest = lanes.get(0);
            for (TreeMap<byte[], HeadEntry> lane : lanes) {
                if (!lane.isEmpty()
                        && (latest.isEmpty() || Arrays.compareUnsigned(lane.lastKey(), latest.lastKey()) > 0)) {
                    latest = lane;
                }
            }
            Map.Entry<byte[], HeadEntry> last = latest.pollLastEntry();
            store(last.getKey(), last.getValue());
            size--;
            headEnd = last.getKey();
        }
    }

    private void note(byte[] key, byte @Nullable [] value) {
        if (refill != null) {
            refill.notes.add(new ByteStore.Entry(key, value == null ? DELETED : value));
            if (refill.notes.size() > MAX_NOTES) {
                dropRefill();
            }
        }
    }

    private void dropRefill() {
        if (refill != null) {
            refill.cursor.close();
            refill = null;
        }
    }

    private boolean inHead(byte[] key) {
        return headEnd == null || Arrays.compareUnsigned(key, headEnd) < 0;
    }

    private TreeMap<byte[], HeadEntry> lane(byte[] key) {
        return lanes.get(lanes.size() == 1 ? 0 : key[16]);
    }

    static final class HeadEntry {
        final byte[] value;
        /** The epoch of its index that it came in. */
        final int since;

        boolean stored;

        HeadEntry(byte[] value, int since) {
            this.value = value;
            this.since = since;
        }
    }

    private static final class Refill {
        final ByteStore.Cursor cursor;
        CompletableFuture<List<ByteStore.Entry>> page;
        final List<ByteStore.Entry> notes = new ArrayList<>();

        Refill(ByteStore.Cursor cursor, CompletableFuture<List<ByteStore.Entry>> page) {
            this.cursor = cursor;
            this.page = page;
        }
    }
}
