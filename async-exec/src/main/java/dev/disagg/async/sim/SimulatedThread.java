// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async.sim;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One thread of a {@link Simulation}: it runs only while it holds the token. */
final class SimulatedThread {
    private final String name;
    private volatile boolean token;
    private volatile @Nullable Thread thread;

    /** As of {@link LockSupport}: an unpark that came before the park. */
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
        token = true;
        LockSupport.unpark(thread);
    }

    void awaitToken() {
        while (!token) {
            LockSupport.park(this);
        }
        token = false;
    }

    /** False when it was not given within about this time. */
    boolean awaitToken(long nanos) {
        if (!token) {
            LockSupport.parkNanos(this, nanos);
        }
        boolean given = token;
        token = false;
        return given;
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
