// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Runs the keyed computations of one task: one in flight per key, the rest of the key first in, first out; across keys
 * in any order, so that a key that waits for its state does not hold up the others.
 *
 * <p><b>Threads.</b> At every instant exactly one worker thread leads; computations, {@link Duty}, and all bookkeeping
 * run on it. Methods say when any thread may call them; the rest belong to the leader (waits and changes of the task check
 * it, the rest by an assertion).
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
    private final AsyncOptions options;
    private final WorkerLoop loop;
    private final Mailbox mailbox;
    private final Admission admission;
    private final FirstFailure ending;
    private final AtomicBoolean started = new AtomicBoolean();

    /**
     * A task that is not started.
     *
     * @param name for threads and error texts
     */
    public AsyncTask(String name, Duty duty, AsyncOptions options) {
        this.name = requireNonNull(name, "name is null");
        this.options = requireNonNull(options, "options is null");
        loop = new WorkerLoop(name, requireNonNull(duty, "duty is null"), options);
        mailbox = loop.mailbox();
        admission = loop.admission();
        ending = loop.ending();
    }

    /** Starts the first worker, which leads. Once. What the thread source throws is passed on and ends the task. */
    public void start() {
        if (!started.compareAndSet(false, true)) {
            throw new IllegalStateException("task " + name + " was started or closed before");
        }
        try {
            loop.start();
        } catch (RuntimeException | Error e) {
            ending.set("start", e);
            loop.endUnstarted();
            throw e;
        }
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
        loop.fail("failed", requireNonNull(cause, "cause is null"));
    }

    /**
     * Completes after the last worker has stopped: normally after {@link #shutdown} or {@link #close}, with the failure
     * otherwise. Completed by the last worker.
     */
    public CompletableFuture<Void> terminated() {
        return loop.terminated();
    }

    /** Any thread: throws {@link TaskFailed} if the task has failed or was closed. */
    public void checkFailed() {
        ending.check();
    }

    /** Any thread: computations admitted and not finished. */
    public int inFlight() {
        return admission.inFlight();
    }

    /** Any thread: figures of this moment. */
    public AsyncMetrics metrics() {
        return loop.metrics();
    }

    /**
     * Any thread: takes no more input, finishes what is started, stops the workers. Sealed epochs are scanned and released
     * first, but not when the task is draining or drained. Returns at once.
     */
    public void shutdown() {
        loop.requestShutdown();
        endUnstarted();
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
        return loop.baton().isLeader(Thread.currentThread());
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
        if (ending.isSet()) {
            touchFailed();
        }
        assert isLeader();
        admission.admit(slot, computation);
    }

    /**
     * As {@link #admit}, into a given epoch that is not FINISHED: fire computations of a sealed one.
     *
     * @throws IllegalStateException also when the epoch is FINISHED
     */
    public void admitTo(Epoch epoch, KeySlot slot, Computation computation) {
        if (ending.isSet()) {
            touchFailed();
        }
        assert isLeader();
        admission.admitTo(epoch, slot, computation);
    }

    /**
     * Derived work of the running computation's key and epoch that runs before all that waits for the key. Of several,
     * the one admitted last runs first.
     */
    public void admitNext(Computation computation) {
        if (ending.isSet()) {
            touchFailed();
        }
        assert isLeader();
        admission.admitNext(computation);
    }

    /**
     * The running computation does work of an earlier epoch that is not released yet, for example it fires timers that
     * this epoch's watermark made due before the epoch's scan came to the key. The epoch is not released before the
     * computation has finished. Of several the earliest counts, which holds the later ones too.
     *
     * @throws IllegalStateException when no computation is running or the epoch is FINISHED
     */
    public void holdEpoch(Epoch epoch) {
        touch();
        admission.hold(epoch);
    }

    /** The oldest epoch that is not released; from it {@link Epoch#next} leads to the OPEN one. */
    public Epoch oldestEpoch() {
        assert isLeader();
        return admission.epochs.head();
    }

    /**
     * How many computations to admit in one {@link Duty#poll}: up to the in-flight bound, and no more than are still in
     * the processor's cache when they run. 0 when it is time to let them run.
     */
    public int room() {
        assert isLeader();
        return admission.room();
    }

    /** The epoch that takes new computations. */
    public Epoch openEpoch() {
        assert isLeader();
        return admission.epochs.open();
    }

    /**
     * Closes the OPEN epoch and opens the next, in one step. The scan then runs between callbacks and input, after the
     * scans of earlier epochs.
     *
     * @return the sealed epoch. When no computation was admitted since the last call, and none to the epoch sealed then,
     *     that is the earlier epoch, which takes the new attachment and scan, and the OPEN epoch stays the same: whatever
     *     else than a watermark the earlier attachment says must be carried over into the new one
     * @throws IllegalStateException when {@link #canSeal} is false
     */
    public Epoch seal(@Nullable Object attachment, EpochScan scan) {
        touch();
        loop.gate().stirred = true;
        return admission.epochs.seal(attachment, requireNonNull(scan, "scan is null"));
    }

    /** False while {@link AsyncOptions#maxOpenEpochs} epochs wait for their release. */
    public boolean canSeal() {
        assert isLeader();
        return admission.epochs.canSeal();
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
            ending.check();
            requireLeader();
            Computation running = admission.current;
            if (running != null && options.handOver()) {
                loop.handOver().park(running, future);
            } else {
                loop.handOver().hold(future);
            }
        }
        return HandOver.outcome(future);
    }

    /**
     * As {@link #await}, but holds the task: nothing else is served meanwhile. For steps whose instances share a lock,
     * and for the owner outside of computations.
     */
    public <T extends @Nullable Object> T awaitBlocking(CompletableFuture<T> future) {
        if (!future.isDone()) {
            ending.check();
            requireLeader();
            loop.handOver().hold(future);
        }
        return HandOver.outcome(future);
    }

    /**
     * Runs something on the thread of a worker, and returns when it is done: what is bound to a thread, such as thread-locals
     * of user code, is opened and closed there. At once when the worker leads; else the worker, which must be a spare, leads
     * while it runs the errand, and this worker waits and then leads again. An {@link #await} inside an errand holds the
     * task. Runs also after a failure, while the worker has not ended.
     *
     * @throws IllegalStateException inside a computation, or when the worker is neither the leader nor a spare: parked
     *     inside a computation, detached by the watchdog, ended, waiting for an errand that it asked for, or of another task
     * @throws RuntimeException or an Error: what the errand throws
     */
    public void runOn(Worker worker, Runnable errand) {
        requireNonNull(errand, "errand is null");
        requireLeader();
        Computation running = admission.current;
        if (running != null) {
            throw new IllegalStateException("an errand for worker " + worker + " inside of " + running.describe()
                    + ": errands are run outside of computations");
        }
        if (worker == loop.baton().leader()) {
            errand.run();
        } else {
            loop.lend(worker, errand);
        }
    }

    /**
     * Shuts input and scans; {@link Duty#drained} is called once everything started, with all that it derives, has
     * finished. Requests made before that call are one. Input stays shut until {@link #resumeInput}.
     */
    public void requestDrain() {
        touch();
        loop.gate().requestDrain(options.nanoClock().getAsLong());
    }

    /**
     * A step of a longer call is done: the watchdog, who looks for one that never returns, begins anew. For polls and
     * computations that call user code many times.
     */
    public void advance() {
        loop.advance();
    }

    /** Whether input is shut: from {@link #requestDrain} to {@link #resumeInput}. */
    public boolean isDraining() {
        assert isLeader();
        return loop.gate().isShut();
    }

    /** Opens input and scans again; also ends a drain that is not over yet. */
    public void resumeInput() {
        touch();
        loop.gate().open();
    }

    /** The computation that is running; null outside of one. */
    public @Nullable Computation current() {
        assert isLeader();
        return admission.current;
    }

    /** The worker that leads. */
    public Worker currentWorker() {
        assert isLeader();
        return loop.baton().leader();
    }

    private void requireLeader() {
        if (!isLeader()) {
            throw new IllegalStateException("thread " + Thread.currentThread().getName() + " does not lead task " + name
                    + ": state is read and changed only on the thread that runs the computation, so user code must not hand"
                    + " it to threads of its own; other threads use execute()");
        }
    }

    /** Before the task's bookkeeping changes. */
    private void touch() {
        requireLeader();
        if (ending.isSet()) {
            touchFailed();
        }
    }

    /** A computation goes on no more. The owner may, unless the watchdog has let another thread lead meanwhile. */
    private void touchFailed() {
        if (admission.current != null) {
            ending.check();
        }
        requireLeader();
        if (!loop.baton().leader().claim()) {
            ending.check();
        }
    }

    /** A task that was never started has no worker that could end it. */
    private void endUnstarted() {
        if (started.compareAndSet(false, true)) {
            loop.endUnstarted();
        }
    }
}
