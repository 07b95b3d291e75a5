// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async.lessons;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.hasSize;

import dev.disagg.async.KeySlot;
import dev.disagg.async.RealOwner;
import dev.disagg.async.RealThreads;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** User code that holds a lock across a read fails the task with the stacks of both sides; it never hangs. */
@Timeout(60)
class Lesson39LockHeldAcrossAReadFailsTheTaskTest {
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
                        containsString("Lesson39LockHeldAcrossAReadFailsTheTaskTest.lambda")));
        threads.joinAll();
    }
}
