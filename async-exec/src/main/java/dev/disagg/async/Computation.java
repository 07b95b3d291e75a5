// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import static java.util.Objects.requireNonNull;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One keyed unit of work: an element, or the firing of a key's due timers.
 *
 * <p>Queue links, slot and epoch live in this object, so the layer allocates nothing for it. It may be admitted again
 * once it has finished. A computation goes IDLE, ADMITTED (its key is busy, or it is first in line, or it runs, which
 * includes parked), perhaps FETCHING (its reads are out) and ADMITTED again, and IDLE when it has finished.
 */
public abstract class Computation extends Mail {
    static final byte IDLE = 0;
    static final byte ADMITTED = 1;
    static final byte FETCHING = 2;

    private static final VarHandle POSTED;

    static {
        try {
            POSTED = MethodHandles.lookup().findVarHandle(Computation.class, "posted", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @Nullable
    Computation next;

    @Nullable
    KeySlot slot;

    @Nullable
    Epoch epoch;
    /** An earlier epoch that this computation, while it runs, does work of. */
    @Nullable
    Epoch heldEpoch;

    long weightBytes;
    byte stage;
    byte rounds;
    /** Its state was not all there, so it was not run in one go. */
    boolean waited;

    @SuppressWarnings("unused") // through POSTED
    private volatile boolean posted;

    /** A computation that is not admitted yet. */
    protected Computation() {}

    /**
     * Asks whether all that {@link #run} is known to read is resident. The leader calls it when this computation owns
     * its key.
     *
     * <p>True: it runs at once. False: reads went out, and {@link AsyncTask#ready} will be called, by any thread, once
     * they have all arrived or failed; then this method is called again and may ask for another round trip (merging
     * windows need two). After {@link AsyncTask#MAX_FETCH_ROUNDS} rounds the computation runs without being asked
     * again, so that eviction cannot starve it. Must not block. What it throws fails the task.
     */
    protected abstract boolean prepare();

    /**
     * The body. The leader calls it, with this computation as {@link AsyncTask#current()}; it may call
     * {@link AsyncTask#await} any number of times. What it throws fails the task.
     */
    protected abstract void run() throws Exception;

    /**
     * Called by the leader right after {@link #run} returned, while the key is still owned and this computation is
     * still the current one. Not called when {@code run} threw.
     */
    protected void finished() {}

    /** Bytes held while in flight, for {@link AsyncOptions#maxInFlightBytes}. Read once, on admission. */
    protected long weightBytes() {
        return 0;
    }

    /** Step and key, for error texts. Any thread may call it while the computation runs or is parked. */
    protected abstract String describe();

    /** The epoch that this computation was admitted to. */
    public final Epoch epoch() {
        return requireNonNull(epoch, "the computation is not admitted");
    }

    /** The slot of its key. */
    public final KeySlot slot() {
        return requireNonNull(slot, "the computation is not admitted");
    }

    /** False when it is in the mailbox already: a second post would tie a knot in the list. */
    final boolean claimPost() {
        return !(boolean) POSTED.getAndSet(this, true);
    }

    final void releasePost() {
        POSTED.setRelease(this, false);
    }
}
