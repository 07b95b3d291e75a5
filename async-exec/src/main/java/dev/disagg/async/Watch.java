// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks from time to time whether tasks get on: one thread for all tasks that are given the same watch, which lives while
 * one of them does. The tasks pay nothing for it. Thread-safe.
 */
public final class Watch {
    private final WorkerThreads threads;
    private final LongSupplier nanoClock;
    private final List<Watchdog> watched = new ArrayList<>();
    private @Nullable Thread thread;
    private long startFailures;

    /**
     * @param threads where the watch's thread comes from, by {@link WorkerThreads#startWatch}
     * @param nanoClock elapsed time in nanoseconds, the same as the tasks have
     */
    public Watch(WorkerThreads threads, LongSupplier nanoClock) {
        this.threads = requireNonNull(threads, "threads is null");
        this.nanoClock = requireNonNull(nanoClock, "nanoClock is null");
    }

    /** Looks after this one too. A thread that cannot be started is counted, and tried again for the next task. */
    void add(Watchdog watchdog) {
        Thread running;
        synchronized (this) {
            watched.add(watchdog);
            running = thread;
            if (running == null) {
                try {
                    thread = threads.startWatch("async-watch", this::watch);
                } catch (RuntimeException | Error e) {
                    startFailures++;
                }
            }
        }
        // A shorter patience than the others' counts from now on.
        wake(running);
    }

    void remove(Watchdog watchdog) {
        Thread running;
        synchronized (this) {
            watched.remove(watchdog);
            running = thread;
        }
        wake(running);
    }

    /** Looks now. */
    void nudge() {
        Thread running;
        synchronized (this) {
            running = thread;
        }
        wake(running);
    }

    synchronized long startFailures() {
        return startFailures;
    }

    /** Tasks that are looked after. */
    synchronized int size() {
        return watched.size();
    }

    /** Outside of the lock: whom it wakes may run at once. */
    private void wake(@Nullable Thread running) {
        if (running != null) {
            threads.unpark(running);
        }
    }

    private void watch() {
        for (List<Watchdog> now = toLookAt(); !now.isEmpty(); now = toLookAt()) {
            long pauseNanos = Long.MAX_VALUE;
            for (Watchdog watchdog : now) {
                watchdog.look(nanoClock.getAsLong());
                pauseNanos = Math.min(pauseNanos, watchdog.pauseNanos());
            }
            threads.park(pauseNanos);
            // Nobody has a reason to interrupt this thread, and one who does must not turn the wait into a busy loop.
            Thread.interrupted();
        }
    }

    private synchronized List<Watchdog> toLookAt() {
        if (watched.isEmpty()) {
            thread = null;
        }
        return List.copyOf(watched);
    }
}
