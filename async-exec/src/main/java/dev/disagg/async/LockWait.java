// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.Collection;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whether a thread waits for a lock that one of others holds. Of a platform thread the JVM says who owns the monitor, or the
 * {@code java.util.concurrent} lock, that it waits for. Of a virtual thread it does not, so there its stack tells whether it
 * is a lock that it waits for; anybody may hold it then. Locks that have no owner, such as a semaphore or a read lock, are
 * not told from other waits.
 */
final class LockWait {
    private static final Set<String> LOCKS = Set.of(
            "java.util.concurrent.locks.ReentrantLock", "java.util.concurrent.locks.ReentrantReadWriteLock$WriteLock");
    /** What is above them in a stack: whatever is below these is what waits. */
    private static final Set<String> INSIDE = Set.of(
            "java.util.concurrent.locks.LockSupport",
            "java.util.concurrent.locks.AbstractQueuedSynchronizer",
            "java.util.concurrent.locks.AbstractQueuedLongSynchronizer",
            "java.util.concurrent.locks.ReentrantLock$Sync",
            "java.util.concurrent.locks.ReentrantLock$FairSync",
            "java.util.concurrent.locks.ReentrantLock$NonfairSync");

    private static final Set<String> LOCKING = Set.of("lock", "lockInterruptibly");
    private static final long NOBODY = -1;

    private LockWait() {}

    /** Whether {@code waiting} waits, without a limit, for what a thread of {@code others} holds, as far as can be told. */
    static boolean isForOneOf(Collection<Thread> others, Thread waiting) {
        Thread.State state = waiting.getState();
        if (others.isEmpty() || (state != Thread.State.BLOCKED && state != Thread.State.WAITING)) {
            return false;
        }
        ThreadInfo info = infoOf(waiting);
        if (info == null) {
            return isForALock(state, waiting.getStackTrace());
        }
        return others.stream().anyMatch(other -> other.getId() == info.getLockOwnerId());
    }

    /** Who owns the lock that a thread waits for; null when that is not known. */
    static @Nullable String owner(Thread waiting) {
        ThreadInfo info = infoOf(waiting);
        return info == null || info.getLockOwnerId() == NOBODY ? null : info.getLockOwnerName();
    }

    /** Null for a virtual thread, and for one that has ended. */
    private static @Nullable ThreadInfo infoOf(Thread thread) {
        return ManagementFactory.getThreadMXBean().getThreadInfo(thread.getId());
    }

    /** Whether a thread in this state, with this stack from the top down, waits for a lock and not for something else. */
    static boolean isForALock(Thread.State state, StackTraceElement[] stack) {
        if (state == Thread.State.BLOCKED) {
            return true;
        }
        for (StackTraceElement frame : stack) {
            String name = frame.getClassName();
            if (LOCKS.contains(name)) {
                return LOCKING.contains(frame.getMethodName());
            }
            boolean parks = name.startsWith("java.lang.") || name.startsWith("jdk.internal.");
            if (!parks && !INSIDE.contains(name)) {
                return false;
            }
        }
        return false;
    }
}
