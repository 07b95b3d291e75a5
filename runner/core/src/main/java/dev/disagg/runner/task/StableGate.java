// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.state.KeyRange;
import dev.disagg.state.cell.Inbox;
import dev.disagg.state.cell.Pages;
import dev.disagg.state.cell.TaskState;
import dev.disagg.ufs.Corrupt;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.beam.sdk.values.WindowedValue;
import org.jspecify.annotations.Nullable;

/**
 * The gate of a stage that requires stable input: what arrives waits in the stored inbox until a checkpoint that contains
 * it is committed, so that it comes again, the same, whatever happens later. The watermark waits once more, until a
 * checkpoint contains what the elements before it have done, and so does the time of day: a timer then fires over state
 * that is the same again. One owner.
 *
 * <p>What arrives between two snapshots is a batch. Batches begin one after the other: each when its checkpoint is committed
 * and all elements of the one before are in. Timers may then know of what the snapshot allows; who polls fires them, and
 * only then polls for the elements. A snapshot says which batches are left, see {@link StableStep}, so a restore goes on in
 * the very same order.
 *
 * <p>Memory is bounded: beyond {@link #MEMORY_BYTES} of waiting elements only the store has them, and they are read back
 * in pages when they may go in.
 */
final class StableGate {
    static final long MEMORY_BYTES = 4 << 20;
    private static final int PAGE_BYTES = 1 << 20;
    /** With more of them waiting, what arrives after a snapshot goes with what arrived before it. */
    private static final int MOST_BATCHES = 64;

    private final TaskState store;
    private final WaitingCodec codec;
    private final KeyRange range;
    private final Runnable wake;
    private final ArrayDeque<Batch> closed = new ArrayDeque<>();
    /** Where the elements end that have begun to go in: of restored batches one each, until all have begun. */
    private final List<Batch> begun = new ArrayList<>();

    private Batch open;
    private long heldBytes;
    private long committed;
    private long watermark = Frontier.MIN;
    private long time = Long.MIN_VALUE;
    /** The watermark before which all elements were let in. */
    private long released = Frontier.MIN;
    /** What timers may know of when the last snapshot is committed: the effects of all elements before it are in it. */
    private long contained;
    /** What had arrived at the last snapshot. */
    private long seenWatermark;

    private long seenTime;

    /** What came between two snapshots. */
    private static final class Batch {
        final KeyRange range;
        /** It came before the restore. */
        final boolean restored;

        final ArrayDeque<Waiting> held = new ArrayDeque<>();
        long firstSpilled = Long.MAX_VALUE;
        long spilled;
        long lastNumber = -1;
        long heldBytes;
        long minTimestamp = Long.MAX_VALUE;
        /** Elements before it hold nothing: they were late on their arrival. */
        long holdsFrom = Long.MIN_VALUE;

        long checkpoint;
        boolean begun;
        long watermark = Frontier.MIN;
        /** What timers may know of when the checkpoint is committed. */
        long allowedWatermark = Frontier.MIN;

        long allowedTime = Long.MIN_VALUE;

        @Nullable
        Pages<Inbox.Item> pages;

        @Nullable
        CompletableFuture<List<Inbox.Item>> reading;

        final ArrayDeque<Inbox.Item> page = new ArrayDeque<>();

        Batch(KeyRange range, boolean restored) {
            this.range = range;
            this.restored = restored;
        }

        boolean isEmpty() {
            return held.isEmpty() && spilled == 0;
        }

        boolean covers(int group) {
            return range.firstGroup() <= group && group < range.endGroup();
        }

        void hold(long timestamp) {
            if (timestamp >= holdsFrom) {
                minTimestamp = Math.min(minTimestamp, timestamp);
            }
        }

        void spill(long number) {
            firstSpilled = Math.min(firstSpilled, number);
            lastNumber = Math.max(lastNumber, number);
            spilled++;
        }
    }

    /** @param wake called, on any thread, when reading back can go on */
    private StableGate(TaskSpec spec, TaskState store, Runnable wake) {
        this.store = store;
        this.codec = new WaitingCodec(spec);
        this.range = spec.range();
        this.wake = wake;
        this.open = new Batch(range, false);
        if (!spec.restored().isEmpty()) {
            restore(spec.restored(), !spec.stage().views().isEmpty());
        }
        contained = released;
        seenWatermark = lastAllowedMillis();
        seenTime = Math.max(time, closed.isEmpty() ? Long.MIN_VALUE : closed.getLast().allowedTime);
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
        return new StableGate(spec, store, wake);
    }

    /**
     * Takes back what predecessors had let wait. Theirs are merged by what they allow, which no key can tell: it is of one
     * predecessor. (Unless one of two is ahead in event time and the other in processing time: then a processing-time timer
     * may come among other elements than before.)
     *
     * @param hasDoor whether elements may have passed the gate and hold the watermark behind it
     */
    private void restore(List<TaskHeader> headers, boolean hasDoor) {
        List<Restored> steps = new ArrayList<>();
        for (TaskHeader header : headers) {
            List<StableStep> stored = header.stable().isEmpty()
                    ? List.of(new StableStep(header.range(), Long.MAX_VALUE, Frontier.MIN, Long.MIN_VALUE))
                    : header.stable();
            for (StableStep step : stored) {
                KeyRange keys = common(range, common(header.range(), step.range()));
                if (keys == null) {
                    continue;
                }
                Batch batch = new Batch(keys, true);
                batch.allowedWatermark = Math.max(step.watermarkMillis(), Frontier.MIN);
                batch.watermark = batch.allowedWatermark;
                batch.allowedTime = step.timeMillis();
                batch.holdsFrom =
                        hasDoor ? Math.min(batch.allowedWatermark, header.inputWatermark()) : batch.allowedWatermark;
                steps.add(new Restored(step.lastNumber(), batch));
            }
        }
        steps.sort(Comparator.<Restored>comparingLong(step -> step.batch.allowedWatermark)
                .thenComparingLong(step -> step.batch.allowedTime));
        try (Pages<Inbox.Item> pages = store.inbox().all()) {
            for (List<Inbox.Item> page = pages.next(PAGE_BYTES).join();
                    !page.isEmpty();
                    page = pages.next(PAGE_BYTES).join()) {
                page.forEach(item -> restore(item, steps));
            }
        }
        long latest = Long.MIN_VALUE;
        for (Restored step : steps) {
            latest = Math.max(latest, step.batch.allowedTime);
            step.batch.allowedTime = latest;
            closed.add(step.batch);
        }
        if (!closed.isEmpty()) {
            begin(closed.getFirst());
            released = watermark;
        }
    }

    private static @Nullable KeyRange common(KeyRange one, @Nullable KeyRange other) {
        if (other == null) {
            return null;
        }
        int first = Math.max(one.firstGroup(), other.firstGroup());
        int end = Math.min(one.endGroup(), other.endGroup());
        return first < end ? new KeyRange(first, end) : null;
    }

    /** @param lastNumber of the elements that are in the batch, as stored: those that are left may be fewer */
    private record Restored(long lastNumber, Batch batch) {}

    private void restore(Inbox.Item item, List<Restored> steps) {
        for (Restored step : steps) {
            if (step.batch.covers(item.group()) && item.number() <= step.lastNumber) {
                step.batch.hold(codec.decode(item).timestampMillis());
                step.batch.spill(item.number());
                return;
            }
        }
        throw new Corrupt("element " + item.number() + " of group " + item.group()
                + " waits for no checkpoint: restore another checkpoint");
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
        open.holdsFrom = frontierMillis;
        open.hold(value.getTimestamp().getMillis());
        if (open.spilled == 0 && heldBytes < MEMORY_BYTES) {
            // As it will be read back after a failure, also where a coder does not keep all of it.
            open.held.add(codec.decode(new Inbox.Item(group, number, encoded)));
            heldBytes += encoded.length;
            open.heldBytes += encoded.length;
        } else {
            open.spill(number);
        }
    }

    /** A snapshot contains all that came so far, at this watermark and time. */
    void snapshot(long checkpoint, long watermarkMillis, long nowMillis) {
        open.checkpoint = checkpoint;
        seenWatermark = Math.max(seenWatermark, watermarkMillis);
        seenTime = Math.max(seenTime, nowMillis);
        contained = Math.max(released, lastAllowedMillis());
        open.watermark = seenWatermark;
        open.allowedWatermark = contained;
        open.allowedTime = seenTime;
        if (closed.size() < MOST_BATCHES) {
            closed.add(open);
            open = new Batch(range, false);
        }
    }

    /** What a restore of the last snapshot does, in order. Called before anything else happens. */
    List<StableStep> steps() {
        List<StableStep> steps = new ArrayList<>();
        begun.forEach(batch -> steps.add(new StableStep(batch.range, batch.lastNumber, watermark, time)));
        if (steps.isEmpty()) {
            steps.add(new StableStep(range, -1, watermark, time));
        }
        closed.stream().filter(batch -> !batch.begun).forEach(batch -> steps.add(step(batch)));
        if (!open.isEmpty()) {
            steps.add(step(open));
        }
        return steps;
    }

    private static StableStep step(Batch batch) {
        return new StableStep(batch.range, batch.lastNumber, batch.allowedWatermark, batch.allowedTime);
    }

    /** The checkpoint, and so all earlier ones, are durable. */
    void committed(long checkpoint) {
        committed = Math.max(committed, checkpoint);
    }

    private void begin(Batch batch) {
        batch.begun = true;
        watermark = Math.max(watermark, batch.allowedWatermark);
        time = Math.max(time, batch.allowedTime);
        if (!batch.restored) {
            // All that came before it have begun, and have smaller numbers.
            begun.forEach(before -> batch.lastNumber = Math.max(batch.lastNumber, before.lastNumber));
            begun.clear();
        }
        begun.add(batch);
    }

    /**
     * Begins the next batch, or lets in at most {@code room} elements of the one that has begun, in order.
     *
     * @return the work done: after the beginning of a batch timers come first, then the next call
     */
    int poll(int room, Consumer<Waiting> into) {
        Batch batch = closed.peek();
        if (batch == null || batch.checkpoint > committed) {
            return 0;
        }
        if (!batch.begun) {
            begin(batch);
            return 1;
        }
        int work = 0;
        while (work < room && !batch.held.isEmpty()) {
            into.accept(batch.held.remove());
            work++;
        }
        work += readBack(batch, room - work, into);
        if (batch.isEmpty()) {
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
            } else if (batch.covers(item.group())
                    && item.number() >= batch.firstSpilled
                    && item.number() <= batch.lastNumber) {
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

    /** The processing time that the last snapshot contains. */
    long seenTimeMillis() {
        return seenTime;
    }

    /** The event time that the stage may know of. */
    long watermarkMillis() {
        return watermark;
    }

    /** The event time that it may know of when all that waited at the last snapshot is in. */
    long lastAllowedMillis() {
        return closed.isEmpty() ? watermark : Math.max(watermark, closed.getLast().allowedWatermark);
    }

    /** The processing time that the stage may know of. */
    long timeMillis() {
        return time;
    }
}
