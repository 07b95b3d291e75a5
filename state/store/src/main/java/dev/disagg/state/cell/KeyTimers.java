// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import dev.disagg.ufs.Corrupt;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The exact timers of one key, over all its windows; each is an entry of its own in the key's own row. All methods but
 * {@link #resident} and {@link #fetch} need the timers resident. Leader only.
 */
public final class KeyTimers extends ScalarCell {
    private static final int SLOT_BYTES = 136;
    private static final int PAGE_BYTES = 256 << 10;

    private TimerSlots slots = new TimerSlots();
    /** This object's own, beyond what every cell has. */
    private static final int OWN_BYTES = 120;

    private List<TimerSlots.Slot> dirty = new ArrayList<>(1);
    private int contentBytes = OWN_BYTES;
    /** Where the row's prefetch ended; null when it did not reach the timers. */
    private byte @Nullable [] loadedTo;

    private ByteStore.@Nullable Cursor rest;
    private @Nullable CompletableFuture<List<ByteStore.Entry>> page;

    KeyTimers(Row row) {
        super(row, KeyLayout.TIMERS);
        account(contentBytes, 0);
    }

    /** Whether every timer of the key is in memory. */
    @Override
    public boolean resident() {
        return known || arrive();
    }

    /** Reads the key's own row, timers included; as {@link Row#fetch}. */
    @Override
    public CompletableFuture<?> fetch() {
        if (resident()) {
            return Reads.ANSWERED;
        }
        CompletableFuture<?> prefetch = row.fetch();
        if (known || !row.resident()) {
            return prefetch;
        }
        if (rest == null) {
            row.requireLive();
            row.cache.counters.fetches++;
            byte[] from = loadedTo == null
                    ? row.cellKey(KeyLayout.SCALAR, id, KeyLayout.EMPTY)
                    : KeyLayout.successor(loadedTo);
            byte[] to = row.storeKey(1);
            to[to.length - 1] = KeyLayout.SCALAR + 1;
            rest = row.store().scan(Family.ROWS, from, to, row.storeKey(0));
            page = rest.next(PAGE_BYTES);
        }
        return arrive() || page == null ? Reads.ANSWERED : page;
    }

    /** Sets a timer; replaces the one of the same domain and id. */
    public void set(Timer timer) {
        requireResident();
        row.beforeChange();
        TimerSlots.Slot slot = slots.find(timer.domain(), timer.id());
        if (slot == null) {
            slot = slots.add(timer.domain(), timer.id());
            contentBytes += SLOT_BYTES + timer.id().length;
        }
        replace(slot, timer);
    }

    /** Clears a timer; nothing happens when there is none. */
    public void clear(TimerDomain domain, byte[] id) {
        requireResident();
        row.beforeChange();
        TimerSlots.Slot slot = slots.find(domain, id);
        if (slot != null && slot.timer != null) {
            replace(slot, null);
        }
    }

    /** The timer, null when it is not set. */
    public @Nullable Timer get(TimerDomain domain, byte[] id) {
        requireResident();
        TimerSlots.Slot slot = slots.find(domain, id);
        return slot == null ? null : slot.timer;
    }

    /** The timer of the smallest (timestamp, id) with its timestamp before the bound; null when there is none. */
    public @Nullable Timer firstDue(TimerDomain domain, long beforeMillisExclusive) {
        requireResident();
        return slots.firstDue(domain, beforeMillisExclusive);
    }

    /** Up to {@code max} of the timers that {@link #firstDue} would answer one after the other, in any order. */
    public List<Timer> due(TimerDomain domain, long beforeMillisExclusive, int max) {
        requireResident();
        return slots.due(domain, beforeMillisExclusive, max);
    }

    /** Removes a timer that fired; nothing happens when it was replaced or cleared meanwhile. */
    public void remove(Timer timer) {
        if (timer.equals(get(timer.domain(), timer.id()))) {
            clear(timer.domain(), timer.id());
        }
    }

    /** Timers of both domains. */
    public int count() {
        requireResident();
        return slots.live();
    }

    /** Whether a timer needs a hold of its own: an event timer's index entry holds at its timestamp already. */
    static boolean holds(Timer timer) {
        return timer.domain() == TimerDomain.EVENT
                ? timer.outputTimestampMillis() < timer.timestampMillis()
                : timer.outputTimestampMillis() != Long.MAX_VALUE;
    }

    /** One stored timer, while the row is being read. */
    void load(byte[] storeKey, int subAt, byte[] value) {
        loadedTo = storeKey;
        if (known) {
            return;
        }
        int domain = subAt < storeKey.length ? storeKey[subAt] : -1;
        if (domain < 0 || domain >= TimerDomain.values().length || value.length < 16) {
            throw new Corrupt("key " + KeyLayout.hex(row.entry.key()) + " has a broken timer entry "
                    + KeyLayout.hex(value) + "; restore from an earlier checkpoint");
        }
        byte[] timerId = Arrays.copyOfRange(storeKey, subAt + 1, storeKey.length);
        TimerDomain of = TimerDomain.values()[domain];
        TimerSlots.Slot slot = slots.add(of, timerId);
        slot.stored = true;
        byte[] payload = Arrays.copyOfRange(value, 16, value.length);
        slots.set(slot, new Timer(timerId, of, KeyLayout.getLong(value, 0), KeyLayout.getLong(value, 8), payload));
        contentBytes += SLOT_BYTES + timerId.length + payload.length;
    }

    @Override
    void fill(byte @Nullable [] content) {
        account(contentBytes, 0);
    }

    @Override
    void writeBack() {
        for (TimerSlots.Slot slot : dirty) {
            slot.dirty = false;
            Timer timer = slot.timer;
            if (timer != null) {
                byte[] value = new byte[16 + timer.payload().length];
                KeyLayout.setLong(value, 0, timer.timestampMillis());
                KeyLayout.setLong(value, 8, timer.outputTimestampMillis());
                System.arraycopy(timer.payload(), 0, value, 16, timer.payload().length);
                row.put(slotKey(slot), value);
                slot.stored = true;
            } else {
                if (slot.stored) {
                    row.delete(slotKey(slot));
                }
                drop(slot);
            }
        }
        dirty.clear();
        account(contentBytes, 0);
    }

    @Override
    void clearContent() {
        // Timers end by firing or being cleared one by one, never with the cells.
    }

    @Override
    void leave() {
        super.leave();
        slots = new TimerSlots();
        contentBytes = OWN_BYTES;
        loadedTo = null;
    }

    @Override
    boolean readOut() {
        arrive();
        return rest != null;
    }

    @Override
    String kind() {
        return "the key's timers";
    }

    private void replace(TimerSlots.Slot slot, @Nullable Timer timer) {
        Timer before = slot.timer;
        contentBytes += (timer == null ? 0 : timer.payload().length) - (before == null ? 0 : before.payload().length);
        slots.set(slot, timer);
        // New index entries first: the minima never pass over a timer that moves.
        if (timer != null) {
            index(timer, before);
        }
        if (before != null) {
            unindex(before);
        }
        if (timer == null && !slot.stored && !slot.dirty) {
            drop(slot);
        } else if (!slot.dirty) {
            slot.dirty = true;
            dirty.add(slot);
        } else if (timer == null && !slot.stored) {
            dirty.remove(slot);
            drop(slot);
        }
        account(contentBytes, dirty.isEmpty() ? 0 : dirty.size() * SLOT_BYTES + CellCache.CELL_BYTES);
    }

    private void index(Timer timer, @Nullable Timer before) {
        long hash = row.entry.hash();
        byte[] field = row.entry.keyField();
        CellCache cache = row.cache;
        if (before == null || before.timestampMillis() != timer.timestampMillis()) {
            cache.timers[timer.domain().ordinal()].set(
                    KeyLayout.timerIndex(timer.timestampMillis(), hash, field), row.entry.indexValue());
        }
        if (holds(timer)) {
            cache.holds.set(
                    KeyLayout.timerHold(timer.outputTimestampMillis(), hash, timer.domain(), field), KeyLayout.EMPTY);
        }
    }

    /** Index entries are shared by the key's timers of one time: they go with the last. */
    private void unindex(Timer before) {
        long hash = row.entry.hash();
        byte[] field = row.entry.keyField();
        TimerDomain domain = before.domain();
        CellCache cache = row.cache;
        if (!slots.anyAt(domain, before.timestampMillis())) {
            cache.timers[domain.ordinal()].clear(KeyLayout.timerIndex(before.timestampMillis(), hash, field));
        }
        if (holds(before) && !slots.anyHoldingAt(domain, before.outputTimestampMillis())) {
            cache.holds.clear(KeyLayout.timerHold(before.outputTimestampMillis(), hash, domain, field));
        }
    }

    private void drop(TimerSlots.Slot slot) {
        slots.remove(slot);
        contentBytes -= SLOT_BYTES + slot.id.length;
    }

    private byte[] slotKey(TimerSlots.Slot slot) {
        byte[] sub = new byte[1 + slot.id.length];
        sub[0] = (byte) slot.domain.ordinal();
        System.arraycopy(slot.id, 0, sub, 1, slot.id.length);
        return row.cellKey(KeyLayout.SCALAR, id, sub);
    }

    private boolean arrive() {
        if (rest == null && row.readOut()) {
            row.arrive();
        }
        while (!known && rest != null && page != null && page.isDone()) {
            List<ByteStore.Entry> entries = Reads.value(page);
            int subAt = KeyLayout.rowPrefixBytes(row.entry.keyField(), row.window) + 5;
            for (ByteStore.Entry entry : entries) {
                load(entry.key(), subAt, entry.value());
            }
            if (entries.isEmpty()) {
                rest.close();
                rest = null;
                page = null;
                fillAsOf(null, row.cache.now());
            } else {
                page = rest.next(PAGE_BYTES);
            }
        }
        return known;
    }
}
