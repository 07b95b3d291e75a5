// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.async.AsyncOptions;
import dev.disagg.async.Epoch;
import dev.disagg.runner.graph.Head;
import dev.disagg.state.cell.DueKey;
import dev.disagg.state.cell.KeyEntry;
import dev.disagg.state.cell.TaskState;
import dev.disagg.state.cell.TimerDomain;
import java.util.HexFormat;
import java.util.TreeMap;
import org.apache.beam.sdk.values.WindowedValue;
import org.jspecify.annotations.Nullable;

/**
 * A stage that begins with a keyed step. Elements are computations of their key; a watermark seals the epoch of what came
 * before it, fires the timers before it, and passes when all of that is done.
 *
 * <p>The output watermark is {@code min(released epoch's watermark, holds, output timestamps of pending timers, open
 * bundles, what parked bodies may still output)}.
 */
public final class KeyedTask extends StageTask {
    private final TaskState cells;
    private final Entrance entrance;
    private final Prefetch prefetch;
    private final @Nullable DueAhead ahead;
    private final KeyedBodies bodies;
    private final ElementSizes sizes;
    /** The gate of stable input, where watermark and time of day wait at it, too: where timers fire user code. */
    private final @Nullable StableGate timeGate;

    private final ProcessingTimers processingTimers;

    /** Holds of restrictions taken over, until they hold by themselves. */
    private final TreeMap<Long, Integer> takenOver = new TreeMap<>();

    private long shared;
    private long sealedInput;
    private long releasedInput;

    public KeyedTask(TaskSpec spec, TaskHost host, AsyncOptions asyncOptions) {
        super(spec, host, asyncOptions);
        Head.Keyed head = (Head.Keyed) spec.stage().head();
        cells = state();
        prefetch = new Prefetch(head, cells, async()::ready, spec.prefetch());
        ahead = spec.prefetch() && KeyedNode.usesKeyRow(head) ? new DueAhead(cells, prefetch, async()::wake) : null;
        sealedInput = spec.restoredInputWatermark();
        // What it makes due is released when it has been scanned for.
        releasedInput = Math.min(sealedInput, spec.restoredOutputWatermark());
        entrance = new Entrance(this, sealedInput);
        timeGate = head instanceof Head.Stateful ? entrance.gate() : null;
        processingTimers = new ProcessingTimers(this, cells, ProcessingTimers.AtEnd.of(head));
        sizes = new ElementSizes(spec.channelEdges());
        bodies = new KeyedBodies(this, KeyedNode.usesKeyRow(head), processingTimers);
    }

    @Override
    public void start() {
        execute(this::begin);
        super.start();
    }

    private void begin() {
        async().openEpoch().attach(new EpochTimes(sealedInput));
        if (sealedInput > Frontier.MIN) {
            // Timers that were due at the checkpoint and had not been admitted are still in the store.
            seal(sealedInput);
        }
    }

    // ---- input

    @Override
    void element(int channel, Object item) {
        if (item instanceof ViewPane pane) {
            entrance.pane(pane);
            return;
        }
        KeyedElement element = (KeyedElement) item;
        if (entrance.isOpen()) {
            admit(element);
        } else {
            entrance.take(element.value, element.edge, element.key, element.hash, this::admit);
        }
    }

    @Override
    Entrance entrance() {
        return entrance;
    }

    private void admit(Waiting waiting) {
        byte[] key = waiting.key();
        if (key == null) {
            throw new IllegalStateException("an element without a key waits in " + name());
        }
        admit(new KeyedElement(waiting.value(), key, waiting.hash(), waiting.edge()));
    }

    private void admit(KeyedElement element) {
        KeyEntry entry = cells.key(element.hash, element.key);
        entry.pin();
        element.task = this;
        element.entry = entry;
        async().admit(TaskSlot.of(entry), element);
    }

    @Override
    void channelWatermark(int channel, long millis) {
        entrance.channelWatermark(channel, millis);
    }

    @Override
    int takeOwnWork() {
        return own() + (ahead == null ? 0 : ahead.poll());
    }

    private int own() {
        if (timeGate != null) {
            // What the last batch lets timers know of they know before its elements come.
            int work = fireDue();
            return timersAreIn() ? work + letIn() : work;
        }
        return letIn() + fireDue();
    }

    private int letIn() {
        return entrance.poll(async()::room, releasedInput, async().inFlight() == 0, this::admit);
    }

    private int fireDue() {
        // The watermark first: what it closes, a timer of processing time that is due by now need not fire for.
        int work = sealIfAdvanced() ? 1 : 0;
        if (timeGate != null && isBehind()) {
            // That it comes first must not depend on how many epochs are open.
            return work;
        }
        return work + processingTimers.poll(async().room());
    }

    /** Whether a watermark waits to be sealed; but not the last, which waits for timers of processing time. */
    private boolean isBehind() {
        long input = arrivedMillis();
        return input > sealedInput && input < Frontier.MAX;
    }

    /** Whether all timers that may fire now are admitted, or will fire before a later element of their key. */
    private boolean timersAreIn() {
        return arrivedMillis() <= sealedInput && processingTimers.areIn();
    }

    /** The watermark that may be sealed: what has arrived, less what waits. */
    private long arrivedMillis() {
        long input = entrance.inputMillis();
        if (timeGate != null) {
            input = Math.min(input, timeGate.watermarkMillis());
        }
        // A splittable DoFn that goes on after its input's end is not at the end of time.
        return input >= Frontier.MAX && goesOn() ? Frontier.MAX - 1 : input;
    }

    /** Whether work may still come although all input has ended: by timers, or from another task of the stage. */
    private boolean goesOn() {
        Sharing sharing = sharing();
        return processingTimers.goOn() || (sharing != null && !sharing.idle());
    }

    @Override
    public void share(byte[] key, WindowedValue<?> value) {
        Sharing sharing = sharing();
        if (sharing == null) {
            throw new IllegalStateException(name() + " does not share");
        }
        // A key that no restriction of this job, before or after a restore, has had.
        long number = nowMillis() * 1_000_003 + host().nanoTime() + ++shared;
        Donation donation = new Donation(key, number, value, Math.min(releasedInput, holds()));
        // Held here until it is held there.
        hold(donation);
        sharing.give(donation, () -> takeIn(donation), () -> release(donation));
    }

    private void hold(Donation donation) {
        takenOver.merge(donation.holdMillis(), 1, Integer::sum);
    }

    private void release(Donation donation) {
        takenOver.merge(donation.holdMillis(), -1, (a, b) -> a + b == 0 ? null : a + b);
    }

    @Override
    boolean takesOver(Object work, long snapshot) {
        if (snapshot != lastSnapshot() || async().isDraining() || sealedInput >= Frontier.MAX) {
            return false;
        }
        takeIn((Donation) work);
        return true;
    }

    private void takeIn(Donation donation) {
        KeyedElement element = donation.element((Head.Keyed) spec().stage().head(), spec().range());
        element.whenDone = () -> release(donation);
        hold(donation);
        // Others must know before the giver forgets it.
        releasableMillis();
        admit(element);
    }

    /** The time of day that timers may know of. */
    long timerNowMillis() {
        return timeGate == null ? nowMillis() : timeGate.timeMillis();
    }

    private boolean sealIfAdvanced() {
        long input = arrivedMillis();
        if (input <= sealedInput || !async().canSeal()) {
            return false;
        }
        if (input >= Frontier.MAX && !processingTimers.finish(async().room())) {
            return false;
        }
        seal(input);
        return true;
    }

    @Override
    boolean isQuiet() {
        return super.isQuiet()
                && processingTimers.isQuiet()
                && releasedInput == sealedInput
                && arrivedMillis() <= sealedInput;
    }

    @Override
    long stableMillis() {
        return timeGate == null ? Frontier.MIN : entrance.arrivedMillis();
    }

    /** Only a timer that is due makes the time of day of interest. */
    @Override
    long stableTimeMillis() {
        if (timeGate == null) {
            return Long.MIN_VALUE;
        }
        return cells.timers(TimerDomain.PROCESSING).minTimestampMillis() < nowMillis()
                ? nowMillis()
                : timeGate.seenTimeMillis();
    }

    @Override
    boolean nothingMoreComes() {
        return entrance.arrivedMillis() >= Frontier.MAX;
    }

    @Override
    TaskHeader header() {
        // Elements have seen the watermark that was sealed last: those that come after a restore must not see less.
        return header(sealedInput < Frontier.MAX ? sealedInput : releasedInput);
    }

    @Override
    long nextWakeNanos() {
        return processingTimers.nanosToNext();
    }

    /** The watermark sealed last: what is before it is due. */
    long sealedInput() {
        return sealedInput;
    }

    private void seal(long watermark) {
        outbound().flush();
        sealedInput = watermark;
        Epoch sealed = async().openEpoch();
        EpochTimes times = times(sealed);
        times.sealedMillis = watermark;
        EventTimers scan = new EventTimers(this, cells.timers(TimerDomain.EVENT).due(watermark), watermark);
        // An empty epoch joins the one before it.
        scan.into(async().seal(times, scan));
        async().openEpoch().attach(new EpochTimes(watermark));
    }

    static EpochTimes times(Epoch epoch) {
        EpochTimes times = (EpochTimes) epoch.attachment();
        if (times == null) {
            throw new IllegalStateException(epoch + " has no watermark");
        }
        return times;
    }

    /** All keys with a timer before this watermark have been found. */
    void allAdmitted(long watermarkMillis) {
        if (ahead != null && watermarkMillis == sealedInput) {
            ahead.admitted(watermarkMillis);
        }
    }

    /** Admits the firing of a key's event-time timers into a sealed epoch. */
    void admitFire(Epoch epoch, DueKey due, long beforeMillis) {
        KeyEntry entry = cells.key(due.hash(), due.key());
        admitFire(epoch, entry, beforeMillis);
    }

    void admitFire(Epoch epoch, KeyEntry entry, long beforeMillis) {
        entry.pin();
        async().admitTo(epoch, TaskSlot.of(entry), new Fire(this, entry, TimerDomain.EVENT, beforeMillis));
    }

    /** Admits the firing of a key's processing-time timers. */
    void admitProcessing(DueKey due, long beforeMillis) {
        KeyEntry entry = cells.key(due.hash(), due.key());
        entry.pin();
        async().admit(TaskSlot.of(entry), new Fire(this, entry, TimerDomain.PROCESSING, beforeMillis));
    }

    // ---- computations

    Prefetch prefetch() {
        return prefetch;
    }

    KeyedBodies bodies() {
        return bodies;
    }

    ElementSizes sizes() {
        return sizes;
    }

    void fired(Fire fire) {
        if (fire.domain == TimerDomain.PROCESSING) {
            processingTimers.fired();
        }
    }

    // ---- watermarks

    @Override
    public void released(Epoch epoch) {
        releasedInput = Math.max(releasedInput, times(epoch).sealedMillis);
        if (releasedInput > outputWatermarkMillis()) {
            chains().finishAll();
        }
        releaseWatermark();
    }

    long holds() {
        return Math.min(
                takenOver.isEmpty() ? cells.minHoldMillis() : Math.min(takenOver.firstKey(), cells.minHoldMillis()),
                Math.min(
                        cells.timers(TimerDomain.EVENT).minOutputTimestampMillis(),
                        cells.timers(TimerDomain.PROCESSING).minOutputTimestampMillis()));
    }

    @Override
    boolean watermarkIsNear() {
        return releasedInput < sealedInput && async().inFlight() == 0;
    }

    @Override
    long releasableMillis() {
        // At the end of input every live timer has fired, and what still holds belongs to nothing that can come.
        long own = releasedInput >= Frontier.MAX ? Frontier.MAX : Math.min(releasedInput, holds());
        Sharing sharing = sharing();
        return sharing == null ? own : sharing.allowed(own);
    }

    @Override
    long inputWatermarkMillis() {
        return releasedInput;
    }

    String describe(byte[] key) {
        String hex = HexFormat.of().formatHex(key, 0, Math.min(key.length, 16));
        return name() + ", key " + hex + (key.length > 16 ? "… (" + key.length + " bytes)" : "");
    }
}
