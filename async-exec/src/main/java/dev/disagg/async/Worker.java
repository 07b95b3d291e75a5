// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A thread of the task. It leads, or it waits: as a spare, or parked inside a computation.
 *
 * <pre>
 *   SPARE  --granted by a leader that parks----------> LEADING
 *   SPARE  --granted for an errand-------------------> LEADING --done, grants the caller--> SPARE
 *   PARKED --granted by a leader, its value is there-> LEADING
 *   PARKED --the watchdog, after failure-------------> DETACHED --has unwound--> SPARE
 *   LEADING --grants another--> SPARE or PARKED
 *   LEADING --back from user code, after failure-----> CLAIMED, as LEADING until it grants another
 *   LEADING --the watchdog, after failure-------------> ABANDONED, for good
 * </pre>
 *
 * <p>The write of the role by the granter and its read by the granted are the happens-before edge that carries all
 * state of the task from one leader to the next.
 */
public final class Worker {
    enum Role {
        SPARE,
        PARKED,
        LEADING,
        CLAIMED,
        DETACHED,
        ABANDONED
    }

    private final String name;
    private final AtomicReference<Role> role = new AtomicReference<>(Role.SPARE);
    private volatile @Nullable Thread thread;
    private volatile @Nullable Wait parkedOn;

    @Nullable
    Object attachment;

    /** What it is to do once it leads, before it hands the leadership back. */
    @Nullable
    Errand errand;
    /** What it does now of that kind. */
    @Nullable
    Errand serving;

    boolean announced;
    /** The thread's own: it was detached, leads nothing, and must not touch the task. */
    boolean detached;

    Worker(String name) {
        this.name = name;
    }

    /** What {@link Duty#workerStarted} returned for it. Leader only. */
    public @Nullable Object attachment() {
        return attachment;
    }

    /** The task's name and the number of the worker. */
    public String name() {
        return name;
    }

    @Override
    public String toString() {
        return name;
    }

    void runsOn(Thread itsThread) {
        thread = itsThread;
    }

    @Nullable
    Thread thread() {
        return thread;
    }

    boolean isParked() {
        return role.get() == Role.PARKED;
    }

    boolean isDetached() {
        return role.get() == Role.DETACHED;
    }

    boolean isAbandoned() {
        return role.get() == Role.ABANDONED;
    }

    /** What it waits for while parked. */
    @Nullable
    Wait parkedOn() {
        return parkedOn;
    }

    void becomeSpare() {
        role.set(Role.SPARE);
    }

    void becomeParked(Wait on) {
        parkedOn = on;
        role.set(Role.PARKED);
    }

    /** Takes back {@link #becomeSpare} or {@link #becomeParked} when the grant that should have followed failed. */
    void leadOn() {
        parkedOn = null;
        role.set(Role.LEADING);
    }

    void grant(WorkerThreads threads) {
        role.set(Role.LEADING);
        unpark(threads);
    }

    /** False when the watchdog was faster. */
    boolean grantParked(WorkerThreads threads) {
        boolean won = role.compareAndSet(Role.PARKED, Role.LEADING);
        if (won) {
            unpark(threads);
        }
        return won;
    }

    /** Lets a parked worker go on apart from the leader, to its end; false when it is not parked any more. */
    boolean detach(WorkerThreads threads) {
        boolean won = role.compareAndSet(Role.PARKED, Role.DETACHED);
        if (won) {
            unpark(threads);
        }
        return won;
    }

    /** The leader, after failure and before it touches the task again: false when it was abandoned meanwhile. */
    boolean claim() {
        return role.get() == Role.CLAIMED || role.compareAndSet(Role.LEADING, Role.CLAIMED);
    }

    /** Takes the leadership from a leader that does not come back; false when it has come back. */
    boolean abandon() {
        return role.compareAndSet(Role.LEADING, Role.ABANDONED);
    }

    /** Waits to lead. An interrupt is told, remembered, and restored once leading. */
    void awaitGrant(WorkerThreads threads, Runnable onInterrupt) {
        boolean interrupted = false;
        for (Role now = role.get(); now == Role.SPARE || now == Role.PARKED; now = role.get()) {
            threads.park(Long.MAX_VALUE);
            if (Thread.interrupted()) {
                interrupted = true;
                onInterrupt.run();
            }
        }
        parkedOn = null;
        if (isDetached()) {
            detached = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void unpark(WorkerThreads threads) {
        threads.interleave();
        Thread target = thread;
        if (target != null) {
            threads.unpark(target);
        }
    }
}
