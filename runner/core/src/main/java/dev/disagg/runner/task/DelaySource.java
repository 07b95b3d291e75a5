// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import java.util.random.RandomGenerator;

/**
 * A test mode: says for each state read whether it waits first, and completes the wait on another thread. Counts both.
 * Thread-safe.
 */
public final class DelaySource {
    private final RandomGenerator random;
    private final Executor delay;
    private final LongAdder reads = new LongAdder();
    private final LongAdder delayed = new LongAdder();

    /** @param delay runs what it is given a little later, on a thread of its own */
    public DelaySource(RandomGenerator random, Executor delay) {
        this.random = random;
        this.delay = delay;
    }

    /** A wait to be awaited before the read, completed already for one read in fifty. */
    CompletableFuture<Void> next() {
        reads.increment();
        boolean direct;
        synchronized (random) {
            direct = random.nextInt(50) == 0;
        }
        if (direct) {
            return CompletableFuture.completedFuture(null);
        }
        delayed.increment();
        CompletableFuture<Void> wait = new CompletableFuture<>();
        delay.execute(() -> wait.complete(null));
        return wait;
    }

    public long reads() {
        return reads.sum();
    }

    public long delayedReads() {
        return delayed.sum();
    }
}
