// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Knows by counting when a whole job is quiescent: no message is on its way and no task has anything to do. Each message
 * counts from before it is sent until its task has taken it; each task counts from when it takes something until it is
 * idle. So the count is zero only when nothing more will happen by itself. Thread-safe.
 */
public final class Activity {
    private final AtomicLong active = new AtomicLong();
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private final boolean watched;

    /** @param watched false when nobody will ask, so that nothing needs to be counted */
    public Activity(boolean watched) {
        this.watched = watched;
    }

    /** One more thing is going on. */
    public void begin() {
        if (watched) {
            active.incrementAndGet();
        }
    }

    /** One thing less is going on. */
    public void end() {
        if (watched && active.decrementAndGet() == 0) {
            release();
        }
    }

    /** Whether somebody may ask for quiescence. */
    public boolean isWatched() {
        return watched;
    }

    /** Calls {@code action} once, at the next moment of quiescence after those who asked before; it must begin something. */
    void whenQuiescent(Runnable action) {
        begin();
        synchronized (waiting) {
            waiting.add(action);
        }
        end();
    }

    private void release() {
        Runnable next;
        synchronized (waiting) {
            if (active.get() != 0) {
                return;
            }
            next = waiting.poll();
        }
        if (next != null) {
            next.run();
        }
    }
}
