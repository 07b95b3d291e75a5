// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Fails a task that user code has stopped: a computation holds a lock while it is parked, its value is there, and the
 * leader blocks on that lock inside another computation, so that nobody is left to resume the holder.
 *
 * <p>Seen from outside: the leader runs a computation, its thread is BLOCKED or WAITING outside of this layer, a parked
 * computation could go on, and nothing gets done, all of it twice in a row, at least the patience apart. A blocking call
 * of user code that takes longer than the patience looks the same. Asking at every park would be exact and too dear.
 *
 * <p>After the failure parked computations are resumed apart from the leader, one by one, until the leader moves: they
 * throw, and so release what they hold. They touch nothing of the task; each rejoins as a spare.
 */
final class Watchdog {
    private static final int MAX_STACKS = 4;

    private record Standstill(Worker leader, Computation computation, long progress, long sinceNanos) {}

    private final String taskName;
    private final AsyncOptions options;
    private final WorkerLoop loop;
    private boolean started;
    long startFailures;
    private volatile @Nullable Thread thread;
    private volatile boolean ended;

    Watchdog(String taskName, AsyncOptions options, WorkerLoop loop) {
        this.taskName = taskName;
        this.options = options;
        this.loop = loop;
    }

    /** Leader: with the first hand-over, because before it nobody can be parked; tried again when it fails. */
    void start() {
        if (!started) {
            try {
                thread = options.threads().start(taskName + "-watchdog", this::watch);
                started = true;
            } catch (RuntimeException | Error e) {
                startFailures++;
            }
        }
    }

    void end() {
        ended = true;
        nudge();
    }

    void nudge() {
        Thread watching = thread;
        if (watching != null) {
            options.threads().unpark(watching);
        }
    }

    private void watch() {
        Standstill last = null;
        while (!ended) {
            options.threads().park(options.watchdogNanos());
            // Nobody has a reason to interrupt this thread, and one who does must not turn the wait into a busy loop.
            Thread.interrupted();
            Standstill now = standstill();
            if (now == null || last == null || !sameStandstill(last, now)) {
                last = now;
            } else if (now.sinceNanos - last.sinceNanos >= options.watchdogNanos()) {
                trip(last);
                return;
            }
        }
    }

    private static boolean sameStandstill(Standstill a, Standstill b) {
        return a.leader == b.leader && a.computation == b.computation && a.progress == b.progress;
    }

    private @Nullable Standstill standstill() {
        Worker leader = loop.baton().leader();
        Computation computation = loop.admission().current;
        if (computation == null || !isStuck(leader) || resumable().isEmpty()) {
            return null;
        }
        return new Standstill(
                leader, computation, loop.progress(), options.nanoClock().getAsLong());
    }

    private boolean isStuck(Worker leader) {
        Thread leading = leader.thread();
        if (leading == null || loop.mailbox().isLeaderAsleep()) {
            return false;
        }
        Thread.State state = leading.getState();
        return state == Thread.State.BLOCKED || state == Thread.State.WAITING;
    }

    private List<Wait> resumable() {
        List<Wait> found = new ArrayList<>();
        for (Worker worker : loop.baton().workers()) {
            Wait wait = worker.parkedOn();
            if (worker.isParked() && wait != null && wait.future.isDone()) {
                found.add(wait);
            }
        }
        return found;
    }

    private void trip(Standstill standstill) {
        List<Wait> resumable = resumable();
        StringBuilder text = new StringBuilder("no progress for ")
                .append(options.watchdogNanos() / 1_000_000)
                .append(" ms: ")
                .append(standstill.computation.describe())
                .append(" is blocked in user code on ")
                .append(standstill.leader)
                .append(" while parked computations could go on; a lock shared between instances may be held across a"
                        + " state read. Remedy: ")
                .append(options.lockRemedy());
        appendStack(text, "leader", standstill.leader, standstill.computation);
        for (Wait wait : resumable.subList(0, Math.min(MAX_STACKS, resumable.size()))) {
            appendStack(text, "parked", wait.worker, wait.computation);
        }
        loop.fail(standstill.computation.describe(), new IllegalStateException(text.toString()));
        loop.tellFailure();
        freeLeader(standstill);
    }

    private static void appendStack(StringBuilder text, String role, Worker worker, Computation computation) {
        text.append("\n  ")
                .append(role)
                .append(' ')
                .append(worker)
                .append(" in ")
                .append(computation.describe());
        Thread thread = worker.thread();
        if (thread != null) {
            for (StackTraceElement frame : thread.getStackTrace()) {
                text.append("\n    at ").append(frame);
            }
        }
    }

    private void freeLeader(Standstill standstill) {
        for (Worker worker : loop.baton().workers()) {
            if (ended || !isStuck(standstill.leader)) {
                return;
            }
            if (worker.detach(options.threads())) {
                long startNanos = options.nanoClock().getAsLong();
                while (worker.isDetached()
                        && !ended
                        && options.nanoClock().getAsLong() - startNanos < options.watchdogNanos()) {
                    options.threads().park(options.watchdogNanos());
                }
            }
        }
    }
}
