// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.Family;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The memory of all memtables of a process. Half of the bound is for active memtables: past it the largest one is to be
 * flushed, whichever store it belongs to. Thread-safe; sizes lag behind the memtables by at most {@link #grainBytes} each.
 */
final class MemoryPool {
    private static final long LARGEST_GRAIN_BYTES = 16 << 10;

    private final long limitBytes;
    private final AtomicLong activeBytes = new AtomicLong();
    private final AtomicLong frozenBytes = new AtomicLong();
    private final Set<Account> accounts = ConcurrentHashMap.newKeySet();

    MemoryPool(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    Account open(Family family) {
        Account account = new Account(family);
        accounts.add(account);
        return account;
    }

    /** A store reports a change of a memtable when it is at least this large. */
    long grainBytes() {
        return Math.max(1, Math.min(LARGEST_GRAIN_BYTES, limitBytes / 64));
    }

    boolean activeFull() {
        return activeBytes.get() > limitBytes / 2;
    }

    /** Well past the bound of the active half: whoever writes flushes its own. */
    boolean activeOverfull() {
        return activeBytes.get() > limitBytes / 4 * 3;
    }

    /** What is being written takes more than its half. */
    boolean frozenFull() {
        return frozenBytes.get() > limitBytes / 2;
    }

    /** Sets memory aside for runs that are to be gathered; false when too much is frozen already. */
    boolean reserve(long bytes) {
        if (frozenBytes.addAndGet(bytes) <= limitBytes / 8) {
            return true;
        }
        frozenBytes.addAndGet(-bytes);
        return false;
    }

    /** A layer that was gathered takes the place of what was set aside for it. */
    void gathered(long reservedBytes, long bytes) {
        frozenBytes.addAndGet(bytes - reservedBytes);
    }

    long usedBytes() {
        return activeBytes.get() + frozenBytes.get();
    }

    /** The account that holds most; null when none holds anything. */
    @Nullable
    Account largest() {
        Account largest = null;
        for (Account account : accounts) {
            if (!account.flushWanted && account.bytes > (largest == null ? 0 : largest.bytes)) {
                largest = account;
            }
        }
        return largest;
    }

    void thaw(long bytes) {
        frozenBytes.addAndGet(-bytes);
    }

    /** One active memtable. Its numbers are changed by its store's leader alone. */
    final class Account {
        final Family family;
        private volatile long bytes;
        private volatile boolean flushWanted;

        private Account(Family family) {
            this.family = family;
        }

        long bytes() {
            return bytes;
        }

        void set(long newBytes) {
            activeBytes.addAndGet(newBytes - bytes);
            bytes = newBytes;
        }

        /** Asks the leader of the memtable's store to flush it at its next call. */
        void wantFlush() {
            flushWanted = true;
        }

        boolean flushWanted() {
            return flushWanted;
        }

        /** The memtable was frozen with this many bytes, and a new one begins. */
        void freeze(long frozen) {
            set(0);
            flushWanted = false;
            frozenBytes.addAndGet(frozen);
        }

        void close() {
            set(0);
            accounts.remove(this);
        }
    }
}
