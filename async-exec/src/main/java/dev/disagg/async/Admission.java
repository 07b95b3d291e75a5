// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import org.jspecify.annotations.Nullable;

/**
 * Who is in flight: one computation per key at most has its key, the others of the key wait in its slot; epochs count
 * what is theirs. Owned by the leader; nothing here runs a computation.
 */
final class Admission {
    /** Computations queued to run at which input pauses: their rows and objects, some 200 bytes each, fit the first-level cache. */
    private static final int GULP = 128;

    private final int maxInFlight;
    private final long maxInFlightBytes;
    private final InputGate gate;
    private final Counters counters;
    final EpochQueue epochs;
    /** Computations whose key is free for them, not asked yet whether their state is there. */
    final ComputationQueue runnable = new ComputationQueue();

    /** The computation whose body the leader is in. */
    @Nullable
    Computation current;

    private long admitted;
    long finished;
    long inFlightBytes;
    int blocked;

    Admission(AsyncOptions options, InputGate gate, Counters counters) {
        maxInFlight = options.maxInFlight();
        maxInFlightBytes = options.maxInFlightBytes();
        epochs = new EpochQueue(options.maxOpenEpochs());
        this.gate = gate;
        this.counters = counters;
    }

    /** Any thread; exact for the leader. */
    int inFlight() {
        long done = finished;
        return (int) (admitted - done);
    }

    boolean isAtBound() {
        return inFlight() >= maxInFlight || inFlightBytes >= maxInFlightBytes;
    }

    int room() {
        return isAtBound() ? 0 : Math.max(0, Math.min(maxInFlight - inFlight(), GULP - runnable.size()));
    }

    /** Into the epoch of the running computation, or the OPEN one. */
    void admit(KeySlot slot, Computation computation) {
        Computation running = current;
        enter(running == null ? epochs.open() : running.epoch(), slot, computation);
        place(slot, computation);
    }

    void admitTo(Epoch epoch, KeySlot slot, Computation computation) {
        if (epoch.state() == Epoch.State.FINISHED) {
            throw new IllegalStateException("cannot admit " + computation.describe() + " to " + epoch);
        }
        enter(epoch, slot, computation);
        place(slot, computation);
    }

    void admitNext(Computation computation) {
        Computation running = current;
        if (running == null) {
            throw new IllegalStateException(
                    "no computation is running, so " + computation.describe() + " follows none");
        }
        enter(running.epoch(), running.slot(), computation);
        running.slot().prepend(computation);
        blocked++;
    }

    void hold(Epoch epoch) {
        Computation running = current;
        if (running == null || epoch.state() == Epoch.State.FINISHED) {
            throw new IllegalStateException(
                    "cannot hold " + epoch + (running == null ? " outside of computations" : ""));
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

    private void enter(Epoch epoch, KeySlot slot, Computation computation) {
        if (computation.stage != Computation.IDLE) {
            throw new IllegalStateException(computation.describe() + " is in flight already");
        }
        if (gate.isShut() && current == null) {
            throw new IllegalStateException("cannot admit " + computation.describe()
                    + " while draining: it would be missing in the snapshot; ask isDraining() first");
        }
        computation.stage = Computation.ADMITTED;
        // Objects that are kept for reuse mostly have the right ones already, and a write of a reference is not free.
        if (computation.slot != slot) {
            computation.slot = slot;
        }
        if (computation.epoch != epoch) {
            computation.epoch = epoch;
        }
        long weightBytes = computation.weightBytes();
        if (weightBytes != 0) {
            computation.weightBytes = weightBytes;
            inFlightBytes += weightBytes;
        }
        admitted++;
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

    /** It has finished: frees its key for the next, and its epochs. */
    void release(Computation computation) {
        computation.stage = Computation.IDLE;
        finished++;
        if (computation.waited) {
            counters.finishedAfterWait++;
            computation.waited = false;
            computation.rounds = 0;
        }
        if (computation.weightBytes != 0) {
            inFlightBytes -= computation.weightBytes;
            computation.weightBytes = 0;
        }
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
}
