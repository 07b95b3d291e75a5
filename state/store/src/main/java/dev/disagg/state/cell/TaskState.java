// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import dev.disagg.state.SharedRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * All state of one task: cells by key and window, timers, holds, inbox, source positions. Every method is the leader's; a
 * failure of the store comes out of whatever call meets it, as {@link ByteStore} says.
 */
public final class TaskState implements AutoCloseable {
    private final ByteStore store;
    private final CellCache cache;
    private final CellDictionary dictionary;
    private final TimeIndex holds;
    private final TimeIndex[] timers;
    private final TimerIndex[] timerIndexes;
    private final Inbox inbox;
    private final Sources sources;
    private final List<byte[]> restoredHeaders;

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

    /** Writes dirty cells, at most {@link TaskStateOptions#maxDirtyBytes} of them, to the store and freezes it. */
    public ByteStore.Frozen freeze(long checkpoint, byte[] runnerHeader) {
        cache.writeBackAll();
        holds.writeBack();
        for (TimeIndex index : timers) {
            index.writeBack();
        }
        TaskHeader header = new TaskHeader(
                timers[0].lowWaterMillis(),
                timers[1].lowWaterMillis(),
                holds.lowWaterMillis(),
                cache.peekGeneration(),
                inbox.next(),
                dictionary.names(),
                runnerHeader);
        return store.freeze(checkpoint, header.encode());
    }

    /**
     * Evicts and writes back a bounded slice when memory is over its bounds, and moves background work on; for between
     * computations.
     */
    public void maintain() {
        cache.maintain();
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

    /** Closes the store; what was not frozen is gone. */
    @Override
    public void close() {
        holds.close();
        for (TimeIndex index : timers) {
            index.close();
        }
        store.close();
    }

    /** For tests: drops every key that can be dropped. */
    void evictAll() {
        cache.evictAll();
    }
}
