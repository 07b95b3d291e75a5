// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs.file;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Reads that wait for a thread of the store's pool. A thread that has one done takes the next; another thread joins only when many
 * reads wait for each that is at it. So when the files are in memory, and a read costs less than waking a thread, one thread
 * does thousands without a switch; when they are on a slow disk, reads pile up and the whole pool is at it. Thread-safe.
 */
final class ReadQueue {
    /** Reads that wait for each thread before another one joins. */
    private static final int READS_PER_THREAD = 8;

    /** One read; both methods must not throw. */
    interface Read {
        void run();

        /** Told instead of {@link #run} when no thread will do it. */
        void refused(RejectedExecutionException e);
    }

    private final Executor io;
    private final int mostThreads;
    private final int mostWaiting;
    private final Queue<Read> waiting = new ConcurrentLinkedQueue<>();
    /** Reads that were added and not begun. */
    private final AtomicInteger count = new AtomicInteger();

    private final AtomicInteger threads = new AtomicInteger();

    /** @param mostWaiting reads that may wait; one more is refused */
    ReadQueue(Executor io, int mostThreads, int mostWaiting) {
        this.io = io;
        this.mostThreads = mostThreads;
        this.mostWaiting = mostWaiting;
    }

    void add(Read read) {
        int now = count.incrementAndGet();
        if (now > mostWaiting) {
            count.decrementAndGet();
            read.refused(new RejectedExecutionException(mostWaiting + " reads are waiting"));
            return;
        }
        waiting.add(read);
        for (int at = threads.get(); at < mostThreads && at * READS_PER_THREAD < now; at = threads.get()) {
            if (threads.compareAndSet(at, at + 1)) {
                start();
                return;
            }
        }
    }

    private void start() {
        try {
            io.execute(this::work);
        } catch (RejectedExecutionException e) {
            if (threads.decrementAndGet() == 0) {
                for (Read read = waiting.poll(); read != null; read = waiting.poll()) {
                    count.decrementAndGet();
                    read.refused(e);
                }
            }
        }
    }

    private void work() {
        do {
            for (Read read = waiting.poll(); read != null; read = waiting.poll()) {
                count.decrementAndGet();
                read.run();
            }
            threads.decrementAndGet();
            // Whoever added one before that found a thread at it, and started none.
        } while (!waiting.isEmpty() && threads.incrementAndGet() > 0);
    }
}
