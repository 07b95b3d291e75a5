// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import org.jspecify.annotations.Nullable;

/**
 * What the owner of an {@link AsyncTask} does. All methods are called by the leader, outside of computations, so they
 * need no locks; what they throw fails the task.
 */
public interface Duty {
    /**
     * Takes a bounded batch of input: {@link AsyncTask#admit}, {@link AsyncTask#seal}, {@link AsyncTask#requestDrain}.
     * Computations admitted here run after it returns. Not called at the in-flight bound, while draining, or after
     * failure. Whoever brings new input after a 0 calls {@link AsyncTask#wake}.
     *
     * @return the amount of work done, 0 for none
     */
    int poll();

    /**
     * The epoch is FINISHED and was the head. Called in epoch order, exactly once per epoch. Consecutive epochs that were
     * sealed empty may have been merged into one, which carries the last attachment.
     */
    void released(Epoch epoch);

    /**
     * After {@link AsyncTask#requestDrain}: nothing that was started is left, nothing is in flight, parked, waiting for
     * state or for its key. No computation runs from here until {@link AsyncTask#resumeInput}.
     */
    void drained();

    /**
     * There is nothing to do now. A chance to close idle bundles, or to admit what became due. Not called while draining.
     *
     * @return nanoseconds until the leader wants to be called again, {@link Long#MAX_VALUE} for never, 0 to be polled at
     *     once
     */
    long idle();

    /**
     * Called once by each new worker thread, while it leads, before anything else.
     *
     * @return the worker's {@link Worker#attachment()}, for example a pool of chains bound to its thread
     */
    default @Nullable Object workerStarted(Worker worker) {
        return null;
    }

    /** Called by each worker thread before it ends, while it leads. */
    default void workerStopped(Worker worker, @Nullable Object attachment) {}

    /**
     * User code, or this object, keeps the leader for longer than {@link AsyncOptions#watchdogNanos}, so that nothing of
     * the task gets done. Called once for each such time, by the thread of the {@link Watch} and not by the leader: must
     * not block, nor call the task. {@link #failed} follows when {@link AsyncOptions#maxBodyNanos} is over too.
     *
     * @param text which computation, for how long, the stack of the leader and of up to four parked ones, what to do
     */
    default void stuck(String text) {}

    /**
     * The task failed. Called exactly once, on one of the task's threads (the watch's when the leader is stuck), with
     * the step and key in the message. Not called for {@link AsyncTask#close}.
     */
    void failed(Throwable cause);
}
