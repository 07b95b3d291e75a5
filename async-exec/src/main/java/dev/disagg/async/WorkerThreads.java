// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;

/**
 * Where worker threads come from and how they wait: the one door to threads of this module, so that a simulation can
 * take it over. Thread-safe.
 */
public interface WorkerThreads {
    /**
     * Starts a daemon thread.
     *
     * @throws RuntimeException or an Error when none can be started; the task then goes on with the threads it has
     */
    Thread start(String name, Runnable body);

    /**
     * Starts the daemon thread of a {@link Watch}: one that gets on whatever the others do. Endless loops in virtual threads
     * keep all carriers, so it is a platform thread then.
     */
    default Thread startWatch(String name, Runnable body) {
        return start(name, body);
    }

    /** As {@link LockSupport#park()}, for at most this long; {@link Long#MAX_VALUE} is without limit. */
    default void park(long nanos) {
        if (nanos == Long.MAX_VALUE) {
            LockSupport.park(this);
        } else {
            LockSupport.parkNanos(this, nanos);
        }
    }

    /** As {@link LockSupport#unpark}. */
    default void unpark(Thread thread) {
        LockSupport.unpark(thread);
    }

    /** Called where another thread may come in between two steps of a hand-shake; a simulation switches threads here. */
    default void interleave() {}

    /** Threads of this factory. */
    static WorkerThreads of(ThreadFactory factory) {
        return new FactoryThreads(factory);
    }

    /** Platform threads. */
    static WorkerThreads platform() {
        return FactoryThreads.platform();
    }

    /**
     * Virtual threads from JDK 24 on, platform threads before: until then a virtual thread that parks inside
     * {@code synchronized} holds its carrier.
     */
    static WorkerThreads virtualIfAvailable() {
        return FactoryThreads.virtualIfAvailable();
    }
}
