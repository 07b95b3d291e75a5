// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import java.util.concurrent.RejectedExecutionException;

/**
 * One task's part in {@link SharedWork}. Work goes from one task to another between the same two checkpoints on both sides,
 * so that every checkpoint has it once: the giver takes no snapshot before it has the answer, and a taker that has gone
 * past, or not yet come to, the giver's last snapshot refuses. Leader only.
 */
final class Sharing {
    private final SharedWork stage;
    private final StageTask task;
    private int unanswered;
    private boolean drainWaits;

    Sharing(SharedWork stage, StageTask task) {
        this.stage = stage;
        this.task = task;
        stage.register(task.spec().index(), task);
    }

    /** Whether it is worth to look for work that can be given away. */
    boolean isWanted() {
        return stage.someoneIsIdle()
                && unanswered == 0
                && !drainWaits
                && !task.async().isDraining();
    }

    /** This task has nothing left; returns whether that is so of the whole stage. */
    boolean idle() {
        return stage.idle(task.spec().index());
    }

    /** The watermark that may be released, given this task's own. */
    long allowed(long ownMillis) {
        return Math.min(ownMillis, stage.allowed(task.spec().index(), ownMillis));
    }

    /**
     * Gives work to a task that has none.
     *
     * @param takeBack called, at once or later, when nobody took it
     * @param settled called, at once or later, when it has been taken over, or back
     */
    void give(Object work, Runnable takeBack, Runnable settled) {
        StageTask taker = stage.taker();
        if (taker == null) {
            takeBack.run();
            settled.run();
            return;
        }
        long snapshot = task.lastSnapshot();
        unanswered++;
        try {
            taker.call(() -> {
                boolean taken = taker.takesOver(work, snapshot);
                task.call(() -> answered(taken, takeBack, settled));
            });
        } catch (RejectedExecutionException e) {
            answered(false, takeBack, settled);
        }
    }

    private void answered(boolean taken, Runnable takeBack, Runnable settled) {
        unanswered--;
        if (!taken) {
            takeBack.run();
        }
        settled.run();
        stage.settled();
        if (drainWaits && unanswered == 0) {
            drainWaits = false;
            task.async().requestDrain();
        }
    }

    /** Has the task drained for a snapshot, once nothing is on its way. */
    void requestDrain() {
        if (unanswered == 0) {
            task.async().requestDrain();
        } else {
            drainWaits = true;
        }
    }
}
