// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.instanceOf;
import static org.hamcrest.Matchers.notNullValue;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** User code that misbehaves on real threads. */
@Timeout(60)
class StuckThreadsTest {
    private static final long PATIENCE_NANOS = 20_000_000;
    private static final long LIMIT_NANOS = 60_000_000;

    private final RealThreads threads = new RealThreads();

    /** Ways not to return. */
    enum Way {
        ENDLESS_LOOP {
            @Override
            void block(AtomicBoolean released, Object monitor) {
                while (!released.get()) {
                    Thread.onSpinWait();
                }
            }
        },
        MONITOR {
            @Override
            void block(AtomicBoolean released, Object monitor) {
                synchronized (monitor) {
                    assertThat(released.get(), equalTo(true));
                }
            }
        },
        WAIT_WITHOUT_END {
            @Override
            void block(AtomicBoolean released, Object monitor) throws InterruptedException {
                new CountDownLatch(1).await();
            }
        },
        SLEEP {
            @Override
            void block(AtomicBoolean released, Object monitor) throws InterruptedException {
                TimeUnit.DAYS.sleep(1);
            }
        };

        abstract void block(AtomicBoolean released, Object monitor) throws InterruptedException;
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void aBodyThatNeverReturnsEndsTheTaskInWhateverWayItBlocks(Way way) throws Exception {
        AtomicBoolean released = new AtomicBoolean();
        Object monitor = new Object();
        RealOwner owner = new RealOwner(
                threads, options -> options.withWatchdog(PATIENCE_NANOS, "none").withMaxBody(LIMIT_NANOS));
        CompletableFuture<Boolean> unwound = new CompletableFuture<>();
        owner.input.add(() -> owner.task.admit(new KeySlot(), owner.body("parks", () -> {
            try {
                owner.task.await(new CompletableFuture<>());
            } finally {
                unwound.complete(true);
            }
        })));
        owner.input.add(() -> owner.task.admit(new KeySlot(), owner.body("stuck", () -> {
            try {
                way.block(released, monitor);
            } catch (InterruptedException e) {
                throw new IllegalStateException("interrupted", e);
            }
        })));
        synchronized (monitor) {
            owner.task.start();
            assertThat(owner.stuck.poll(30, TimeUnit.SECONDS), containsString("body stuck has not returned"));
            owner.awaitEnd();
            assertThat(unwound.get(30, TimeUnit.SECONDS), equalTo(true));
            assertThat(owner.failures, hasSize(1));
            assertThat(
                    owner.failures.peek().getMessage(),
                    allOf(
                            containsString("body stuck has not returned"),
                            containsString("StuckThreadsTest$Way"),
                            containsString("body parks")));
            assertThat(owner.task.terminated().isCompletedExceptionally(), equalTo(true));
            released.set(true);
        }
        threads.joinAll();
    }

    @Test
    void sixtyTasksHaveOneWatchThreadAndItEndsWithTheLast() throws Exception {
        List<Thread> watchers = new ArrayList<>();
        WorkerThreads watchThreads = new WorkerThreads() {
            @Override
            public Thread start(String name, Runnable body) {
                Thread thread = WorkerThreads.platform().start(name, body);
                watchers.add(thread);
                return thread;
            }
        };
        Watch watch = new Watch(watchThreads, System::nanoTime);
        List<RealOwner> owners = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            RealOwner owner = new RealOwner(threads, options -> options.withWatch(watch));
            owner.task.start();
            owners.add(owner);
        }
        assertThat(watchers, hasSize(1));
        assertThat(watch.size(), equalTo(60));
        for (RealOwner owner : owners) {
            owner.task.shutdown();
            owner.awaitEnd();
        }
        assertThat(threads.started, hasSize(60));
        threads.joinAll();
        watchers.get(0).join(TimeUnit.SECONDS.toMillis(30));
        assertThat("ended", watchers.get(0).isAlive(), equalTo(false));
        assertThat(watch.size(), equalTo(0));
    }

    @Test
    void aThreadOfUserCodeThatReadsStateIsToldTheRule() throws Exception {
        RealOwner owner = new RealOwner(threads, options -> options);
        AtomicReference<Throwable> seen = new AtomicReference<>();
        owner.input.add(() -> owner.task.admit(new KeySlot(), owner.body("starts a thread", () -> {
            Thread own = WorkerThreads.platform().start("users-own", () -> {
                seen.set(assertThrows(IllegalStateException.class, () -> owner.task.await(new CompletableFuture<>())));
                assertThrows(IllegalStateException.class, () -> owner.task.seal("W", () -> EpochScan.Step.EXHAUSTED));
            });
            try {
                own.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        })));
        owner.input.add(owner.task::shutdown);
        owner.task.start();
        owner.awaitEnd();
        assertThat(owner.failures, hasSize(0));
        assertThat(seen.get(), notNullValue());
        assertThat(
                seen.get().getMessage(),
                allOf(containsString("users-own"), containsString("must not hand it to threads of its own")));
    }

    @Test
    void aStackOverflowFailsTheTaskOnceWithItsStep() throws Exception {
        RealOwner owner = new RealOwner(threads, options -> options);
        owner.input.add(() -> owner.task.admit(new KeySlot(), owner.body("recurses", () -> recurse(1))));
        owner.task.start();
        owner.awaitEnd();
        assertThat(owner.failures, hasSize(1));
        assertThat(owner.failures.peek().getMessage(), containsString("body recurses"));
        assertThat(owner.failures.peek().getCause(), instanceOf(StackOverflowError.class));
        threads.joinAll();
    }

    private static int recurse(int depth) {
        return 1 + recurse(depth + 1);
    }

    @Test
    void runningOutOfMemoryFailsTheTaskOnceWithItsStepAndParkedOnesUnwind() throws Exception {
        RealOwner owner = new RealOwner(threads, options -> options);
        CompletableFuture<Boolean> unwound = new CompletableFuture<>();
        owner.input.add(() -> owner.task.admit(new KeySlot(), owner.body("parks", () -> {
            try {
                owner.task.await(new CompletableFuture<>());
            } finally {
                unwound.complete(true);
            }
        })));
        owner.input.add(() -> owner.task.admit(new KeySlot(), owner.body("allocates", () -> {
            List<long[]> all = new ArrayList<>();
            while (true) {
                all.add(new long[Integer.MAX_VALUE - 2]);
            }
        })));
        owner.task.start();
        owner.awaitEnd();
        assertThat(owner.failures, hasSize(1));
        assertThat(owner.failures.peek().getMessage(), containsString("body allocates"));
        assertThat(owner.failures.peek().getCause(), instanceOf(OutOfMemoryError.class));
        assertThat(unwound.get(30, TimeUnit.SECONDS), equalTo(true));
        threads.joinAll();
    }

    @Test
    void aBodyThatInterruptsItsThreadAndThenWaitsFailsTheTaskOnce() throws Exception {
        RealOwner owner = new RealOwner(threads, options -> options);
        owner.input.add(() -> owner.task.admit(new KeySlot(), owner.body("interrupts itself", () -> {
            Thread.currentThread().interrupt();
            owner.task.await(new CompletableFuture<>());
        })));
        owner.task.start();
        owner.awaitEnd();
        assertThat(owner.failures, hasSize(1));
        assertThat(owner.failures.peek().getCause(), instanceOf(InterruptedException.class));
        threads.joinAll();
    }
}
