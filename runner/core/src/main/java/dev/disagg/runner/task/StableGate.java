// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.state.cell.Inbox;
import dev.disagg.state.cell.Pages;
import dev.disagg.state.cell.TaskState;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.beam.sdk.values.WindowedValue;
import org.jspecify.annotations.Nullable;

/**
 * The gate of a stage that requires stable input: what arrives waits in the stored inbox until a checkpoint that contains
 * it is committed, so that it comes again, the same, whatever happens later. The watermark waits once more, until a
 * checkpoint contains what the elements before it have done, and so does the time of day: a timer then fires over state
 * that is the same again. Timers that a commit allows to fire come before the elements that it lets in. One owner.
 *
 * <p>Memory is bounded: beyond {@link #MEMORY_BYTES} of waiting elements only the store has them, and they are read back
 * in pages when they may go in.
 */
final class StableGate {
    static final long MEMORY_BYTES = 4 << 20;
    private static final int PAGE_BYTES = 1 << 20;

    private final TaskState store;
    private final WaitingCodec codec;
    private final Runnable wake;
    private final ArrayDeque<Batch> closed = new ArrayDeque<>();
    private Batch open = new Batch();
    private long heldBytes;
    private long committed;
    private long watermark;
    private long time;
    /** The watermark before which all elements were let in. */
    private long released;
    /** That of the last snapshot, committed or not: what it contains the effects of. */
    private long contained;
    /** What had arrived at the last snapshot. */
    private long seenWatermark;

    private long seenTime;

    /** What came between two snapshots. */
    private static final class Batch {
        final ArrayDeque<Waiting> held = new ArrayDeque<>();
        long firstSpilled = Long.MAX_VALUE;
        long spilled;
        long lastNumber;
        long heldBytes;
        long minTimestamp = Long.MAX_VALUE;
        long checkpoint;
        long watermark;
        /** What timers may know of when the checkpoint is committed. */
        long allowedWatermark;

        long allowedTime;

        @Nullable
        Pages<Inbox.Item> pages;

        @Nullable
        CompletableFuture<List<Inbox.Item>> reading;

        final ArrayDeque<Inbox.Item> page = new ArrayDeque<>();

        boolean isEmpty() {
            return held.isEmpty() && spilled == 0;
        }
    }

    /**
     * @param watermark what timers may know of event time, of the restored checkpoint
     * @param time the same of processing time
     * @param wake called, on any thread, when reading back can go on
     */
    StableGate(TaskState store, WaitingCodec codec, long watermark, long time, Runnable wake) {
        this.store = store;
        this.codec = codec;
        this.watermark = watermark;
        this.time = time;
        this.released = watermark;
        this.contained = watermark;
        this.seenWatermark = watermark;
        this.seenTime = time;
        this.wake = wake;
    }

    /** The gate of a task; null where its stage does not require stable input. */
    static @Nullable StableGate of(TaskSpec spec, Runnable wake) {
        TaskState store = spec.state();
        if (!spec.stage().stableInput()) {
            return null;
        }
        if (store == null) {
            throw new IllegalStateException(spec.name() + " requires stable input and has no state");
        }
        return new StableGate(
                store, new WaitingCodec(spec), spec.restoredStableWatermark(), spec.restoredStableTime(), wake);
    }

    /**
     * Takes an element in.
     *
     * @param frontierMillis the input watermark on its arrival: an element that is late holds nothing
     */
    void add(WindowedValue<?> value, int edge, byte @Nullable [] key, long hash, long frontierMillis) {
        byte[] encoded = codec.encode(value, edge);
        int group = codec.group(key, hash);
        long number = store.inbox().append(group, encoded);
        open.lastNumber = number;
        long timestamp = value.getTimestamp().getMillis();
        if (timestamp >= frontierMillis) {
            open.minTimestamp = Math.min(open.minTimestamp, timestamp);
        }
        if (open.spilled == 0 && heldBytes < MEMORY_BYTES) {
            // As it will be read back after a failure, also where a coder does not keep all of it.
            open.held.add(codec.decode(new Inbox.Item(group, number, encoded)));
            heldBytes += encoded.length;
            open.heldBytes += encoded.length;
        } else {
            open.firstSpilled = Math.min(open.firstSpilled, number);
            open.spilled++;
        }
    }

    /** A snapshot contains all that came so far, at this watermark and time. */
    void snapshot(long checkpoint, long watermarkMillis, long nowMillis) {
        open.checkpoint = checkpoint;
        seenWatermark = Math.max(seenWatermark, watermarkMillis);
        seenTime = Math.max(seenTime, nowMillis);
        contained = released;
        open.watermark = seenWatermark;
        open.allowedWatermark = contained;
        open.allowedTime = seenTime;
        closed.add(open);
        open = new Batch();
    }

    /** The checkpoint, and so all earlier ones, are durable. */
    void committed(long checkpoint) {
        committed = Math.max(committed, checkpoint);
        for (Batch batch : closed) {
            if (batch.checkpoint <= committed) {
                watermark = Math.max(watermark, batch.allowedWatermark);
                time = Math.max(time, batch.allowedTime);
            }
        }
    }

    /** Lets in at most {@code room} elements of committed checkpoints, in order; returns the work done. */
    int poll(int room, Consumer<Waiting> into) {
        int work = 0;
        for (Batch batch = closed.peek(); batch != null && batch.checkpoint <= committed; batch = closed.peek()) {
            while (work < room && !batch.held.isEmpty()) {
                into.accept(batch.held.remove());
                work++;
            }
            work += readBack(batch, room - work, into);
            if (!batch.isEmpty()) {
                return work;
            }
            closed.remove();
            heldBytes -= batch.heldBytes;
            released = Math.max(released, batch.watermark);
            work++;
        }
        return work;
    }

    private int readBack(Batch batch, int room, Consumer<Waiting> into) {
        int work = 0;
        while (batch.spilled > 0 && batch.held.isEmpty() && work < room) {
            Inbox.Item item = batch.page.poll();
            if (item == null) {
                if (!nextPage(batch)) {
                    break;
                }
            } else if (item.number() >= batch.firstSpilled && item.number() <= batch.lastNumber) {
                into.accept(codec.decode(item));
                batch.spilled--;
                work++;
            }
        }
        Pages<Inbox.Item> pages = batch.pages;
        if (batch.spilled == 0 && pages != null) {
            pages.close();
            batch.pages = null;
        }
        return work;
    }

    /** Whether a page is there; if not, the gate is woken when it is. */
    private boolean nextPage(Batch batch) {
        Pages<Inbox.Item> pages = batch.pages;
        if (pages == null) {
            pages = store.inbox().all();
            batch.pages = pages;
        }
        CompletableFuture<List<Inbox.Item>> reading = batch.reading;
        if (reading == null) {
            reading = pages.next(PAGE_BYTES);
            batch.reading = reading;
            if (!reading.isDone()) {
                reading.whenComplete((items, failure) -> wake.run());
            }
        }
        if (!reading.isDone()) {
            return false;
        }
        batch.reading = null;
        List<Inbox.Item> items = reading.join();
        if (items.isEmpty()) {
            throw new IllegalStateException(batch.spilled + " waiting elements are not in the store");
        }
        batch.page.addAll(items);
        return true;
    }

    /** Whether something could go in now. */
    boolean isReady() {
        Batch first = closed.peek();
        return first != null && first.checkpoint <= committed;
    }

    /** Whether a checkpoint taken now would let more in than those taken so far. */
    boolean wantsSnapshot(long watermarkMillis, long timeMillis) {
        return !open.isEmpty() || watermarkMillis > seenWatermark || released > contained || timeMillis > seenTime;
    }

    /** The input watermark that waiting elements hold. */
    long holdMillis() {
        long hold = open.minTimestamp;
        for (Batch batch : closed) {
            hold = Math.min(hold, batch.minTimestamp);
        }
        return hold;
    }

    /** The event time that timers may know of when the last snapshot is restored. */
    long containedWatermarkMillis() {
        return contained;
    }

    /** The processing time that the last snapshot contains. */
    long seenTimeMillis() {
        return seenTime;
    }

    /** The event time that the stage may know of. */
    long watermarkMillis() {
        return watermark;
    }

    /** The processing time that the stage may know of. */
    long timeMillis() {
        return time;
    }
}
