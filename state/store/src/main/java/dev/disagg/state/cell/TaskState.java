// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import dev.disagg.state.SharedRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All state of one task: cells by key and window, timers, holds, inbox, source positions. Every method is the leader's; a
 * failure of the store comes out of whatever call meets it, as {@link ByteStore} says.
 */
public final class TaskState implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TaskState.class);

    private static final int LATE_SLICE_ENTRIES = 128;

    private final ByteStore store;
    private final CellCache cache;
    private final CellDictionary dictionary;
    private final TimeIndex holds;
    private final TimeIndex[] timers;
    private final TimerIndex[] timerIndexes;
    private final Inbox inbox;
    private final Sources sources;
    private final List<byte[]> restoredHeaders;
    /** A frozen state that waits for what is tagged. */
    private ByteStore.@Nullable Late late;

    private TaskState(
            ByteStore store,
            TaskStateOptions options,
            TaskHeader header,
            CellDictionary dictionary,
            List<byte[]> restoredHeaders) {
        CellCache.Counters counters = new CellCache.Counters();
        int head = options.timeHeadEntries();
        this.store = store;
        this.dictionary = dictionary;
        this.restoredHeaders = restoredHeaders;
        int domains = TimerDomain.values().length;
        this.holds = new TimeIndex(store, Family.HOLDS, 1 + domains, head, header.holdsLowWaterMillis(), counters);
        this.timers = new TimeIndex[] {
            new TimeIndex(store, Family.EVENT_TIMERS, 1, head, header.eventLowWaterMillis(), counters),
            new TimeIndex(store, Family.PROCESSING_TIMERS, 1, head, header.processingLowWaterMillis(), counters)
        };
        this.timerIndexes = new TimerIndex[domains];
        for (TimerDomain domain : TimerDomain.values()) {
            timerIndexes[domain.ordinal()] = new TimerIndex(domain, timers[domain.ordinal()], holds);
        }
        this.cache = new CellCache(store, options, counters, holds, timers, dictionary, header.nextGeneration());
        this.inbox = new Inbox(store, header.nextArrival());
        this.sources = new Sources(store);
        // All three first pages go out at once: one round trip after a restore.
        holds.maintain();
        for (TimeIndex index : timers) {
            index.maintain();
        }
    }

    /**
     * Over a store just opened. Merges what the parents' headers say, and starts reading the heads of the time indexes.
     *
     * @throws dev.disagg.ufs.Corrupt when a header is not what {@link #freeze} wrote
     */
    public static TaskState open(ByteStore.Opened opened, TaskStateOptions options) {
        CellDictionary dictionary = new CellDictionary();
        TaskHeader header = TaskHeader.EMPTY;
        List<byte[]> runners = new ArrayList<>();
        for (byte[] bytes : opened.headers()) {
            TaskHeader parent = TaskHeader.decode(bytes);
            parent.cells().forEach(dictionary::add);
            header = header.merge(parent);
            runners.add(parent.runner());
        }
        return new TaskState(opened.store(), options, header, dictionary, List.copyOf(runners));
    }

    /**
     * The number of the cell {@code stateId} of {@code step}: the same in every task and after every restore.
     *
     * @throws dev.disagg.ufs.Invalid when another cell of the pipeline has the same number (about one in four billion per
     *     pair of cells): rename one of the two
     */
    public int cellId(String step, String stateId) {
        return dictionary.number(step, stateId);
    }

    /** A number above all that this task, or one that it was restored from, was given before. */
    public long nextNumber() {
        return cache.nextGeneration();
    }

    /** The key's entry, created when it is not in memory; reads nothing. {@code key} is kept, not copied. */
    public KeyEntry key(long hash, byte[] key) {
        return cache.key(hash, key);
    }

    /** The index over all keys' timers of one domain. */
    public TimerIndex timers(TimerDomain domain) {
        return timerIndexes[domain.ordinal()];
    }

    /** The earliest hold of all hold cells, {@link Long#MAX_VALUE} when there is none; never above it, see {@link TimerIndex}. */
    public long minHoldMillis() {
        return holds.minMillis(KeyLayout.HOLD_OF_CELL);
    }

    public Inbox inbox() {
        return inbox;
    }

    public Sources sources() {
        return sources;
    }

    /** As {@link ByteStore#link}. */
    public void link(SharedRun run) {
        store.link(run);
    }

    /** As {@link ByteStore#unlink}. */
    public void unlink(String run) {
        store.unlink(run);
    }

    /** As {@link ByteStore#linked}. */
    public Map<String, SharedRun> linked() {
        return store.linked();
    }

    /** What the runner gave {@link #freeze} in each parent, in the parents' order. */
    public List<byte[]> restoredHeaders() {
        return restoredHeaders;
    }

    /**
     * Writes what is dirty, at most {@link TaskStateOptions#maxDirtyBytes} of cells, to the store and freezes it: for who
     * can wait for that.
     */
    public ByteStore.Frozen freeze(long checkpoint, byte[] runnerHeader) {
        settle();
        cache.writeBackAll();
        holds.writeBack();
        for (TimeIndex index : timers) {
            index.writeBack();
        }
        return store.freeze(checkpoint, header(runnerHeader));
    }

    /**
     * As {@link #freeze}, in a time that depends on nothing but the length of {@code runnerHeader}: what is dirty is only
     * marked. It is written by {@link #maintain}, or before it changes, and its flush waits for that; so go on calling
     * {@link #maintain}, also when there is nothing else to do. A store that cannot take it later gets it at once.
     */
    public ByteStore.Frozen freezeBriefly(long checkpoint, byte[] runnerHeader) {
        settle();
        if (!anythingDirty()) {
            return freeze(checkpoint, runnerHeader);
        }
        cache.beforeTag();
        ByteStore.Late to = store.freezeBeforeLast(checkpoint, header(runnerHeader));
        if (to == null) {
            return freeze(checkpoint, runnerHeader);
        }
        late = to;
        cache.tag(to);
        holds.tag(to);
        for (TimeIndex index : timers) {
            index.tag(to);
        }
        return to;
    }

    private boolean anythingDirty() {
        boolean dirty = cache.anyDirty() || holds.anyNotInStore();
        for (TimeIndex index : timers) {
            dirty |= index.anyNotInStore();
        }
        return dirty;
    }

    /** Ends what {@link #freezeBriefly} began. */
    private void settle() {
        if (late != null) {
            cache.deliver(Integer.MAX_VALUE);
            deliverTimes(Integer.MAX_VALUE);
        }
    }

    private void deliverTimes(int maxEntries) {
        ByteStore.Late to = late;
        if (to == null) {
            return;
        }
        boolean all = holds.deliver(maxEntries);
        for (TimeIndex index : timers) {
            all &= index.deliver(maxEntries);
        }
        if (all && cache.deliver(0)) {
            late = null;
            cache.delivered();
            to.complete();
        }
    }

    private byte[] header(byte[] runnerHeader) {
        return new TaskHeader(
                        timers[0].lowWaterMillis(),
                        timers[1].lowWaterMillis(),
                        holds.lowWaterMillis(),
                        cache.peekGeneration(),
                        inbox.next(),
                        dictionary.names(),
                        runnerHeader)
                .encode();
    }

    /**
     * Evicts and writes back a bounded slice when memory is over its bounds, and moves background work on; for between
     * computations.
     *
     * @return whether to call again soon, even if nothing else is to be done: the flush of a frozen state waits for it
     */
    public boolean maintain() {
        cache.maintain();
        deliverTimes(LATE_SLICE_ENTRIES);
        return late != null;
    }

    /** As of {@link TaskStateOptions}: room for keys, rows and cells. */
    public long cacheBytes() {
        return cache.options.cacheBytes();
    }

    public CellMetrics metrics() {
        CellCache.Counters counters = cache.counters;
        return new CellMetrics(
                counters.residentHits,
                counters.fetches,
                counters.evictions,
                counters.writeBacks,
                cache.dirtyBytes,
                cache.cachedBytes,
                cache.keys.size());
    }

    /**
     * Closes the store; what was not frozen is gone. What {@link #freezeBriefly} still owes is given first; when that fails,
     * so does the flush that waits for it.
     */
    @Override
    public void close() {
        try {
            settle();
        } catch (RuntimeException e) {
            LOG.warn("a checkpoint could not be made whole before the state was closed; its flush fails", e);
        } finally {
            release();
        }
    }

    private void release() {
        holds.close();
        for (TimeIndex index : timers) {
            index.close();
        }
        store.close();
    }

    /** For tests: the bytes of {@link CellMetrics#cachedBytes}, counted anew. */
    long weigh(boolean pinnedAlone) {
        return cache.weigh(pinnedAlone);
    }

    /** For tests: drops every key that can be dropped. */
    void evictAll() {
        cache.evictAll();
    }
}
