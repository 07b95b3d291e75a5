// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async.sim;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One thread of a {@link Simulation}: it runs only while it holds the token. */
final class SimulatedThread {
    private final String name;
    private final Semaphore token = new Semaphore(0);
    private volatile @Nullable Thread thread;

    /** As of {@link java.util.concurrent.locks.LockSupport}: an unpark that came before the park. */
    boolean permit;
    /** Parked in the simulation, so not to be chosen. */
    boolean parked;
    /** Counts parks, so that the timeout of an earlier park wakes nobody. */
    long parks;

    SimulatedThread(String name) {
        this.name = name;
    }

    void runsOn(Thread itsThread) {
        thread = itsThread;
    }

    void giveToken() {
        token.release();
    }

    void awaitToken() {
        token.acquireUninterruptibly();
    }

    /** False when it was not given within this time. */
    boolean awaitToken(long nanos) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return token.tryAcquire(nanos, TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Nullable
    Thread thread() {
        return thread;
    }

    @Override
    public String toString() {
        return name + (parked ? " (parked)" : " (runnable)");
    }
}
