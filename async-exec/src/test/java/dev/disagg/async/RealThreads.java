// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** Starts platform threads, or virtual ones where they exist, and keeps them. */
final class RealThreads implements WorkerThreads {
    final ConcurrentLinkedQueue<Thread> started = new ConcurrentLinkedQueue<>();
    private final WorkerThreads delegate = WorkerThreads.virtualIfAvailable();

    @Override
    public Thread start(String name, Runnable body) {
        Thread thread = delegate.start(name, body);
        started.add(thread);
        return thread;
    }

    void joinAll() throws InterruptedException {
        for (Thread thread : started) {
            thread.join(TimeUnit.SECONDS.toMillis(30));
            assertThat("thread " + thread + " did not end", thread.isAlive(), equalTo(false));
        }
    }
}
