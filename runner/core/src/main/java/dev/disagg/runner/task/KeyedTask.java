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
import org.apache.beam.runners.core.SideInputReader;
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
    private final Frontier frontier;
    private final SideInputDoor door;
    private final boolean hasViews;
    private final Prefetch prefetch;
    private final KeyedBodies bodies;
    private final ElementSizes sizes;
    private final @Nullable StableGate gate;
    /** Whether watermark and time of day wait at the gate, too: where timers fire user code. */
    private final boolean gatesTime;

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
        hasViews = !spec.stage().views().isEmpty();
        prefetch = new Prefetch(head, cells, async()::ready, spec.prefetch());
        door = new SideInputDoor(spec, async()::wake);
        gate = StableGate.of(spec, async()::wake);
        gatesTime = gate != null && head instanceof Head.Stateful;
        sealedInput = spec.restoredInputWatermark();
        // What it makes due is released when it has been scanned for.
        releasedInput = Math.min(sealedInput, spec.restoredOutputWatermark());
        frontier = door.mainFrontier(Math.max(sealedInput, spec.restoredStableWatermark()));
        processingTimers = new ProcessingTimers(this, cells, ProcessingTimers.AtEnd.of(head));
        sizes = new ElementSizes(spec.channelEdges());
        bodies = new KeyedBodies(this, KeyedNode.usesKeyRow(head), processingTimers);
        if (!spec.restored().isEmpty()) {
            door.restore();
        }
    }

    @Override
    public void start() {
        execute(this::begin);
        super.start();
    }

    private void begin() {
        async().openEpoch().attach(new EpochTimes(sealedInput));
        long stable = gatesTime ? spec().restoredStableWatermark() : Frontier.MIN;
        long due = stable < Frontier.MAX ? Math.max(sealedInput, stable) : sealedInput;
        if (due > Frontier.MIN) {
            // Timers that were due at the checkpoint and had not been admitted are still in the store.
            seal(due);
        }
    }

    // ---- input

    @Override
    void element(int channel, Object item) {
        if (item instanceof ViewPane pane) {
            door.pane(pane);
            return;
        }
        KeyedElement element = (KeyedElement) item;
        if (!hasViews && gate == null) {
            admit(element);
            return;
        }
        for (WindowedValue<?> one : SideInputDoor.exploded(element.value)) {
            if (hasViews && door.isTooLate(one)) {
                door.countTooLate(this);
                continue;
            }
            if (gate != null) {
                gate.add(one, element.edge, element.key, element.hash, frontier.minimum());
            } else if (!door.waits(element.key, element.hash) && door.isReady(one)) {
                admit(new KeyedElement(one, element.key, element.hash, element.edge));
            } else {
                door.add(one, element.edge, element.key, element.hash);
            }
        }
    }

    private void stable(Waiting waiting) {
        if (door.waits(waiting.key(), waiting.hash()) || !door.isReady(waiting.value())) {
            door.hold(waiting);
        } else {
            cells.inbox().remove(waiting.group(), waiting.number());
            admit(waiting);
        }
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
        if (door.isView(channel)) {
            door.watermark(channel, millis);
        } else {
            frontier.advance(channel, millis);
        }
    }

    @Override
    int takeOwnWork() {
        if (gatesTime) {
            // What the last commit lets timers know of they know before the elements that it lets in.
            int work = fireDue();
            return timersAreIn() ? work + letIn() : work;
        }
        return letIn() + fireDue();
    }

    private int letIn() {
        int work = gate == null ? 0 : gate.poll(async().room(), this::stable);
        return work + door.poll(Math.min(TURN, async().room()), releasedInput, async().inFlight() == 0, this::admit);
    }

    private int fireDue() {
        // The watermark first: what it closes, a timer of processing time that is due by now need not fire for.
        int work = sealIfAdvanced() ? 1 : 0;
        return work + processingTimers.poll(async().room());
    }

    /** Whether all timers that may fire now are admitted, or will fire before a later element of their key. */
    private boolean timersAreIn() {
        return arrivedMillis() <= sealedInput && processingTimers.areIn();
    }

    /** The watermark that may be sealed: what has arrived, less what waits. */
    private long arrivedMillis() {
        long input = Math.min(frontier.minimum(), door.holdMillis());
        if (gate != null) {
            input = Math.min(input, gate.holdMillis());
            input = gatesTime ? Math.min(input, gate.watermarkMillis()) : input;
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
        return gate != null && gatesTime ? gate.timeMillis() : nowMillis();
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
                && door.isQuiet()
                && (gate == null || !gate.isReady())
                && releasedInput == sealedInput
                && arrivedMillis() <= sealedInput;
    }

    @Override
    boolean needsCheckpoint() {
        if (super.needsCheckpoint()) {
            return true;
        }
        return gate != null && gate.wantsSnapshot(gatesTime ? frontier.minimum() : Frontier.MIN, timeToSee(gate));
    }

    /** The time of day that a snapshot is to allow: only a timer that is due makes it of interest. */
    private long timeToSee(StableGate at) {
        return gatesTime && cells.timers(TimerDomain.PROCESSING).minTimestampMillis() < nowMillis()
                ? nowMillis()
                : at.seenTimeMillis();
    }

    @Override
    boolean nothingMoreComes() {
        return frontier.minimum() >= Frontier.MAX;
    }

    @Override
    void beforeSnapshot(long checkpoint) {
        if (gate != null) {
            gate.snapshot(checkpoint, frontier.minimum(), timeToSee(gate));
        }
    }

    @Override
    TaskHeader header() {
        // Elements have seen the watermark that was sealed last: those that come after a restore must not see less.
        return gate == null
                ? new TaskHeader(
                        spec().range(),
                        sealedInput < Frontier.MAX ? sealedInput : releasedInput,
                        outputWatermarkMillis())
                : new TaskHeader(
                        spec().range(),
                        releasedInput,
                        outputWatermarkMillis(),
                        gate.containedWatermarkMillis(),
                        gate.seenTimeMillis());
    }

    @Override
    public boolean hearsOfCommits() {
        return gate != null;
    }

    @Override
    void whenCommitted(long checkpoint) {
        if (gate != null) {
            gate.committed(checkpoint);
        }
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

    @Override
    public SideInputReader sideInputs() {
        return hasViews ? door.reader(reads()) : super.sideInputs();
    }

    String describe(byte[] key) {
        String hex = HexFormat.of().formatHex(key, 0, Math.min(key.length, 16));
        return name() + ", key " + hex + (key.length > 16 ? "… (" + key.length + " bytes)" : "");
    }
}
