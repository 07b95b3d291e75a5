// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.instanceOf;
import static org.hamcrest.Matchers.lessThanOrEqualTo;
import static org.hamcrest.Matchers.sameInstance;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What only real threads show: locks, interrupts, wake-ups, leaks. */
@Timeout(60)
class ThreadsTest {
    private final RealThreads threads = new RealThreads();

    @Test
    void aLockSharedAcrossAReadFailsTheTaskWithBothStacksAndTheRemedy() throws Exception {
        ReentrantLock lock = new ReentrantLock();
        failsByWatchdog(lock::lock, lock::unlock);
    }

    @Test
    void aMonitorSharedAcrossAReadFailsTheTaskToo() throws Exception {
        Object monitor = new Object();
        RealOwner owner = new RealOwner(
                threads, options -> options.withWatchdog(20_000_000, "use --synchronousTransforms=Locking"));
        CompletableFuture<Long> value = new CompletableFuture<>();
        owner.input.add(() -> owner.task.admit(new KeySlot(), owner.body("holder", () -> {
            synchronized (monitor) {
                owner.task.await(value);
            }
        })));
        owner.input.add(() -> owner.task.admit(new KeySlot(), owner.body("blocked", () -> {
            value.complete(1L);
            synchronized (monitor) {
                owner.task.checkFailed();
            }
        })));
        expectStandstill(owner);
    }

    private void failsByWatchdog(Runnable lock, Runnable unlock) throws Exception {
        RealOwner owner = new RealOwner(
                threads, options -> options.withWatchdog(20_000_000, "use --synchronousTransforms=Locking"));
        CompletableFuture<Long> value = new CompletableFuture<>();
        owner.input.add(() -> owner.task.admit(new KeySlot(), owner.body("holder", () -> {
            lock.run();
            try {
                owner.task.await(value);
            } finally {
                unlock.run();
            }
        })));
        owner.input.add(() -> owner.task.admit(new KeySlot(), owner.body("blocked", () -> {
            value.complete(1L);
            lock.run();
            try {
                owner.task.checkFailed();
            } finally {
                unlock.run();
            }
        })));
        expectStandstill(owner);
    }

    private void expectStandstill(RealOwner owner) throws Exception {
        owner.task.start();
        owner.awaitEnd();
        assertThat(owner.failures, hasSize(1));
        assertThat(
                owner.failures.peek().getMessage(),
                allOf(
                        containsString("body blocked"),
                        containsString("parked " /* worker */),
                        containsString("body holder"),
                        containsString("use --synchronousTransforms=Locking"),
                        containsString("ThreadsTest.lambda")));
        threads.joinAll();
    }

    @Test
    void anInterruptOfAParkedWorkerFailsTheTaskAndIsRestored() throws Exception {
        RealOwner owner = new RealOwner(threads, options -> options);
        CompletableFuture<Thread> parking = new CompletableFuture<>();
        CompletableFuture<Boolean> restored = new CompletableFuture<>();
        owner.input.add(() -> owner.task.admit(new KeySlot(), owner.body("parks", () -> {
            parking.complete(Thread.currentThread());
            try {
                owner.task.await(new CompletableFuture<>());
            } finally {
                restored.complete(Thread.currentThread().isInterrupted());
            }
        })));
        owner.task.start();
        parking.get(30, TimeUnit.SECONDS).interrupt();
        owner.awaitEnd();
        assertThat(owner.failures, hasSize(1));
        assertThat(owner.failures.peek().getCause(), instanceOf(InterruptedException.class));
        assertThat("flag restored", restored.get(30, TimeUnit.SECONDS), equalTo(true));
        threads.joinAll();
    }

    @Test
    void errandsFindTheThreadLocalsOfTheirWorkers() throws Exception {
        RealOwner owner = new RealOwner(threads, options -> options);
        ThreadLocal<Worker> bound = new ThreadLocal<>();
        List<Worker> workers = new ArrayList<>();
        CompletableFuture<Long> last = new CompletableFuture<>();
        for (int i = 0; i < 8; i++) {
            boolean isLast = i == 7;
            owner.input.add(() -> owner.task.admit(new KeySlot(), owner.body("binds", () -> {
                bound.set(owner.task.currentWorker());
                workers.add(owner.task.currentWorker());
                if (isLast) {
                    last.complete(1L);
                }
                owner.task.await(last);
            })));
        }
        int[] errands = new int[1];
        owner.source = () -> {
            Runnable step = owner.input.poll();
            if (step != null) {
                step.run();
                return 1;
            }
            if (owner.task.inFlight() > 0) {
                return 0;
            }
            for (int round = 0; round < 500; round++) {
                for (Worker worker : workers) {
                    owner.task.runOn(worker, () -> {
                        assertThat(bound.get(), sameInstance(worker));
                        errands[0]++;
                    });
                }
            }
            owner.task.shutdown();
            return 0;
        };
        owner.task.start();
        owner.awaitEnd();
        assertThat(owner.failures, hasSize(0));
        assertThat(errands[0], equalTo(8 * 500));
        threads.joinAll();
    }

    @Test
    void aHundredThousandParkedComputationsLeakNoThread() throws Exception {
        int maxParked = 32;
        int count = 100_000;
        RealOwner owner = new RealOwner(threads, options -> options.withMaxParked(maxParked));
        ExecutorService store = Executors.newFixedThreadPool(2);
        AtomicInteger done = new AtomicInteger();
        int[] admitted = new int[1];
        owner.source = () -> {
            int taken = 0;
            while (taken < 64 && admitted[0] < count && owner.task.room() > 0) {
                taken++;
                admitted[0]++;
                owner.task.admit(new KeySlot(), owner.body("reads", () -> {
                    CompletableFuture<Long> value = new CompletableFuture<>();
                    store.execute(() -> value.complete(1L));
                    owner.task.await(value);
                    done.incrementAndGet();
                }));
            }
            if (taken == 0 && admitted[0] == count) {
                owner.task.shutdown();
            }
            return taken;
        };
        owner.task.start();
        owner.awaitEnd();
        store.shutdown();
        assertThat(done.get(), equalTo(count));
        assertThat("workers and the watchdog", threads.started.size(), lessThanOrEqualTo(maxParked + 2));
        threads.joinAll();
    }

    @Test
    void noWakeUpIsLostBetweenThreeProducersAndALeaderThatFallsAsleep() throws Exception {
        RealOwner owner = new RealOwner(threads, options -> options);
        int rounds = 20_000;
        AtomicLong sum = new AtomicLong();
        owner.task.start();
        List<Thread> producers = new ArrayList<>();
        for (int p = 0; p < 3; p++) {
            Thread producer = new Thread(() -> {
                for (int i = 0; i < rounds; i++) {
                    CompletableFuture<Void> answered = new CompletableFuture<>();
                    if (i % 2 == 0) {
                        owner.task.execute(() -> {
                            sum.incrementAndGet();
                            answered.complete(null);
                        });
                    } else {
                        owner.input.add(() -> {
                            sum.incrementAndGet();
                            answered.complete(null);
                        });
                        owner.task.wake();
                    }
                    // One at a time, so that the leader sleeps between: a lost wake-up stops this for ever.
                    answered.join();
                }
            });
            producer.start();
            producers.add(producer);
        }
        for (Thread producer : producers) {
            producer.join(TimeUnit.SECONDS.toMillis(50));
            assertThat("a wake-up was lost", producer.isAlive(), equalTo(false));
        }
        owner.task.shutdown();
        owner.awaitEnd();
        assertThat(sum.get(), equalTo(3L * rounds));
        threads.joinAll();
    }

    @Test
    void callsOfOneThreadRunInOrder() throws Exception {
        RealOwner owner = new RealOwner(threads, options -> options);
        List<Integer> seen = Collections.synchronizedList(new ArrayList<>());
        owner.task.start();
        CountDownLatch last = new CountDownLatch(1);
        for (int i = 0; i < 10_000; i++) {
            int number = i;
            owner.task.execute(() -> seen.add(number));
        }
        owner.task.execute(last::countDown);
        assertThat(last.await(30, TimeUnit.SECONDS), equalTo(true));
        owner.task.close();
        owner.awaitEnd();
        List<Integer> sorted = new ArrayList<>(seen);
        Collections.sort(sorted);
        assertThat(seen, hasSize(10_000));
        assertThat(seen, equalTo(sorted));
    }

    @Test
    void closingFromOutsideWhileComputationsParkAndResumeAlwaysEnds() throws Exception {
        ExecutorService store = Executors.newFixedThreadPool(2);
        for (int round = 0; round < 200; round++) {
            RealOwner owner = new RealOwner(threads, options -> options.withMaxParked(4));
            AtomicInteger bodies = new AtomicInteger();
            CompletableFuture<Void> warm = new CompletableFuture<>();
            int enough = 5 + round % 20;
            owner.source = () -> {
                if (owner.task.inFlight() > 100) {
                    return 0;
                }
                owner.task.admit(new KeySlot(), owner.body("reads", () -> {
                    CompletableFuture<Long> value = new CompletableFuture<>();
                    store.execute(() -> value.complete(1L));
                    owner.task.await(value);
                    if (bodies.incrementAndGet() == enough) {
                        warm.complete(null);
                    }
                }));
                return 1;
            };
            owner.task.start();
            warm.get(30, TimeUnit.SECONDS);
            owner.task.close();
            owner.awaitEnd();
            threads.joinAll();
        }
        store.shutdownNow();
    }
}
