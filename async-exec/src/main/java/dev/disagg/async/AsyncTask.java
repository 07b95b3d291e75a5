// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import static java.util.Objects.requireNonNull;

import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the keyed computations of one task: one in flight per key, the rest of the key first in, first out; across keys
 * in any order, so that a key that waits for its state does not hold up the others.
 *
 * <p><b>Threads.</b> At every instant exactly one worker thread leads; computations, {@link Duty}, and all bookkeeping
 * run on it. Methods say when any thread may call them; the rest belong to the leader (an assertion checks it).
 *
 * <p><b>Order of service.</b> Mailbox, parked computations whose value is there, computations whose fetched state is
 * there, admitted computations whose key is free, epoch scans, input. Finished epochs are released before any of these
 * but the mailbox. A computation never runs inside another one: it always starts on the bare stack of the loop, so depth
 * of stack does not grow with the number of computations.
 *
 * <p><b>Waiting.</b> {@link Computation#prepare} fetches what is known to be read, without a thread. {@link #await} is
 * for the rest: the waiting computation keeps its thread and its stack, and another worker leads meanwhile.
 *
 * <p><b>End.</b> {@link #shutdown} finishes what is started, {@link #close} and a failure abandon it: parked computations
 * are resumed one by one and get {@link TaskFailed}. Either way every worker ends and {@link #terminated} completes.
 */
public final class AsyncTask implements AutoCloseable {
    /** Round trips that {@link Computation#prepare} may ask for before the body runs without being asked again. */
    public static final int MAX_FETCH_ROUNDS = 8;

    private final String name;
    private final Duty duty;
    private final AsyncOptions options;
    private final Mailbox mailbox;
    private final Baton baton;
    private final EpochQueue epochs;
    private final FirstFailure ending;
    private final @Nullable Watchdog watchdog;
    private final Counters counters = new Counters();
    private final AtomicBoolean started = new AtomicBoolean();
    private final CompletableFuture<Void> terminated = new CompletableFuture<>();
    private volatile boolean shutdownRequested;

    // The rest is the leader's; it travels with the baton.
    private final ArrayDeque<Call> calls = new ArrayDeque<>();
    private final ArrayDeque<Wait> resumes = new ArrayDeque<>();
    private final ComputationQueue callbacks = new ComputationQueue();
    private final ComputationQueue runnable = new ComputationQueue();
    private @Nullable Computation current;
    private int inFlight;
    private long inFlightBytes;
    private int blocked;
    private int fetching;
    private boolean inputShut;
    private boolean drainRequested;
    private long drainStartNanos;
    private boolean scanWaiting;
    private boolean stalled;
    /** The owner changed something while it was asked for input, so that there may be work although it found none. */
    private boolean stirred;

    /**
     * A task that is not started.
     *
     * @param name for threads and error texts
     */
    public AsyncTask(String name, Duty duty, AsyncOptions options) {
        this.name = requireNonNull(name, "name is null");
        this.duty = requireNonNull(duty, "duty is null");
        this.options = requireNonNull(options, "options is null");
        mailbox = new Mailbox(options.threads());
        baton = new Baton(name, options.threads(), options.maxParked(), this::work, this::interrupted);
        epochs = new EpochQueue(options.maxOpenEpochs());
        ending = new FirstFailure(name);
        watchdog = options.watchdogNanos() > 0 && options.handOver() ? new Watchdog(name, options, this, baton, mailbox, ending) : null;
    }

    /** Starts the first worker, which leads. Once. What the thread source throws is passed on. */
    public void start() {
        if (!started.compareAndSet(false, true)) {
            throw new IllegalStateException("task " + name + " was started or closed before");
        }
        baton.begin();
    }

    // Any thread.

    /**
     * Any thread: the leader will run this, outside of computations, in order of calls. Also after a failure, so that
     * whoever waits for an answer gets one; {@link #checkFailed} tells. What it throws fails the task.
     *
     * @throws RejectedExecutionException when the task has ended; otherwise the call will be run (unless the task is
     *     closed without ever being started)
     */
    public void execute(Runnable call) {
        if (!mailbox.post(new Call(requireNonNull(call, "call is null")))) {
            throw new RejectedExecutionException("task " + name + " has ended and takes no calls");
        }
    }

    /** Any thread: there may be input, or a scan can go on. */
    public void wake() {
        mailbox.signal();
    }

    /** Any thread: what {@link EpochScan.Step#WAITING} waited for is there. */
    public void scanReady() {
        mailbox.signal();
    }

    /**
     * Any thread: the reads that {@link Computation#prepare} sent out have arrived or failed. Once per false answer.
     * Ignored when the computation waits for nothing, or the task has ended.
     */
    public void ready(Computation computation) {
        if (computation.claimPost()) {
            mailbox.post(computation);
        }
    }

    /** Any thread: ends the task with this failure unless it has ended already. */
    public void fail(Throwable cause) {
        fail("failed", requireNonNull(cause, "cause is null"));
    }

    /**
     * Completes after the last worker has stopped: normally after {@link #shutdown} or {@link #close}, with the failure
     * otherwise. Completed by the last worker.
     */
    public CompletableFuture<Void> terminated() {
        return terminated;
    }

    /** Any thread: throws {@link TaskFailed} if the task has failed or was closed. */
    public void checkFailed() {
        ending.check();
    }

    /** Any thread: computations admitted and not finished. */
    public int inFlight() {
        return inFlight;
    }

    /** Any thread: figures of this moment. */
    public AsyncMetrics metrics() {
        return new AsyncMetrics(
                inFlight,
                inFlightBytes,
                blocked,
                fetching,
                baton.parked,
                callbacks.size() + resumes.size(),
                epochs.size(),
                baton.workers().size(),
                counters.finished,
                counters.finished - counters.finishedAfterWait,
                counters.resumedFetches,
                counters.handOvers,
                counters.swaps,
                counters.boundWaits,
                baton.startFailures + (watchdog == null ? 0 : watchdog.startFailures),
                counters.admissionStalls,
                counters.drains,
                counters.drainNanos);
    }

    /**
     * Any thread: takes no more input, finishes what is started, stops the workers. Sealed epochs are scanned and released
     * first, but not when the task is draining or drained. Returns at once.
     */
    public void shutdown() {
        shutdownRequested = true;
        endUnstarted();
        mailbox.signal();
    }

    /**
     * Any thread: ends the task without finishing what is started. Parked computations are resumed one by one and get
     * {@link TaskFailed}; what has not begun is dropped. Returns at once; {@link #terminated} tells when all is over.
     */
    @Override
    public void close() {
        ending.close();
        endUnstarted();
        mailbox.signal();
    }

    /** Any thread: whether the calling thread leads. */
    public boolean isLeader() {
        return baton.isLeader(Thread.currentThread());
    }

    // Leader only.

    /**
     * Admits a computation of a key: outside of computations into the OPEN epoch, inside one, as derived work, into the
     * epoch of the running one. It runs when those admitted for the key before it have finished. Never refused for being
     * at the bound.
     *
     * @throws IllegalStateException when the computation is in flight already; or, outside of computations, while
     *     draining
     */
    public void admit(KeySlot slot, Computation computation) {
        Computation running = current;
        enter(running == null ? epochs.open() : running.epoch(), slot, computation);
        place(slot, computation);
    }

    /**
     * As {@link #admit}, into a given epoch that is not FINISHED: fire computations of a sealed one.
     *
     * @throws IllegalStateException also when the epoch is FINISHED
     */
    public void admitTo(Epoch epoch, KeySlot slot, Computation computation) {
        if (epoch.state() == Epoch.State.FINISHED) {
            throw new IllegalStateException("cannot admit " + computation.describe() + " to " + epoch);
        }
        enter(epoch, slot, computation);
        place(slot, computation);
    }

    /**
     * Derived work of the running computation's key and epoch that runs before all that waits for the key. Of several,
     * the one admitted last runs first.
     */
    public void admitNext(Computation computation) {
        Computation running = current;
        if (running == null) {
            throw new IllegalStateException("no computation is running, so " + computation.describe() + " follows none");
        }
        enter(running.epoch(), running.slot(), computation);
        running.slot().prepend(computation);
        blocked++;
    }

    /**
     * The running computation does work of an earlier epoch that is not released yet, for example it fires timers that
     * this epoch's watermark made due before the epoch's scan came to the key. The epoch is not released before the
     * computation has finished. Of several the earliest counts, which holds the later ones too.
     *
     * @throws IllegalStateException when no computation is running or the epoch is FINISHED
     */
    public void holdEpoch(Epoch epoch) {
        assert isLeader();
        Computation running = current;
        if (running == null || epoch.state() == Epoch.State.FINISHED) {
            throw new IllegalStateException("cannot hold " + epoch + (running == null ? " outside of computations" : ""));
        }
        Epoch held = running.heldEpoch;
        if (held == null || epoch.sequence() < held.sequence()) {
            epoch.count++;
            running.heldEpoch = epoch;
            if (held != null) {
                held.count--;
            }
        }
    }

    /** The oldest epoch that is not released; from it {@link Epoch#next} leads to the OPEN one. */
    public Epoch oldestEpoch() {
        assert isLeader();
        return epochs.head();
    }

    /** How many computations may be admitted before the in-flight bound, 0 at it; a guide for the size of a batch. */
    public int room() {
        return isAtBound() ? 0 : options.maxInFlight() - inFlight;
    }

    /** The epoch that takes new computations. */
    public Epoch openEpoch() {
        assert isLeader();
        return epochs.open();
    }

    /**
     * Closes the OPEN epoch and opens the next, in one step. The scan then runs between callbacks and input, after the
     * scans of earlier epochs.
     *
     * @return the sealed epoch. When no computation was admitted since the last call, and none to the epoch sealed then,
     *     that is the earlier epoch, which takes the new attachment and scan, and the OPEN epoch stays the same
     * @throws IllegalStateException when {@link #canSeal} is false
     */
    public Epoch seal(@Nullable Object attachment, EpochScan scan) {
        assert isLeader();
        stirred = true;
        return epochs.seal(attachment, requireNonNull(scan, "scan is null"));
    }

    /** False while {@link AsyncOptions#maxOpenEpochs} epochs wait for their release. */
    public boolean canSeal() {
        assert isLeader();
        return epochs.canSeal();
    }

    /**
     * The value of a future. Returns at once when it is done. Inside a computation, with hand-over on, another worker
     * leads until the value is there; otherwise as {@link #awaitBlocking}. The future must not depend on another
     * computation of this task.
     *
     * @throws TaskFailed when the task failed or was closed meanwhile
     * @throws RuntimeException or an Error: the future's own; a checked one comes in a {@link CompletionException}
     */
    public <T extends @Nullable Object> T await(CompletableFuture<T> future) {
        if (!future.isDone()) {
            checkFailed();
            assert isLeader();
            Computation running = current;
            if (running != null && options.handOver()) {
                handOver(running, future);
            } else {
                hold(future);
            }
        }
        return outcome(future);
    }

    /**
     * As {@link #await}, but holds the task: nothing else is served meanwhile. For steps whose instances share a lock,
     * and for the owner outside of computations.
     */
    public <T extends @Nullable Object> T awaitBlocking(CompletableFuture<T> future) {
        if (!future.isDone()) {
            checkFailed();
            assert isLeader();
            hold(future);
        }
        return outcome(future);
    }

    /**
     * Shuts input and scans; {@link Duty#drained} is called once everything started, with all that it derives, has
     * finished. Requests made before that call are one. Input stays shut until {@link #resumeInput}.
     */
    public void requestDrain() {
        assert isLeader();
        if (!drainRequested) {
            drainRequested = true;
            drainStartNanos = options.nanoClock().getAsLong();
        }
        inputShut = true;
        stirred = true;
    }

    /** Whether input is shut: from {@link #requestDrain} to {@link #resumeInput}. */
    public boolean isDraining() {
        assert isLeader();
        return inputShut;
    }

    /** Opens input and scans again; also ends a drain that is not over yet. */
    public void resumeInput() {
        assert isLeader();
        inputShut = false;
        drainRequested = false;
        stirred = true;
    }

    /** The computation that is running; null outside of one. */
    public @Nullable Computation current() {
        assert isLeader();
        return current;
    }

    /** The worker that leads. */
    public Worker currentWorker() {
        assert isLeader();
        return baton.leader();
    }

    // Admission and release.

    private void enter(Epoch epoch, KeySlot slot, Computation computation) {
        assert isLeader();
        if (computation.stage != Computation.NEW && computation.stage != Computation.DONE) {
            throw new IllegalStateException(computation.describe() + " is in flight already");
        }
        if (inputShut && current == null) {
            throw new IllegalStateException("cannot admit " + computation.describe()
                    + " while draining: it would be missing in the snapshot; ask isDraining() first");
        }
        computation.stage = Computation.ADMITTED;
        computation.rounds = 0;
        computation.waited = false;
        computation.slot = slot;
        computation.epoch = epoch;
        long weightBytes = computation.weightBytes();
        computation.weightBytes = weightBytes;
        inFlightBytes += weightBytes;
        inFlight++;
        epoch.count++;
        epoch.used = true;
    }

    private void place(KeySlot slot, Computation computation) {
        if (slot.busy) {
            slot.append(computation);
            blocked++;
        } else {
            slot.busy = true;
            runnable.add(computation);
        }
    }

    private void release(Computation computation) {
        computation.stage = Computation.DONE;
        counters.finished++;
        if (computation.waited) {
            counters.finishedAfterWait++;
        }
        inFlight--;
        inFlightBytes -= computation.weightBytes;
        if (--computation.epoch().count == 0) {
            epochs.stirred = true;
        }
        if (computation.heldEpoch != null) {
            computation.heldEpoch.count--;
            computation.heldEpoch = null;
            epochs.stirred = true;
        }
        KeySlot slot = computation.slot();
        Computation waiting = slot.takeWaiting();
        if (waiting == null) {
            slot.busy = false;
        } else {
            blocked--;
            // Queued, not run here: a key with a long queue must neither nest nor keep others from being served.
            runnable.add(waiting);
        }
    }

    private boolean isAtBound() {
        return inFlight >= options.maxInFlight() || inFlightBytes >= options.maxInFlightBytes();
    }

    // The loop.

    /** The life of a worker thread. */
    private void work(Worker self) {
        baton.awaitGrant(self);
        announce(self);
        boolean goesOn = true;
        while (goesOn) {
            try {
                goesOn = turn(self);
            } catch (Throwable t) {
                fail("its owner", t);
            }
            if (self.detached) {
                goesOn = rejoin(self);
            }
        }
    }

    private void announce(Worker self) {
        try {
            self.attachment = duty.workerStarted(self);
            self.announced = true;
        } catch (Throwable t) {
            fail("start of worker " + self, t);
        }
    }

    /** One turn of service; false when this worker's thread is to end. */
    private boolean turn(Worker self) {
        if (mailbox.hasMail()) {
            sort(mailbox.takeAll());
        }
        if (!calls.isEmpty()) {
            runCalls();
        }
        if (mayEnd()) {
            return windDown(self);
        }
        if (epochs.stirred) {
            releaseEpochs();
        }
        Wait resumable = nextResumable();
        if (resumable != null) {
            baton.resume(self, resumable.worker);
            return true;
        }
        Computation callback = callbacks.poll();
        if (callback != null) {
            begin(self, callback);
        } else if (!runnable.isEmpty()) {
            runRunnable(self);
        } else if (inputShut) {
            drain();
        } else {
            lookForInput();
        }
        return true;
    }

    /** Failed or closed; or shut down with all done: nothing in flight and, unless drained, no watermark to release. */
    private boolean mayEnd() {
        return ending.isSet() || (shutdownRequested && inFlight == 0 && (inputShut || epochs.size() == 1));
    }

    private void runRunnable(Worker self) {
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
            if (computation.rounds < MAX_FETCH_ROUNDS && !computation.prepare()) {
                computation.stage = Computation.FETCHING;
                computation.rounds++;
                computation.waited = true;
                fetching++;
                return true;
            }
            computation.stage = Computation.RUNNING;
            current = computation;
            computation.run();
            if (self.detached) {
                return false;
            }
            computation.finished();
        } catch (Throwable t) {
            fail(computation.describe(), t);
            if (!self.detached) {
                current = null;
            }
            return false;
        }
        current = null;
        release(computation);
        return true;
    }

    private void sort(@Nullable Mail oldest) {
        Mail mail = oldest;
        while (mail != null) {
            Mail following = mail.nextMail;
            mail.nextMail = null;
            if (mail instanceof Computation fetched) {
                fetched.releasePost();
                if (fetched.stage == Computation.FETCHING) {
                    fetched.stage = Computation.ADMITTED;
                    fetching--;
                    counters.resumedFetches++;
                    callbacks.add(fetched);
                }
            } else if (mail instanceof Wait wait) {
                resumes.addLast(wait);
            } else if (mail instanceof Call call) {
                calls.addLast(call);
            } else if (mail instanceof Unwound unwound) {
                baton.rejoin(unwound.worker);
            }
            mail = following;
        }
    }

    private void runCalls() {
        for (Call call = calls.pollFirst(); call != null; call = calls.pollFirst()) {
            try {
                call.body.run();
            } catch (Throwable t) {
                fail("a call from another thread", t);
            }
        }
    }

    private void releaseEpochs() {
        for (Epoch finished = epochs.takeFinished(); finished != null; finished = epochs.takeFinished()) {
            duty.released(finished);
        }
    }

    private @Nullable Wait nextResumable() {
        Wait wait = resumes.pollFirst();
        while (wait != null && wait.cancelled) {
            wait = resumes.pollFirst();
        }
        return wait;
    }

    private void drain() {
        if (inFlight == 0 && drainRequested) {
            drainRequested = false;
            counters.drains++;
            counters.drainNanos += options.nanoClock().getAsLong() - drainStartNanos;
            duty.drained();
            return;
        }
        stirred = false;
        noteSignal();
        sleep(Long.MAX_VALUE);
    }

    private void lookForInput() {
        noteSignal();
        stirred = false;
        if (isAtBound()) {
            if (!stalled) {
                stalled = true;
                counters.admissionStalls++;
            }
        } else {
            stalled = false;
            Epoch scanned = scanWaiting ? null : epochs.scanning();
            if (scanned != null) {
                step(scanned);
                return;
            }
            if (!shutdownRequested && duty.poll() > 0) {
                return;
            }
        }
        if (hasNews()) {
            return;
        }
        long nanos = duty.idle();
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

    private void step(Epoch scanned) {
        EpochScan scan = requireNonNull(scanned.scan, "a scanned epoch has a scan");
        scanned.scanStarted = true;
        switch (scan.step()) {
            case MORE -> {}
            case WAITING -> scanWaiting = true;
            case EXHAUSTED -> epochs.exhausted(scanned);
        }
    }

    /** Whether the owner, asked for input or idle, left something to do although it reported none. */
    private boolean hasNews() {
        return stirred || epochs.stirred || !runnable.isEmpty();
    }

    /** Until something comes for the leader; every waker posts or signals. */
    private void sleep(long nanos) {
        sleep(nanos, () -> mailbox.hasMail() || mailbox.isSignalled() || mayEnd());
    }

    private void sleep(long nanos, BooleanSupplier ready) {
        mailbox.sleep(nanos, ready);
        if (Thread.interrupted()) {
            interrupted(baton.leader());
            Thread.currentThread().interrupt();
        }
    }

    // Waiting inside a computation.

    private void handOver(Computation running, CompletableFuture<?> future) {
        Worker self = baton.leader();
        Wait wait = new Wait(self, running, future, mailbox);
        running.waited = true;
        future.whenComplete(wait);
        if (watchdog != null) {
            watchdog.start();
        }
        Worker next = baton.successor();
        if (next == null) {
            waitAtBound(self, running, wait);
        } else {
            counters.handOvers++;
            current = null;
            baton.park(self, wait, next);
        }
        ending.check();
        current = running;
    }

    /** Nobody can lead instead: passes the baton straight to a parked computation that can go on, or waits for one. */
    private void waitAtBound(Worker self, Computation running, Wait wait) {
        boolean counted = false;
        while (true) {
            if (mailbox.hasMail()) {
                sort(mailbox.takeAll());
            }
            if (wait.future.isDone() || ending.isSet()) {
                wait.cancelled = true;
                return;
            }
            Wait other = nextResumable();
            if (other != null) {
                current = null;
                counters.handOvers++;
                counters.swaps++;
                if (baton.swap(self, wait, other.worker)) {
                    return;
                }
                current = running;
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
    private void hold(CompletableFuture<?> future) {
        if (current != null) {
            current.waited = true;
        }
        // The value itself is read from the future; this only wakes the leader.
        future.whenComplete((value, failure) -> mailbox.rouse());
        while (!future.isDone()) {
            checkFailed();
            sleep(Long.MAX_VALUE, () -> future.isDone() || ending.isSet());
        }
    }

    private static <T extends @Nullable Object> T outcome(CompletableFuture<T> future) {
        try {
            return future.join();
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

    // The end.

    private void fail(String what, Throwable cause) {
        ending.set(what, cause);
        mailbox.signal();
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

    /** One step towards the end; false when this worker's thread is to end. */
    private boolean windDown(Worker self) {
        tellFailure();
        for (Worker worker : baton.workers()) {
            if (worker.isParked()) {
                // It sees the end, throws, unwinds, and comes back here as the leader.
                baton.resume(self, worker);
                return true;
            }
        }
        if (baton.parked > 0) {
            // Resumed by the watchdog; they post when they are out. One that does not come is left behind.
            long patienceNanos = Math.max(1, options.watchdogNanos());
            long startNanos = options.nanoClock().getAsLong();
            while (!mailbox.hasMail() && options.nanoClock().getAsLong() - startNanos < patienceNanos) {
                // The task has ended already: an interrupt has nothing to add, and must not keep this from sleeping.
                Thread.interrupted();
                mailbox.sleep(patienceNanos, mailbox::hasMail);
            }
            if (mailbox.hasMail()) {
                return true;
            }
        }
        stop(self);
        if (!baton.retire()) {
            terminate();
        }
        return false;
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

    private void terminate() {
        sort(mailbox.close());
        runCalls();
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

    private void completeTerminated() {
        TaskFailed failed = ending.failure();
        if (failed == null) {
            terminated.complete(null);
        } else {
            terminated.completeExceptionally(failed);
        }
    }

    /** A task that was never started has no worker that could end it. */
    private void endUnstarted() {
        if (started.compareAndSet(false, true)) {
            mailbox.close();
            completeTerminated();
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

    /** For the watchdog, at any moment. */
    @Nullable Computation currentSeen() {
        return current;
    }

    /** For the watchdog: changes whenever anything gets done. */
    long progressSeen() {
        return counters.progress();
    }
}
