// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

import dev.disagg.async.WorkerThreads;
import java.util.SplittableRandom;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/** Real threads and real, small latencies. */
final class RealWorld implements World {
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long LOOK_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    private final WorkerThreads threads;
    private final ScheduledExecutorService outside;
    private final RandomGenerator random;
    private final Object sign = new Object();
    private final long begin = System.nanoTime();

    RealWorld(WorkerThreads threads, ScheduledExecutorService outside, long seed) {
        this.threads = threads;
        this.outside = outside;
        SplittableRandom source = new SplittableRandom(seed);
        this.random = () -> {
            synchronized (source) {
                return source.nextLong();
            }
        };
    }

    @Override
    public WorkerThreads threads() {
        return threads;
    }

    @Override
    public long nanoTime() {
        return System.nanoTime() - begin;
    }

    @Override
    public void after(long nanos, Runnable event) {
        outside.schedule(
                () -> {
                    event.run();
                    synchronized (sign) {
                        sign.notifyAll();
                    }
                },
                nanos / 8,
                TimeUnit.NANOSECONDS);
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    @Override
    public void until(BooleanSupplier done) {
        long limit = System.nanoTime() + LIMIT_NANOS;
        synchronized (sign) {
            while (!done.getAsBoolean()) {
                if (System.nanoTime() > limit) {
                    throw new AssertionError("no end after 60 s");
                }
                try {
                    TimeUnit.NANOSECONDS.timedWait(sign, LOOK_NANOS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new AssertionError("interrupted", e);
                }
            }
        }
    }

    @Override
    public void refuseThreads(int percent) {}
}
