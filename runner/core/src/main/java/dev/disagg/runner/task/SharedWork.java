// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What the tasks of one stage know of each other, so that one that has nothing left takes over part of what another has
 * still to do. The stage ends when all have nothing left: until then each task's output watermark stays at or below what
 * every other one still holds, so that work can go anywhere without becoming late. Thread-safe.
 */
public final class SharedWork {
    private final @Nullable StageTask[] tasks;
    private final boolean[] idle;
    private final long[] holds;
    private int onTheWay;
    private volatile int idleTasks;
    private volatile long leastHold = Frontier.MIN;

    public SharedWork(int parallelism) {
        tasks = new StageTask[parallelism];
        idle = new boolean[parallelism];
        holds = new long[parallelism];
        Arrays.fill(holds, Frontier.MIN);
    }

    synchronized void register(int index, StageTask task) {
        tasks[index] = task;
    }

    /** The task has nothing left; returns whether that is so of all, so that the stage is over. */
    boolean idle(int index) {
        boolean over;
        boolean news;
        synchronized (this) {
            news = !idle[index];
            if (news) {
                idle[index] = true;
                idleTasks++;
            }
            over = idleTasks == tasks.length && onTheWay == 0;
        }
        if (over && news) {
            wakeAll();
        }
        return over;
    }

    /** Whether some task has nothing left. Cheap. */
    boolean someoneIsIdle() {
        return idleTasks > 0;
    }

    /** Picks an idle task for work that is to be sent to it, which then counts as being on its way; null for none. */
    synchronized @Nullable StageTask taker() {
        for (int i = 0; i < tasks.length; i++) {
            if (idle[i]) {
                idle[i] = false;
                idleTasks--;
                onTheWay++;
                return tasks[i];
            }
        }
        return null;
    }

    /** Work that was on its way has been taken over, or back. */
    void settled() {
        boolean over;
        synchronized (this) {
            onTheWay--;
            over = idleTasks == tasks.length && onTheWay == 0;
        }
        if (over) {
            wakeAll();
        }
    }

    /** The task's own output watermark is now {@code millis}; returns what all of them allow. */
    long allowed(int index, long millis) {
        boolean advanced;
        long least;
        synchronized (this) {
            if (holds[index] == millis) {
                return leastHold;
            }
            holds[index] = millis;
            least = Long.MAX_VALUE;
            for (long hold : holds) {
                least = Math.min(least, hold);
            }
            advanced = least > leastHold;
            leastHold = least;
        }
        if (advanced) {
            wakeAll();
        }
        return least;
    }

    private void wakeAll() {
        for (StageTask task : tasks) {
            if (task != null) {
                task.async().wake();
            }
        }
    }
}
