// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import org.jspecify.annotations.Nullable;

/**
 * The computations admitted between two consecutive watermarks.
 *
 * <pre>
 *   OPEN      seal(): takes new computations
 *     |
 *   CLOSED    its scan admits fire computations; derived work and admitTo() still add to it
 *     |       (scan exhausted, no computation left, and at the head of the queue)
 *   FINISHED  Duty.released() was or is being called; nothing may be admitted any more
 * </pre>
 *
 * <p>An epoch behind the head stays CLOSED even with nothing left to do: a computation of an earlier epoch may still
 * set a timer that this epoch's watermark must fire. Fields belong to the leader of the task.
 */
public final class Epoch {
    /** Where an epoch is in its life. */
    public enum State {
        /** Takes new computations. */
        OPEN,
        /** Sealed: only firings and derived work are added. */
        CLOSED,
        /** Everything has run, in this epoch and all before it. */
        FINISHED
    }

    private final long sequence;
    private @Nullable Object attachment;
    private State state = State.OPEN;

    @Nullable
    EpochScan scan;
    /** The scan has taken a step. */
    boolean scanStarted;

    @Nullable
    Epoch next;
    /** Computations admitted and not finished. */
    int count;
    /** Whether a computation was ever admitted: an epoch that saw none can be merged. */
    boolean used;

    Epoch(long sequence) {
        this.sequence = sequence;
    }

    /** Position in the task's sequence of epochs, from 0. */
    public long sequence() {
        return sequence;
    }

    /** The caller's data, for example the watermark that sealed it. Null until {@link AsyncTask#seal} or set. */
    public @Nullable Object attachment() {
        return attachment;
    }

    /** Replaces the caller's data; leader only. */
    public void attach(@Nullable Object newAttachment) {
        attachment = newAttachment;
    }

    /** Where it is in its life. */
    public State state() {
        return state;
    }

    /** The epoch after this one, null for the OPEN one and for released ones. Leader only. */
    public @Nullable Epoch next() {
        return next;
    }

    /** Computations of this epoch that are admitted and not finished. Leader only. */
    public int pending() {
        return count;
    }

    /** Whether everything this epoch is known to need has been done. It may still grow while it is not the head. */
    boolean isComplete() {
        return state == State.CLOSED && scan == null && count == 0;
    }

    /** Another scan must not take its place then: it may hold an open cursor. */
    boolean scanHalfDone() {
        return scanStarted && scan != null;
    }

    void close() {
        state = State.CLOSED;
    }

    void finish() {
        state = State.FINISHED;
    }

    @Override
    public String toString() {
        return "epoch " + sequence + " (" + state + ", " + count + " pending, " + attachment + ")";
    }
}
