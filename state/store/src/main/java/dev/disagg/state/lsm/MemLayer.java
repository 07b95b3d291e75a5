// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.Family;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A memtable that is no longer written, until its tables can be read from the store. It is written at most once in the
 * background, and once more for every checkpoint whose predecessor is not settled yet. Fields that change are the
 * leader's.
 */
final class MemLayer implements Layer {
    final Family family;
    final Memtable memtable;
    final OlderKeys older;
    /** It was gathered from tables; a snapshot packs it. */
    final boolean gathered;

    private final long run;
    /** As accounted for by the pool. */
    long memoryBytes;
    /** What was frozen is still written to. */
    boolean open;
    /** Completes with its durable tables when a background flush has written them; null while none was started. */
    @Nullable
    CompletableFuture<List<TableHandle>> backgroundFlush;
    /** A checkpoint waits for the background flush: its tables are to count as named from the start. */
    boolean awaited;
    /** Completes when the end of the background flush was handed to the leader. */
    @Nullable
    CompletableFuture<Void> handedOver;

    /** @param older what lies below, as of the moment it was frozen */
    MemLayer(Family family, Memtable memtable, long run, OlderKeys older) {
        this(family, memtable, run, older, false);
    }

    private MemLayer(Family family, Memtable memtable, long run, OlderKeys older, boolean gathered) {
        this.gathered = gathered;
        this.family = family;
        this.memtable = memtable;
        this.run = run;
        this.older = older;
        this.memoryBytes = memtable.memoryBytes();
    }

    /** What some small runs held, in memory again, in the place of the newest of them. */
    static MemLayer gathered(Family family, Memtable memtable, long run, OlderKeys older) {
        return new MemLayer(family, memtable, run, older, true);
    }

    @Override
    public long run() {
        return run;
    }
}
