// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.lessThanOrEqualTo;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a hundred thousand computations that park and are resumed leave behind: nothing. */
@Timeout(120)
class LeakTest {
    private static final int MAX_PARKED = 32;
    private static final int COUNT = 100_000;
    private static final int SAMPLE_ONE_IN = 100;
    private static final int COLLECTIONS = 10;

    private final RealThreads threads = new RealThreads();
    private final ExecutorService store = Executors.newFixedThreadPool(2);
    private final Queue<WeakReference<?>> sampled = new ConcurrentLinkedQueue<>();

    @Test
    void computationsThatParkAndAreResumedLeakNoThreadNoAttachmentAndNoMemory() throws Exception {
        Owner owner = new Owner();
        owner.task.start();
        owner.allDone.get(100, TimeUnit.SECONDS);
        // The task is still there, idle, with all its spares.
        int retained = retained();
        AsyncMetrics metrics = owner.task.metrics();
        owner.task.shutdown();
        owner.task.terminated().get(30, TimeUnit.SECONDS);
        store.shutdown();

        assertThat(owner.failures, empty());
        assertThat(owner.done, equalTo(COUNT));
        assertThat("parked", metrics.handOvers(), greaterThan(COUNT / 10L));
        assertThat("in flight", metrics.inFlight(), equalTo(0));
        assertThat("parked now", metrics.parked(), equalTo(0));
        assertThat("workers and the watch", threads.started.size(), lessThanOrEqualTo(MAX_PARKED + 2));
        assertThat("sampled", sampled.size(), equalTo(2 * COUNT / SAMPLE_ONE_IN));
        // A spare's stack may still refer to the wait that it resumed last.
        assertThat("computations and values retained", retained, lessThanOrEqualTo(2 * (MAX_PARKED + 1)));
        assertThat("attachments started and not stopped", owner.attached, empty());
        assertThat("attachments started", owner.started, greaterThan(1));
        threads.joinAll();
    }

    private int retained() {
        int retained = Integer.MAX_VALUE;
        for (int i = 0; i < COLLECTIONS && retained > 0; i++) {
            System.gc();
            retained = (int) sampled.stream()
                    .filter(reference -> reference.get() != null)
                    .count();
        }
        return retained;
    }

    private final class Owner implements Duty {
        final AsyncTask task = new AsyncTask(
                "leaks", this, AsyncOptions.defaults(threads, System::nanoTime).withMaxParked(MAX_PARKED));
        final List<Object> attached = new ArrayList<>();
        final List<Throwable> failures = new ArrayList<>();
        final CompletableFuture<Void> allDone = new CompletableFuture<>();
        int started;
        int done;
        private int admitted;

        @Override
        public int poll() {
            int taken = 0;
            while (taken < 64 && admitted < COUNT && task.room() > 0) {
                taken++;
                admitted++;
                task.admit(new KeySlot(), new Read(admitted % SAMPLE_ONE_IN == 0));
            }
            if (done == COUNT) {
                allDone.complete(null);
            }
            return taken;
        }

        private final class Read extends Computation {
            private final boolean isSampled;

            Read(boolean isSampled) {
                this.isSampled = isSampled;
            }

            @Override
            protected boolean prepare() {
                return true;
            }

            @Override
            protected void run() {
                CompletableFuture<long[]> value = new CompletableFuture<>();
                if (isSampled) {
                    sampled.add(new WeakReference<>(this));
                    sampled.add(new WeakReference<>(value));
                }
                store.execute(() -> value.complete(new long[8]));
                task.await(value);
                done++;
            }

            @Override
            protected String describe() {
                return "a read";
            }
        }

        @Override
        public void released(Epoch epoch) {}

        @Override
        public void drained() {}

        @Override
        public long idle() {
            return Long.MAX_VALUE;
        }

        @Override
        public @Nullable Object workerStarted(Worker worker) {
            Object attachment = new Object();
            attached.add(attachment);
            started++;
            return attachment;
        }

        @Override
        public void workerStopped(Worker worker, @Nullable Object attachment) {
            attached.remove(attachment);
        }

        @Override
        public void failed(Throwable cause) {
            failures.add(cause);
        }
    }
}
