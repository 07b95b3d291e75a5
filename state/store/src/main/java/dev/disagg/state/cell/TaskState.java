// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import dev.disagg.state.ByteStore;
import java.util.List;

/** All state of one task. Every method is the leader's. */
public final class TaskState implements AutoCloseable {
    /** Over a store just opened. Merges what the parents' headers say. */
    public static TaskState open(ByteStore.Opened opened, TaskStateOptions options) {
        throw new UnsupportedOperationException();
    }

    /**
     * The number of the cell {@code stateId} of {@code step}: the same in every task and after every restore.
     *
     * @throws dev.disagg.ufs.Invalid when another cell of the pipeline has the same number (about one in four billion per
     *     pair of cells): rename one of the two
     */
    public int cellId(String step, String stateId) {
        throw new UnsupportedOperationException();
    }

    /** The key's entry, created when it is not in memory; reads nothing. {@code key} is kept, not copied. */
    public KeyEntry key(long hash, byte[] key) {
        throw new UnsupportedOperationException();
    }

    /** The index over all keys' timers of one domain. */
    public TimerIndex timers(TimerDomain domain) {
        throw new UnsupportedOperationException();
    }

    /** The earliest hold of all hold cells, {@link Long#MAX_VALUE} when there is none; never above it, see {@link TimerIndex}. */
    public long minHoldMillis() {
        throw new UnsupportedOperationException();
    }

    public Inbox inbox() {
        throw new UnsupportedOperationException();
    }

    public Sources sources() {
        throw new UnsupportedOperationException();
    }

    /** What the runner gave {@link #freeze} in each parent, in the parents' order. */
    public List<byte[]> restoredHeaders() {
        throw new UnsupportedOperationException();
    }

    /** Writes dirty cells to the store and freezes it. */
    public ByteStore.Frozen freeze(long checkpoint, byte[] runnerHeader) {
        throw new UnsupportedOperationException();
    }

    /** Evicts and writes back a bounded slice when memory is over its bounds; for between computations. */
    public void maintain() {
        throw new UnsupportedOperationException();
    }

    public CellMetrics metrics() {
        throw new UnsupportedOperationException();
    }

    /** Closes the store; what was not frozen is gone. */
    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
