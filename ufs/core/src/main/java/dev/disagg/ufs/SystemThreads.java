// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one place in this module where real threads and real time come from; everything else takes them as parameters.
 * All threads are daemons. Thread-safe.
 */
public final class SystemThreads {
    private static final Logger LOG = LoggerFactory.getLogger(SystemThreads.class);
    private static final int SHARED_IO_THREADS = 16;
    private static final int SHARED_IO_QUEUE = 65_536;
    private static final long IDLE_SECONDS = 30;

    private SystemThreads() {}

    /** The pool on which stores opened by URI do blocking I/O: 16 threads that end when idle, 65,536 waiting tasks. */
    public static Executor sharedIo() {
        return Shared.IO;
    }

    /** A pool of daemon threads that end when idle; refuses tasks when {@code queue} of them wait. */
    public static ExecutorService pool(String name, int threads, int queue) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(queue), daemons(name));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /** A scheduler on one daemon thread. */
    public static Scheduler scheduler(String name) {
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, daemons(name));
        executor.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        executor.allowCoreThreadTimeOut(true);
        return new Scheduler() {
            @Override
            public long nanoTime() {
                return System.nanoTime();
            }

            @Override
            public void schedule(long delayNanos, Runnable task) {
                executor.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
            }
        };
    }

    /**
     * Has {@code action} run, on a thread of its own, when this process is told to end (SIGTERM, {@link System#exit}); it
     * then ends when the action returns.
     *
     * @return takes it back; does nothing once the end has begun
     * @throws IllegalStateException when the end has begun already
     */
    public static Runnable whenProcessEnds(String name, Runnable action) {
        Thread hook = new Thread(action, name);
        Runtime.getRuntime().addShutdownHook(hook);
        return () -> {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException tooLate) {
                LOG.debug("the process is ending, {} runs", name);
            }
        };
    }

    /** Keeps this process from ending by itself, as a main method that returns would let it, until {@code end} completes. */
    public static void keepProcessUntil(String name, CompletableFuture<?> end) {
        Thread keeper = new Thread(
                () -> {
                    try {
                        end.join();
                    } catch (CompletionException | CancellationException e) {
                        LOG.debug("{} ended with a failure, which its owner tells", name, e);
                    }
                },
                name);
        keeper.setDaemon(false);
        keeper.start();
    }

    /** An executor of delayed calls on one daemon thread that ends when idle, for libraries that ask for one. */
    public static ScheduledExecutorService delayed(String name) {
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, daemons(name));
        executor.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        executor.allowCoreThreadTimeOut(true);
        executor.setRemoveOnCancelPolicy(true);
        return executor;
    }

    /** The wall clock, milliseconds since the epoch. */
    public static LongSupplier wallMillis() {
        return System::currentTimeMillis;
    }

    private static ThreadFactory daemons(String name) {
        AtomicLong sequence = new AtomicLong();
        return task -> {
            Thread thread = new Thread(task, name + "-" + sequence.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    private static final class Shared {
        static final Executor IO = pool("disagg-store-io", SHARED_IO_THREADS, SHARED_IO_QUEUE);
    }
}
