// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** How the leader waits: by handing the leadership over, by swapping with another that can go on, or by holding it. */
final class HandOver {
    private final Mailbox mailbox;
    private final Deliveries deliveries;
    private final Baton baton;
    private final Admission admission;
    private final FirstFailure ending;
    private final Counters counters;
    private final Consumer<Worker> onInterrupt;

    HandOver(
            Mailbox mailbox,
            Deliveries deliveries,
            Baton baton,
            Admission admission,
            FirstFailure ending,
            Counters counters,
            Consumer<Worker> onInterrupt) {
        this.mailbox = mailbox;
        this.deliveries = deliveries;
        this.baton = baton;
        this.admission = admission;
        this.ending = ending;
        this.counters = counters;
        this.onInterrupt = onInterrupt;
    }

    /** Parks the running computation until the value is there or the task has ended. */
    void park(Computation running, CompletableFuture<?> future) {
        Worker self = baton.leader();
        Wait wait = new Wait(self, running, future, mailbox);
        running.waited = true;
        // What the returned stage would tell is told by the future itself.
        CompletableFuture<?> unused = future.whenComplete(wait);
        Worker next = baton.successor();
        if (next == null) {
            waitAtBound(self, running, wait);
        } else {
            counters.handOvers++;
            admission.current = null;
            baton.park(self, wait, next);
        }
        ending.check();
        admission.current = running;
    }

    /** Nobody can lead instead: passes the baton straight to a parked computation that can go on, or waits for one. */
    private void waitAtBound(Worker self, Computation running, Wait wait) {
        boolean counted = false;
        while (true) {
            deliveries.take();
            if (wait.future.isDone() || ending.isSet()) {
                wait.cancelled = true;
                return;
            }
            Wait other = deliveries.nextResumable();
            if (other != null) {
                counters.handOvers++;
                counters.swaps++;
                admission.current = null;
                if (baton.swap(self, wait, other.worker)) {
                    return;
                }
                admission.current = running;
            } else {
                if (!counted) {
                    counted = true;
                    counters.boundWaits++;
                }
                sleep(Long.MAX_VALUE, () -> mailbox.hasMail() || ending.isSet());
            }
        }
    }

    /** Waits and leads on: nothing is served meanwhile. */
    void hold(CompletableFuture<?> future) {
        Computation running = admission.current;
        if (running != null) {
            running.waited = true;
        }
        CompletableFuture<?> unused = future.whenComplete((value, failure) -> mailbox.rouse());
        while (!future.isDone()) {
            ending.check();
            sleep(Long.MAX_VALUE, () -> future.isDone() || ending.isSet());
        }
    }

    /** Sleeps until roused or ready, for at most so long; may return early. An interrupt fails the task. */
    void sleep(long nanos, BooleanSupplier ready) {
        mailbox.sleep(nanos, ready);
        if (Thread.interrupted()) {
            onInterrupt.accept(baton.leader());
            Thread.currentThread().interrupt();
        }
    }

    static <T extends @Nullable Object> T outcome(CompletableFuture<T> done) {
        try {
            return done.join();
        } catch (CompletionException e) {
            Throwable cause = e.getCause();
            if (cause instanceof RuntimeException unchecked) {
                throw unchecked;
            }
            if (cause instanceof Error error) {
                throw error;
            }
            throw e;
        }
    }
}
