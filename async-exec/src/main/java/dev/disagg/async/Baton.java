// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import static java.util.Objects.requireNonNull;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The workers of one task and the passing of its leadership. Exactly one worker leads; nothing of the task is touched
 * between a grant and the end of the wait that follows it.
 *
 * <p>Threads never exceed {@code maxParked + 1}: a new one is started only to lead in place of one that parks.
 */
final class Baton {
    private final String taskName;
    private final WorkerThreads threads;
    private final int maxParked;
    private final Consumer<Worker> body;
    private final Consumer<Worker> onInterrupt;
    /** Last in, first out: the warm ones are used, the rest rests. */
    private final ArrayDeque<Worker> spares = new ArrayDeque<>();
    /** Read by the watchdog and for metrics. */
    private final List<Worker> workers = new CopyOnWriteArrayList<>();

    private volatile @Nullable Worker leader;
    int parked;
    long startFailures;

    Baton(String taskName, WorkerThreads threads, int maxParked, Consumer<Worker> body, Consumer<Worker> onInterrupt) {
        this.taskName = taskName;
        this.threads = threads;
        this.maxParked = maxParked;
        this.body = body;
        this.onInterrupt = onInterrupt;
    }

    /** The first worker; what the thread source throws reaches the caller. */
    void begin() {
        Worker first = newWorker();
        leader = first;
        first.grant(threads);
    }

    Worker leader() {
        return requireNonNull(leader, "the task is not started");
    }

    @Nullable
    Worker leaderNow() {
        return leader;
    }

    boolean isLeader(Thread thread) {
        Worker leads = leader;
        return leads != null && leads.thread() == thread;
    }

    List<Worker> workers() {
        return workers;
    }

    /** Who can lead in place of a worker that parks; null at the bound. */
    @Nullable
    Worker successor() {
        Worker spare = spares.pollFirst();
        if (spare != null || parked >= maxParked) {
            return spare;
        }
        try {
            return newWorker();
        } catch (RuntimeException | Error e) {
            // A thread that cannot be started counts as the bound: the task goes on with those it has.
            startFailures++;
            return null;
        }
    }

    /** The leader parks and {@code next}, a spare, leads. Returns when the parked one was granted again, or detached. */
    void park(Worker self, Wait wait, Worker next) {
        parked++;
        self.becomeParked(wait);
        leader = next;
        next.grant(threads);
        awaitGrant(self);
    }

    /**
     * The leader becomes a spare and a parked worker leads. Returns when this worker leads again; false when the parked
     * one was detached meanwhile and this worker leads on.
     */
    boolean resume(Worker self, Worker next) {
        // On the spares before the grant: the resumed worker may need it at once.
        self.becomeSpare();
        spares.addFirst(self);
        parked--;
        leader = next;
        if (next.grantParked(threads)) {
            awaitGrant(self);
            return true;
        }
        spares.removeFirst();
        parked++;
        leader = self;
        self.leadOn();
        return false;
    }

    /** At the bound: the leader parks and another parked worker leads. As {@link #resume} otherwise. */
    boolean swap(Worker self, Wait wait, Worker next) {
        self.becomeParked(wait);
        leader = next;
        if (next.grantParked(threads)) {
            awaitGrant(self);
            return true;
        }
        leader = self;
        self.leadOn();
        return false;
    }

    /** At the end: the leader's thread ends and a spare leads; false when there is none left. */
    boolean retire() {
        Worker next = spares.pollFirst();
        if (next == null) {
            return false;
        }
        leader = next;
        next.grant(threads);
        return true;
    }

    /**
     * The watchdog, in place of a leader that it has abandoned: the one that waits for the leader's errand leads, or a spare,
     * or a new one; false when none can be started.
     */
    boolean succeed(Worker abandoned, Throwable cause) {
        Errand errand = abandoned.serving;
        Worker next;
        if (errand != null) {
            errand.fail(cause);
            next = errand.caller;
        } else {
            next = spares.pollFirst();
        }
        if (next == null) {
            try {
                next = newWorker();
            } catch (RuntimeException | Error e) {
                startFailures++;
                return false;
            }
        }
        leader = next;
        next.grant(threads);
        return true;
    }

    /** A detached worker is back. */
    void rejoin(Worker worker) {
        parked--;
        spares.addLast(worker);
    }

    /**
     * The leader waits while a spare leads to run an errand; then it leads again. It is on no list meanwhile, so nobody
     * else can pass the leadership to it. What the errand throws is thrown here.
     */
    void lend(Worker self, Worker spare, Runnable body) {
        if (!spares.remove(spare)) {
            throw new IllegalStateException("worker " + spare + " is no spare of task " + taskName
                    + ": it is parked inside a computation, waits for an errand of its own, was detached or has ended");
        }
        Errand errand = new Errand(self, body);
        spare.errand = errand;
        self.becomeSpare();
        leader = spare;
        spare.grant(threads);
        awaitGrant(self);
        errand.rethrow();
    }

    /** Waits to lead; runs the errands that this worker is granted for. */
    void awaitGrant(Worker self) {
        self.awaitGrant(threads, () -> onInterrupt.accept(self));
        for (Errand errand = self.errand; errand != null; errand = self.errand) {
            self.errand = null;
            self.serving = errand;
            errand.run();
            if (!self.claim()) {
                throw new Abandoned(self);
            }
            self.serving = null;
            self.becomeSpare();
            spares.addFirst(self);
            leader = errand.caller;
            errand.caller.grant(threads);
            self.awaitGrant(threads, () -> onInterrupt.accept(self));
        }
    }

    private Worker newWorker() {
        Worker worker = new Worker(taskName + "-" + workers.size());
        worker.runsOn(threads.start(worker.name(), () -> body.accept(worker)));
        workers.add(worker);
        return worker;
    }
}
