// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What a worker does while it leads: one turn of service after the other, and at the end the winding down. */
final class WorkerLoop {
    private final String taskName;
    private final Duty duty;
    private final AsyncOptions options;
    private final Mailbox mailbox;
    private final FirstFailure ending;
    private final Counters counters = new Counters();
    private final InputGate gate = new InputGate();
    private final Admission admission;
    private final Baton baton;
    private final Deliveries deliveries;
    private final @Nullable Watchdog watchdog;
    private final HandOver handOver;
    private final CompletableFuture<Void> terminated = new CompletableFuture<>();
    private volatile boolean shutdownRequested;
    private boolean scanWaiting;
    private boolean stalled;

    WorkerLoop(String taskName, Duty duty, AsyncOptions options) {
        this.taskName = taskName;
        this.duty = duty;
        this.options = options;
        mailbox = new Mailbox(options.threads());
        ending = new FirstFailure(taskName);
        admission = new Admission(options, gate, counters);
        baton = new Baton(taskName, options.threads(), options.maxParked(), this::work, this::interrupted);
        deliveries = new Deliveries(mailbox, counters, baton::rejoin);
        watchdog = options.watchdogNanos() > 0 ? new Watchdog(options, this) : null;
        handOver = new HandOver(mailbox, deliveries, baton, admission, ending, counters, this::interrupted);
    }

    Mailbox mailbox() {
        return mailbox;
    }

    FirstFailure ending() {
        return ending;
    }

    InputGate gate() {
        return gate;
    }

    Admission admission() {
        return admission;
    }

    Baton baton() {
        return baton;
    }

    HandOver handOver() {
        return handOver;
    }

    CompletableFuture<Void> terminated() {
        return terminated;
    }

    /** Changes whenever anything gets done. */
    long progress() {
        return admission.finished + counters.progress();
    }

    void advance() {
        counters.ownSteps++;
    }

    void requestShutdown() {
        shutdownRequested = true;
        mailbox.signal();
    }

    void fail(String what, Throwable cause) {
        ending.set(what, cause);
        mailbox.signal();
    }

    AsyncMetrics metrics() {
        return new AsyncMetrics(
                admission.inFlight(),
                admission.inFlightBytes,
                admission.blocked,
                deliveries.fetching,
                baton.parked,
                deliveries.waiting(),
                admission.epochs.size(),
                baton.workers().size(),
                admission.finished,
                admission.finished - counters.finishedAfterWait,
                counters.resumedFetches,
                counters.handOvers,
                counters.swaps,
                counters.boundWaits,
                counters.errands,
                baton.startFailures + options.watch().startFailures(),
                counters.leftBehind,
                counters.admissionStalls,
                counters.drains,
                counters.drainNanos,
                counters.lastDrainNanos,
                counters.maxDrainNanos);
    }

    /** Something for another worker's thread, by the leader. */
    void lend(Worker to, Runnable errand) {
        counters.errands++;
        baton.lend(baton.leader(), to, errand);
    }

    /** The first worker leads. */
    void start() {
        baton.begin();
        if (watchdog != null) {
            watchdog.start();
        }
    }

    /** The life of a worker thread. */
    private void work(Worker self) {
        try {
            baton.awaitGrant(self);
            announce(self);
            boolean goesOn = true;
            while (goesOn) {
                goesOn = guardedTurn(self);
                if (self.detached) {
                    goesOn = rejoin(self);
                }
            }
        } catch (Abandoned e) {
            // The task has told of it, and has gone on or ended without this thread, which has nothing left to do.
            assert self.isAbandoned();
        }
    }

    private boolean guardedTurn(Worker self) {
        try {
            return turn(self);
        } catch (Abandoned e) {
            throw e;
        } catch (Throwable t) {
            back(self);
            fail("its owner", t);
            return true;
        }
    }

    /** After user code or the owner has returned, before the task is touched: this thread may have been left behind. */
    private void back(Worker self) {
        if (ending.isSet() && !self.detached && !self.claim()) {
            throw new Abandoned(self);
        }
    }

    /** The watch: the leader does not come back, so another leads to the end. */
    void abandon(Worker stuck) {
        if (stuck.abandon()) {
            counters.leftBehind++;
            admission.current = null;
        } else if (!stuck.isAbandoned()) {
            return;
        }
        baton.succeed(stuck, new TaskFailed("worker " + stuck + " was left behind", ending.failure()));
    }

    private void announce(Worker self) {
        if (ending.isSet()) {
            // It leads only to end the task.
            return;
        }
        try {
            self.attachment = duty.workerStarted(self);
            self.announced = true;
            back(self);
        } catch (Abandoned e) {
            throw e;
        } catch (Throwable t) {
            back(self);
            fail("start of worker " + self, t);
        }
    }

    /** One turn of service, in the order that {@link AsyncTask} promises; false when this worker's thread is to end. */
    private boolean turn(Worker self) {
        counters.turns++;
        deliveries.take();
        runCalls(self);
        if (mayEnd()) {
            return windDown(self);
        }
        if (admission.epochs.stirred) {
            releaseEpochs(self);
        }
        Wait resumable = deliveries.nextResumable();
        if (resumable != null) {
            baton.resume(self, resumable.worker);
            return true;
        }
        Computation callback = deliveries.nextCallback();
        if (callback != null) {
            begin(self, callback);
        } else if (!admission.runnable.isEmpty()) {
            runRunnable(self);
        } else if (gate.isShut()) {
            drain(self);
        } else {
            lookForInput(self);
        }
        return true;
    }

    /** Failed or closed; or shut down with all done: nothing in flight and, unless drained, no watermark to release. */
    private boolean mayEnd() {
        return ending.isSet()
                || (shutdownRequested && admission.inFlight() == 0 && (gate.isShut() || admission.epochs.size() == 1));
    }

    private void runRunnable(Worker self) {
        ComputationQueue runnable = admission.runnable;
        EpochQueue epochs = admission.epochs;
        Computation next = runnable.poll();
        while (next != null && begin(self, next)) {
            if (mailbox.hasMail() || epochs.stirred || ending.isSet()) {
                return;
            }
            next = runnable.poll();
        }
    }

    /** Starts or goes on with a computation that owns its key; false when it threw, or this worker leads no more. */
    private boolean begin(Worker self, Computation computation) {
        try {
            if (computation.rounds < AsyncTask.MAX_FETCH_ROUNDS && !computation.prepare()) {
                computation.stage = Computation.FETCHING;
                computation.rounds++;
                computation.waited = true;
                deliveries.fetching++;
                return true;
            }
            admission.current = computation;
            computation.run();
            if (ending.isSet()) {
                if (self.detached) {
                    return false;
                }
                back(self);
            }
            computation.finished();
        } catch (Abandoned e) {
            throw e;
        } catch (Throwable t) {
            back(self);
            if (!self.detached) {
                admission.current = null;
            }
            fail(describe(computation), t);
            return false;
        }
        admission.current = null;
        admission.release(computation);
        return true;
    }

    /** For error texts; what fails on the way to one must not hide the error. */
    static String describe(Computation computation) {
        try {
            return computation.describe();
        } catch (Throwable t) {
            return "a " + computation.getClass().getName() + " that cannot be described: " + t;
        }
    }

    private void runCalls(Worker self) {
        for (Call call = deliveries.nextCall(); call != null; call = deliveries.nextCall()) {
            try {
                call.body.run();
            } catch (Throwable t) {
                back(self);
                fail("a call from another thread", t);
            }
            back(self);
        }
    }

    private void releaseEpochs(Worker self) {
        EpochQueue epochs = admission.epochs;
        for (Epoch finished = epochs.takeFinished(); finished != null; finished = epochs.takeFinished()) {
            duty.released(finished);
            back(self);
        }
    }

    private void drain(Worker self) {
        if (gate.isDrainRequested() && admission.inFlight() == 0) {
            counters.drained(gate.drained(options.nanoClock().getAsLong()));
            duty.drained();
            back(self);
            return;
        }
        noteSignal();
        sleep(Long.MAX_VALUE);
    }

    private void lookForInput(Worker self) {
        noteSignal();
        gate.stirred = false;
        if (admission.isAtBound()) {
            if (!stalled) {
                stalled = true;
                counters.admissionStalls++;
            }
        } else {
            stalled = false;
            Epoch scanned = scanWaiting ? null : admission.epochs.scanning();
            if (scanned != null) {
                step(self, scanned);
                return;
            }
            if (!shutdownRequested) {
                int work = duty.poll();
                back(self);
                if (work > 0) {
                    return;
                }
            }
        }
        if (hasNews()) {
            return;
        }
        long nanos = duty.idle();
        back(self);
        if (nanos > 0 && !hasNews()) {
            sleep(nanos);
        }
    }

    /** Before looking for input, so that a signal that comes while looking is kept for the next look. */
    private void noteSignal() {
        if (mailbox.takeSignal()) {
            scanWaiting = false;
        }
    }

    private void step(Worker self, Epoch scanned) {
        EpochScan scan = requireNonNull(scanned.scan, "a scanned epoch has a scan");
        scanned.scanStarted = true;
        EpochScan.Step found = scan.step();
        back(self);
        switch (found) {
            case MORE -> {}
            case WAITING -> scanWaiting = true;
            case EXHAUSTED -> admission.epochs.exhausted(scanned);
        }
    }

    /** Whether the owner, asked for input or idle, left something to do although it reported none. */
    private boolean hasNews() {
        return gate.stirred || admission.epochs.stirred || !admission.runnable.isEmpty();
    }

    /** Until something comes for the leader; every waker posts or signals. */
    private void sleep(long nanos) {
        handOver.sleep(nanos, () -> mailbox.hasMail() || mailbox.isSignalled() || mayEnd());
    }

    private void interrupted(Worker worker) {
        fail("worker " + worker + " was interrupted", new InterruptedException("interrupt of " + worker));
    }

    /** Tells the owner of the failure, once; the leader does it, or the watchdog when the leader is stuck. */
    void tellFailure() {
        TaskFailed failed = ending.takeUntold();
        if (failed != null) {
            try {
                duty.failed(failed);
            } catch (Throwable t) {
                failed.addSuppressed(t);
            }
        }
    }

    void tellStuck(String text) {
        try {
            duty.stuck(text);
        } catch (Throwable t) {
            fail("its owner, when told: " + text, t);
        }
    }

    /** One step towards the end; false when this worker's thread is to end. */
    private boolean windDown(Worker self) {
        // From here on the leader is not left behind.
        back(self);
        tellFailure();
        for (Worker worker : baton.workers()) {
            if (worker.isParked()) {
                // It sees the end, throws, unwinds, and comes back here as the leader.
                baton.resume(self, worker);
                return true;
            }
        }
        if (baton.parked > 0 && awaitDetached()) {
            return true;
        }
        stop(self);
        if (!baton.retire()) {
            terminate(self);
        }
        return false;
    }

    /** Those that the watchdog resumed post when they are out; false when none comes in time: it is left behind. */
    private boolean awaitDetached() {
        long patienceNanos = Math.max(1, options.watchdogNanos());
        long startNanos = options.nanoClock().getAsLong();
        while (!mailbox.hasMail() && options.nanoClock().getAsLong() - startNanos < patienceNanos) {
            // The task has ended already: an interrupt has nothing to add, and must not keep this from sleeping.
            Thread.interrupted();
            mailbox.sleep(patienceNanos, mailbox::hasMail);
        }
        return mailbox.hasMail();
    }

    private void stop(Worker self) {
        if (self.announced) {
            try {
                duty.workerStopped(self, self.attachment);
            } catch (Throwable t) {
                fail("stop of worker " + self, t);
                tellFailure();
            }
        }
    }

    private void terminate(Worker self) {
        deliveries.takeLast();
        runCalls(self);
        tellFailure();
        if (baton.retire()) {
            // A worker that had been left behind came back with the last mail; it ends the task.
            return;
        }
        if (watchdog != null) {
            watchdog.end();
        }
        completeTerminated();
    }

    /** A task that was never started has no worker that could end it. */
    void endUnstarted() {
        mailbox.close();
        completeTerminated();
    }

    private void completeTerminated() {
        TaskFailed failed = ending.failure();
        if (failed == null) {
            terminated.complete(null);
        } else {
            terminated.completeExceptionally(failed);
        }
    }

    /** A worker that the watchdog resumed has left its computation: it becomes a spare, if the task still takes it. */
    private boolean rejoin(Worker self) {
        self.detached = false;
        self.becomeSpare();
        if (watchdog != null) {
            watchdog.nudge();
        }
        if (!mailbox.post(new Unwound(self))) {
            return false;
        }
        baton.awaitGrant(self);
        return true;
    }

    @Override
    public String toString() {
        return taskName;
    }
}
