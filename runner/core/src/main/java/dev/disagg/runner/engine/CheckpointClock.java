// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.engine;

import dev.disagg.runner.task.Activity;
import dev.disagg.ufs.Scheduler;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Says when checkpoints are taken: periodically, when somebody asks, and when a task can not go on without one. All is the
 * coordinator's, unless it says otherwise.
 */
final class CheckpointClock {
    /** Between checkpoints that tasks ask for, so that a task that always asks does not take one after the other. */
    private static final Duration PAUSE = Duration.ofMillis(100);

    private final Checkpoints checkpoints;
    private final Scheduler scheduler;
    private final Consumer<Runnable> coordinator;
    private final Activity activity;
    private final JobSpec spec;
    private final BooleanSupplier over;
    /** Requests of tasks, each of which counts as activity until it is served. */
    private int waiting;

    private boolean serving;
    private boolean everNeeded;
    private @Nullable CompletableFuture<Void> next;

    /**
     * @param coordinator runs a call on the coordinator's thread
     * @param activity in which a checkpoint counts that a task waits for
     * @param over whether the job is ending
     */
    CheckpointClock(
            Checkpoints checkpoints,
            Scheduler scheduler,
            Consumer<Runnable> coordinator,
            Activity activity,
            JobSpec spec,
            BooleanSupplier over) {
        this.checkpoints = checkpoints;
        this.scheduler = scheduler;
        this.coordinator = coordinator;
        this.activity = activity;
        this.spec = spec;
        this.over = over;
    }

    /** Begins with the periodic ones, if there are to be any. */
    void start() {
        if (spec.checkpointing()) {
            scheduler.schedule(spec.checkpointInterval().toNanos(), () -> coordinator.accept(this::periodic));
        }
    }

    private void periodic() {
        if (!over.getAsBoolean()) {
            trigger().whenComplete((done, failure) -> start());
        }
    }

    private CompletableFuture<Void> trigger() {
        CompletableFuture<Void> done = checkpoints.trigger();
        long id = checkpoints.runningId();
        if (id > 0) {
            scheduler.schedule(
                    spec.checkpointTimeout().toNanos(), () -> coordinator.accept(() -> checkpoints.timeOut(id)));
        }
        return done;
    }

    /** Takes a checkpoint that contains all that has happened before this call. */
    CompletableFuture<Void> take() {
        if (checkpoints.runningId() == 0) {
            return trigger();
        }
        CompletableFuture<Void> coming = next;
        if (coming == null) {
            CompletableFuture<Void> mine = new CompletableFuture<>();
            next = mine;
            checkpoints
                    .trigger()
                    .whenComplete((done, failure) -> coordinator.accept(() -> {
                        next = null;
                        Joined.pass(trigger(), mine);
                    }));
            return mine;
        }
        return coming;
    }

    /**
     * A task can not go on without a checkpoint. Any thread.
     *
     * @param soon whether it should not wait for the next periodic one
     */
    void need(boolean soon) {
        if (soon || activity.isWatched() || !spec.checkpointing()) {
            activity.begin();
            coordinator.accept(() -> {
                everNeeded = true;
                waiting++;
                serve();
            });
        }
    }

    /** Whether a task has asked: then what happens at the end of the job must be durable, too. */
    boolean everNeeded() {
        return everNeeded;
    }

    private void serve() {
        if (serving || waiting == 0 || over.getAsBoolean()) {
            return;
        }
        serving = true;
        int served = waiting;
        waiting = 0;
        take().whenComplete((done, failure) -> coordinator.accept(() -> {
            if (failure == null) {
                for (int i = 0; i < served; i++) {
                    activity.end();
                }
            } else {
                // They wait on. Too many failures in a row end the job.
                waiting += served;
            }
            if (activity.isWatched() && failure == null) {
                served();
            } else {
                scheduler.schedule(PAUSE.toNanos(), () -> coordinator.accept(this::served));
            }
        }));
    }

    private void served() {
        serving = false;
        serve();
    }
}
