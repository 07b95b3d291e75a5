// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells of a task that user code has stopped, and ends it. Seen from outside, by the {@link Watch}'s thread: the same
 * worker leads, it does not sleep in this layer, and nothing gets done.
 *
 * <pre>
 *   WATCHING    for the patience: the owner is told (Duty.stuck). When the leader waits for a lock that a parked
 *     |         computation holds which could go on, time will not help: the task fails at once. Else it fails after the
 *     |         longer limit.
 *   FREEING     (a lock) parked computations are resumed apart from the leader, one by one: they throw, and so release
 *     |         what they hold. They touch nothing of the task; each rejoins as a spare.
 *   INTERRUPTED the leader's thread is interrupted, once.
 *     |
 *   ABANDONED   another worker leads the task to its end. The thread is left behind; when it ever comes back it finds
 *               that it leads no more, and ends.
 * </pre>
 *
 * <p>A leader that moves goes on by itself, and back to WATCHING. Who holds a lock is not known of virtual threads ({@link
 * LockWait}): there a lock that anybody holds for longer than the patience looks like one held for ever, if something parked
 * could go on.
 *
 * <p><b>When a leader may be abandoned.</b> After the failure is set, its stack is seen to be in user code. Whatever it
 * does next with the task it does after that moment, so it reads the failure first, and then claims the leadership
 * ({@link Worker#claim}), which it or this class wins ({@link Worker#abandon}). What it wrote before it went into user code is
 * seen here because taking a stack brings its thread to a stop.
 */
final class Watchdog {
    private static final int MAX_STACKS = 4;
    private static final int LOOKS_PER_PATIENCE = 4;
    /** Where a stack from the top down must come to the loop, or an errand, without having met the layer. */
    private static final Set<Class<?>> LAYER = Set.of(
            AsyncTask.class,
            HandOver.class,
            Baton.class,
            Worker.class,
            Admission.class,
            EpochQueue.class,
            Deliveries.class,
            Mailbox.class);

    private enum Phase {
        WATCHING,
        FREEING,
        INTERRUPTED
    }

    private record Sight(Worker leader, @Nullable Computation computation, long progress) {
        boolean isSame(@Nullable Sight other) {
            return other != null
                    && leader == other.leader
                    && computation == other.computation
                    && progress == other.progress;
        }
    }

    private final AsyncOptions options;
    private final WorkerLoop loop;
    private @Nullable Sight last;
    private long lastSinceNanos;
    private long blockedSinceNanos;
    private boolean blocked;
    private boolean told;
    private Phase phase = Phase.WATCHING;
    private long phaseSinceNanos;
    private @Nullable Worker freed;

    Watchdog(AsyncOptions options, WorkerLoop loop) {
        this.options = options;
        this.loop = loop;
    }

    void start() {
        options.watch().add(this);
    }

    void end() {
        options.watch().remove(this);
    }

    /** A parked computation that was resumed apart is out. */
    void nudge() {
        options.watch().nudge();
    }

    /** How long until the next look. */
    long pauseNanos() {
        long shortest = options.watchdogNanos();
        if (options.maxBodyNanos() > 0) {
            shortest = Math.min(shortest, options.maxBodyNanos());
        }
        return Math.max(1, shortest / LOOKS_PER_PATIENCE);
    }

    void look(long nowNanos) {
        Worker leader = loop.baton().leaderNow();
        if (leader == null || loop.terminated().isDone()) {
            return;
        }
        Sight sight = new Sight(leader, loop.admission().current, loop.progress());
        if (loop.mailbox().isLeaderAsleep() || !sight.isSame(last)) {
            last = sight;
            lastSinceNanos = nowNanos;
            blocked = false;
            told = false;
            phase = Phase.WATCHING;
            return;
        }
        switch (phase) {
            case WATCHING -> watch(sight, nowNanos);
            case FREEING -> free(sight, nowNanos);
            case INTERRUPTED -> {
                if (nowNanos - phaseSinceNanos >= pauseNanos()) {
                    abandon(sight);
                }
            }
        }
    }

    private void watch(Sight sight, long nowNanos) {
        long stuckNanos = nowNanos - lastSinceNanos;
        boolean blocks = sight.computation != null && waitsForParked(sight.leader);
        if (!blocks || !blocked) {
            blocked = blocks;
            blockedSinceNanos = nowNanos;
        } else if (nowNanos - blockedSinceNanos >= options.watchdogNanos()) {
            fail(sight, lockText(sight));
            freed = null;
            enter(Phase.FREEING, nowNanos);
            free(sight, nowNanos);
            return;
        }
        if (!told && !loop.ending().isSet() && stuckNanos >= options.watchdogNanos()) {
            told = true;
            loop.tellStuck(stuckText(sight, stuckNanos));
        }
        long limitNanos = options.maxBodyNanos();
        if (limitNanos > 0 && stuckNanos >= limitNanos) {
            fail(sight, stuckText(sight, stuckNanos));
            interrupt(sight, nowNanos);
        }
    }

    private void fail(Sight sight, String text) {
        loop.fail(named(sight), new IllegalStateException(text));
        loop.tellFailure();
    }

    private void free(Sight sight, long nowNanos) {
        Worker unwinding = freed;
        if (unwinding != null && unwinding.isDetached() && nowNanos - phaseSinceNanos < options.watchdogNanos()) {
            return;
        }
        for (Worker worker : loop.baton().workers()) {
            if (worker.detach(options.threads())) {
                freed = worker;
                enter(Phase.FREEING, nowNanos);
                return;
            }
        }
        interrupt(sight, nowNanos);
    }

    private void interrupt(Sight sight, long nowNanos) {
        enter(Phase.INTERRUPTED, nowNanos);
        Thread thread = sight.leader.thread();
        if (thread != null) {
            thread.interrupt();
            options.threads().unpark(thread);
        }
    }

    private void abandon(Sight sight) {
        if (sight.leader.isAbandoned() || isInUserCode(sight.leader)) {
            loop.abandon(sight.leader);
        }
    }

    private void enter(Phase next, long nowNanos) {
        phase = next;
        phaseSinceNanos = nowNanos;
    }

    private static boolean isInUserCode(Worker leader) {
        String callee = null;
        for (StackTraceElement frame : stackOf(leader)) {
            String name = frame.getClassName();
            if (name.equals(WorkerLoop.class.getName()) || name.equals(Errand.class.getName())) {
                // After prepare() and finished(), which have no user code, the loop does not look whether it still
                // leads.
                return callee != null && (!frame.getMethodName().equals("begin") || callee.equals("run"));
            }
            // An errand of the leader to itself: nothing of the task is touched around it.
            boolean passing = callee != null && frame.getMethodName().equals("runOn");
            if (!passing && LAYER.stream().anyMatch(layer -> layer.getName().equals(name))) {
                return false;
            }
            callee = frame.getMethodName();
        }
        return false;
    }

    private boolean waitsForParked(Worker leader) {
        Thread leading = leader.thread();
        List<Thread> holders = new ArrayList<>();
        for (Wait wait : parked(true)) {
            Thread holder = wait.worker.thread();
            if (holder != null) {
                holders.add(holder);
            }
        }
        return leading != null && LockWait.isForOneOf(holders, leading);
    }

    private List<Wait> parked(boolean valueIsThere) {
        List<Wait> found = new ArrayList<>();
        for (Worker worker : loop.baton().workers()) {
            Wait wait = worker.parkedOn();
            if (worker.isParked() && wait != null && (!valueIsThere || wait.future.isDone())) {
                found.add(wait);
            }
        }
        return found;
    }

    private String lockText(Sight sight) {
        StringBuilder text = new StringBuilder("no progress for ")
                .append(options.watchdogNanos() / 1_000_000)
                .append(" ms: ")
                .append(named(sight))
                .append(" waits for a lock in user code on ")
                .append(sight.leader)
                .append(" while parked computations could go on; a lock shared between instances may be held across a"
                        + " state read. Remedy: ")
                .append(options.lockRemedy());
        appendStacks(text, sight, parked(true));
        return text.toString();
    }

    private String stuckText(Sight sight, long stuckNanos) {
        StringBuilder text = new StringBuilder("no progress for ")
                .append(stuckNanos / 1_000_000)
                .append(" ms: ")
                .append(named(sight))
                .append(" has not returned from user code on ")
                .append(sight.leader)
                .append(ownerText(sight.leader))
                .append(
                        ", and nothing else of the task can run. Remedy: bound the time of what its stack shows; if it waits"
                                + " for a lock that another instance holds across a state read, ")
                .append(options.lockRemedy());
        appendStacks(text, sight, parked(false));
        return text.toString();
    }

    private static String ownerText(Worker leader) {
        Thread leading = leader.thread();
        String owner = leading == null ? null : LockWait.owner(leading);
        return owner == null ? "" : ", which waits for a lock that thread " + owner + " holds";
    }

    private static void appendStacks(StringBuilder text, Sight sight, List<Wait> parked) {
        appendStack(text, "leader", sight.leader, named(sight));
        for (Wait wait : parked.subList(0, Math.min(MAX_STACKS, parked.size()))) {
            appendStack(text, "parked", wait.worker, WorkerLoop.describe(wait.computation));
        }
    }

    private static void appendStack(StringBuilder text, String role, Worker worker, String what) {
        text.append("\n  ")
                .append(role)
                .append(' ')
                .append(worker)
                .append(" in ")
                .append(what);
        for (StackTraceElement frame : stackOf(worker)) {
            text.append("\n    at ").append(frame);
        }
    }

    private static StackTraceElement[] stackOf(Worker worker) {
        Thread thread = worker.thread();
        return thread == null ? new StackTraceElement[0] : thread.getStackTrace();
    }

    private static String named(Sight sight) {
        return sight.computation == null ? "its owner" : WorkerLoop.describe(sight.computation);
    }
}
