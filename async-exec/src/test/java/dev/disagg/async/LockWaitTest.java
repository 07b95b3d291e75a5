// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.stringContainsInOrder;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A body that waits in user code for long, while another is parked whose value is there: only when that one holds the lock
 * it waits for does the task fail. Time moves by the patience with each look of the watch.
 */
@Timeout(60)
class LockWaitTest {
    private static final long PATIENCE_NANOS = 1_000_000;
    private static final int FIRST_WITH_VIRTUAL = 24;
    private static final int LOOKS = 12;

    /** What a body waits for. */
    enum Way {
        SLEEP(false),
        QUEUE(false),
        SEMAPHORE(false),
        PARK(false),
        MONITOR(true),
        LOCK(true),
        FAIR_LOCK(true),
        WRITE_LOCK(true);

        private final boolean isLock;

        Way(boolean isLock) {
            this.isLock = isLock;
        }
    }

    /** Something to wait for, that another may hold. */
    private static final class Thing {
        final Way way;
        final Lock lock;
        private final LinkedBlockingQueue<Integer> queue = new LinkedBlockingQueue<>();
        private final Semaphore semaphore = new Semaphore(0);
        private volatile boolean letGo;

        Thing(Way way) {
            this.way = way;
            lock = way == Way.WRITE_LOCK
                    ? new ReentrantReadWriteLock().writeLock()
                    : new ReentrantLock(way == Way.FAIR_LOCK);
        }

        void holding(Runnable body) {
            if (way == Way.MONITOR) {
                synchronized (this) {
                    body.run();
                }
                return;
            }
            lock.lock();
            try {
                body.run();
            } finally {
                lock.unlock();
            }
        }

        /** Ends when it is let go, or interrupted. */
        void await() {
            try {
                switch (way) {
                    case SLEEP -> TimeUnit.DAYS.sleep(1);
                    case QUEUE -> queue.take();
                    case SEMAPHORE -> semaphore.acquire();
                    case PARK -> {
                        while (!letGo) {
                            LockSupport.park(this);
                        }
                    }
                    case MONITOR, LOCK, FAIR_LOCK, WRITE_LOCK -> holding(() -> {});
                }
            } catch (InterruptedException e) {
                // How the test ends a sleep.
                assertThat(way, is(Way.SLEEP));
            }
        }

        void letGo(Thread waiting) {
            switch (way) {
                case SLEEP -> waiting.interrupt();
                case QUEUE -> queue.add(1);
                case SEMAPHORE -> semaphore.release();
                default -> {
                    letGo = true;
                    LockSupport.unpark(waiting);
                }
            }
        }
    }

    /** Threads of a kind, and a watch that looks without waiting for time to pass; it passes only while the body waits. */
    private static final class Looking implements WorkerThreads {
        final AtomicLong nanos = new AtomicLong();
        final Semaphore looks = new Semaphore(0);
        private final WorkerThreads workers;
        private final AtomicReference<Thread> waiting;
        private volatile Thread watching = Thread.currentThread();

        Looking(WorkerThreads workers, AtomicReference<Thread> waiting) {
            this.workers = workers;
            this.waiting = waiting;
        }

        @Override
        public Thread start(String name, Runnable body) {
            return workers.start(name, body);
        }

        @Override
        public Thread startWatch(String name, Runnable body) {
            return WorkerThreads.platform().start(name, () -> {
                watching = Thread.currentThread();
                body.run();
            });
        }

        @Override
        public void park(long atMostNanos) {
            if (Thread.currentThread() == watching) {
                Thread thread = waiting.get();
                if (thread != null && waitsIn(thread)) {
                    nanos.addAndGet(PATIENCE_NANOS);
                    looks.release();
                }
                WorkerThreads.super.park(PATIENCE_NANOS);
            } else {
                WorkerThreads.super.park(atMostNanos);
            }
        }
    }

    private final AtomicReference<Thread> waiting = new AtomicReference<>();
    private Looking looking = new Looking(WorkerThreads.platform(), waiting);
    private final CompletableFuture<Boolean> released = new CompletableFuture<>();

    @AfterEach
    void releaseUsersThread() {
        released.complete(true);
    }

    private RealOwner owner(boolean virtual) {
        if (virtual) {
            assumeTrue(Runtime.version().feature() >= FIRST_WITH_VIRTUAL, "no virtual threads for tasks");
        }
        Looking own = new Looking(virtual ? WorkerThreads.virtualIfAvailable() : WorkerThreads.platform(), waiting);
        looking = own;
        return new RealOwner(
                own,
                options -> AsyncOptions.defaults(own, own.nanos::get)
                        .withWatchdog(PATIENCE_NANOS, "none")
                        .withMaxBody(0));
    }

    private void start(RealOwner owner, Thing thing, boolean parkedHolds) {
        CompletableFuture<Long> value = new CompletableFuture<>();
        owner.input.add(() -> owner.task.admit(new KeySlot(), owner.body("parks", () -> {
            if (parkedHolds) {
                thing.holding(() -> owner.task.await(value));
            } else {
                owner.task.await(value);
            }
        })));
        owner.input.add(() -> owner.task.admit(new KeySlot(), owner.body("waits", () -> {
            value.complete(1L);
            waiting.set(Thread.currentThread());
            thing.await();
        })));
        owner.task.start();
    }

    /** While the body waits; far longer than the patience. */
    private void lookForLong() throws InterruptedException {
        assertThat("looks", looking.looks.tryAcquire(LOOKS, 30, TimeUnit.SECONDS), is(true));
    }

    @ParameterizedTest
    @CsvSource({
        "SLEEP, false", "QUEUE, false", "SEMAPHORE, false", "PARK, false",
        "SLEEP, true", "QUEUE, true", "SEMAPHORE, true", "PARK, true"
    })
    void aBodyThatWaitsForNoLockIsToldOfAndGoesOn(Way way, boolean virtual) throws Exception {
        RealOwner owner = owner(virtual);
        Thing thing = new Thing(way);
        start(owner, thing, false);
        lookForLong();
        goesOn(owner, () -> thing.letGo(waiting.get()));
    }

    private static void goesOn(RealOwner owner, Runnable letGo) throws Exception {
        assertThat(owner.failures, empty());
        assertThat("told of", owner.stuck, not(empty()));
        letGo.run();
        owner.task.shutdown();
        owner.awaitEnd();
        assertThat(owner.failures, empty());
    }

    @ParameterizedTest
    @EnumSource(names = {"MONITOR", "LOCK", "FAIR_LOCK", "WRITE_LOCK"})
    void aLockThatAThreadOfUserCodeHoldsIsWaitedForAndItsOwnerNamed(Way way) throws Exception {
        RealOwner owner = owner(false);
        Thing thing = new Thing(way);
        heldByUsersThread(thing);
        start(owner, thing, false);
        lookForLong();
        assertThat(String.join("\n", owner.stuck), stringContainsInOrder("body waits", "that thread users-own holds"));
        goesOn(owner, () -> released.complete(true));
    }

    /** Whose lock it is cannot be asked of a virtual thread. */
    @ParameterizedTest
    @EnumSource(names = {"MONITOR", "LOCK", "FAIR_LOCK", "WRITE_LOCK"})
    void onVirtualThreadsAnyLockThatIsHeldForLongFailsTheTask(Way way) throws Exception {
        RealOwner owner = owner(true);
        Thing thing = new Thing(way);
        heldByUsersThread(thing);
        start(owner, thing, false);
        fails(owner);
    }

    private void heldByUsersThread(Thing thing) throws Exception {
        CompletableFuture<Boolean> held = new CompletableFuture<>();
        WorkerThreads.platform()
                .start(
                        "users-own",
                        () -> thing.holding(() -> {
                            held.complete(true);
                            released.join();
                        }));
        held.get(30, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @CsvSource({
        "MONITOR, false", "LOCK, false", "FAIR_LOCK, false", "WRITE_LOCK, false",
        "MONITOR, true", "LOCK, true", "FAIR_LOCK, true", "WRITE_LOCK, true"
    })
    void aLockThatAParkedBodyHoldsFailsTheTask(Way way, boolean virtual) throws Exception {
        RealOwner owner = owner(virtual);
        start(owner, new Thing(way), true);
        fails(owner);
    }

    private static void fails(RealOwner owner) throws Exception {
        owner.awaitEnd();
        assertThat(owner.failures, hasSize(1));
        assertThat(
                owner.failures.peek().getMessage(),
                stringContainsInOrder("body waits waits for a lock in user code", "in body waits", "in body parks"));
    }

    @ParameterizedTest
    @EnumSource
    void aStackTellsALockFromOtherWaits(Way way) throws Exception {
        Thing thing = new Thing(way);
        if (way.isLock) {
            heldByUsersThread(thing);
        }
        Thread thread = WorkerThreads.platform().start("waits", () -> {
            waiting.set(Thread.currentThread());
            thing.await();
        });
        while (waiting.get() == null || !waitsIn(thread)) {
            assertThat(thread.isAlive(), is(true));
            Thread.onSpinWait();
        }
        assertThat(LockWait.isForALock(thread.getState(), thread.getStackTrace()), equalTo(way.isLock));
        assertThat(
                "of a thread that holds nothing",
                LockWait.isForOneOf(List.of(Thread.currentThread()), thread),
                equalTo(false));
        released.complete(true);
        thing.letGo(thread);
        thread.join(TimeUnit.SECONDS.toMillis(30));
        assertThat(thread.isAlive(), is(false));
    }

    /** Not on its way there, where it may wait for the loading of a class. */
    private static boolean waitsIn(Thread thread) {
        StackTraceElement[] stack = thread.getStackTrace();
        return thread.getState() != Thread.State.RUNNABLE
                && stack.length > 0
                && (thread.getState() == Thread.State.BLOCKED
                        || stack[0].getMethodName().startsWith("park")
                        || stack[0].getMethodName().startsWith("sleep"));
    }
}
