// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async.lessons;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.instanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.async.KeySlot;
import dev.disagg.async.RealOwner;
import dev.disagg.async.RealThreads;
import dev.disagg.async.Script;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Closing with reads in flight ends without deadlock, and an interrupt is not swallowed. */
@Timeout(60)
class Lesson10ClosingWhileReadsAreInFlightEndsTest {
    private final RealThreads threads = new RealThreads();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void closingWhileReadsAreInFlightEndsAndLateReadsHarmNobody(long seed) {
        try (Script script = Script.unruly(seed)) {
            for (int key = 0; key < 5; key++) {
                script.input(() -> script.task.admit(new KeySlot(), script.resident("parks", () -> script.read(9000))))
                        .input(() -> script.task.admit(new KeySlot(), script.fetched("fetches", 9000, () -> {})));
            }
            script.input(script.task::close);
            script.task.start();
            script.runUntilTerminated();
            boolean[] later = new boolean[1];
            script.simulation.after(20_000, () -> later[0] = true);
            script.simulation.run(() -> later[0], Script.MAX_STEPS);
            assertThat(script.failures, empty());
            assertThat("normal end", script.task.terminated().isCompletedExceptionally(), equalTo(false));
            assertThat(script.events.contains("fetches"), equalTo(false));
            assertThrows(RejectedExecutionException.class, () -> script.task.execute(() -> {}));
        }
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
}
