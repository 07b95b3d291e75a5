// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs.testkit;

import dev.disagg.ufs.Scheduler;
import java.util.PriorityQueue;

/**
 * Time that moves when a test says so. Tasks run in order of their time, then of their scheduling, on the thread that
 * moves time. Thread-safe.
 */
public final class VirtualTime implements Scheduler {
    private final PriorityQueue<Task> tasks = new PriorityQueue<>();
    private final boolean immediate;
    private long nowNanos;
    private long scheduled;

    private VirtualTime(boolean immediate) {
        this.immediate = immediate;
    }

    /** Stands still until moved. */
    public static VirtualTime manual() {
        return new VirtualTime(false);
    }

    /** Jumps over every delay at once: what is scheduled runs before {@link #schedule} returns. */
    public static VirtualTime immediate() {
        return new VirtualTime(true);
    }

    @Override
    public synchronized long nanoTime() {
        return nowNanos;
    }

    @Override
    public void schedule(long delayNanos, Runnable task) {
        long delay = Math.max(0, delayNanos);
        synchronized (this) {
            if (!immediate) {
                tasks.add(new Task(nowNanos + delay, scheduled++, task));
                return;
            }
            nowNanos += delay;
        }
        task.run();
    }

    /** Moves time by {@code nanos} and runs what falls due on the way, also what those tasks schedule. */
    public void advance(long nanos) {
        long until = nanoTime() + nanos;
        while (runNext(until)) {
            // each task may schedule more
        }
        synchronized (this) {
            nowNanos = until;
        }
    }

    /** Runs tasks until none is left, at most {@code max} of them; returns how many ran. */
    public int runAll(int max) {
        int ran = 0;
        while (ran < max && runNext(Long.MAX_VALUE)) {
            ran++;
        }
        return ran;
    }

    private boolean runNext(long until) {
        Task next;
        synchronized (this) {
            next = tasks.peek();
            if (next == null || next.atNanos > until) {
                return false;
            }
            tasks.poll();
            nowNanos = Math.max(nowNanos, next.atNanos);
        }
        next.task.run();
        return true;
    }

    private record Task(long atNanos, long order, Runnable task) implements Comparable<Task> {
        @Override
        public int compareTo(Task other) {
            int byTime = Long.compare(atNanos, other.atNanos);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }
}
