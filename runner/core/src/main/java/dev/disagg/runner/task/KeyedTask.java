// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.async.AsyncOptions;
import dev.disagg.async.Computation;
import dev.disagg.async.Epoch;
import dev.disagg.runner.graph.Head;
import dev.disagg.state.cell.DueKey;
import dev.disagg.state.cell.KeyEntry;
import dev.disagg.state.cell.KeyTimers;
import dev.disagg.state.cell.Row;
import dev.disagg.state.cell.TaskState;
import dev.disagg.state.cell.Timer;
import dev.disagg.state.cell.TimerDomain;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.beam.runners.core.SideInputReader;
import org.apache.beam.runners.core.TimerInternals.TimerData;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.values.KV;
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
    private final boolean usesKeyRow;
    private final boolean usesWindowRows;
    private final WindowRows rows;
    private final ProcessingTimers processingTimers;

    private long sealedInput;
    private long releasedInput;
    private long entered;

    public KeyedTask(TaskSpec spec, TaskHost host, AsyncOptions asyncOptions) {
        super(spec, host, asyncOptions);
        Head.Keyed head = (Head.Keyed) spec.stage().head();
        cells = state();
        hasViews = !spec.stage().views().isEmpty();
        usesKeyRow = KeyedNode.usesKeyRow(head);
        usesWindowRows = KeyedNode.usesWindowRows(head);
        rows = new WindowRows(KeyedNode.windowCoder(head));
        door = new SideInputDoor(spec, host.checkpointing(), async()::wake);
        sealedInput = spec.restoredInputWatermark();
        releasedInput = sealedInput;
        frontier = door.mainFrontier(sealedInput);
        processingTimers = new ProcessingTimers(this, cells, ProcessingTimers.AtEnd.of(head));
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
        if (sealedInput > Frontier.MIN) {
            // Timers that were due at the checkpoint and had not been admitted are still in the store.
            seal(sealedInput);
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
        if (!hasViews) {
            admit(element);
            return;
        }
        for (WindowedValue<?> one : SideInputDoor.exploded(element.value)) {
            if (door.isTooLate(one, this)) {
                continue;
            }
            if (!door.waits(element.key, element.hash) && door.isReady(one)) {
                admit(new KeyedElement(one, element.key, element.hash, element.edge));
            } else {
                door.add(one, element.edge, element.key, element.hash);
            }
        }
    }

    private void letIn(Waiting waiting) {
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
        // The watermark first: what it closes, a timer of processing time that is due by now need not fire for.
        int work = sealIfAdvanced() ? 1 : 0;
        if (hasViews) {
            work += door.poll(Math.min(TURN, async().room()), releasedInput, async().inFlight() == 0, this::letIn);
        }
        return work + processingTimers.poll(async().room());
    }

    private boolean sealIfAdvanced() {
        long input = Math.min(frontier.minimum(), door.holdMillis());
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
                && releasedInput == sealedInput
                && Math.min(frontier.minimum(), door.holdMillis()) <= sealedInput;
    }

    @Override
    long nextWakeNanos() {
        return processingTimers.nanosToNext();
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

    private static EpochTimes times(Epoch epoch) {
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

    private void admitFire(Epoch epoch, KeyEntry entry, long beforeMillis) {
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

    boolean prepare(KeyedElement element) {
        throwReadFailure(element.readFailure);
        if (!spec().prefetch()) {
            return true;
        }
        KeyEntry entry = owned(element);
        CompletableFuture<?> wait = usesKeyRow ? fetch(entry.globalRow(), null) : null;
        if (usesWindowRows) {
            for (BoundedWindow window : element.value.getWindows()) {
                wait = fetch(rows.row(entry, window), wait);
            }
        }
        return isHere(wait, element, failure -> element.readFailure = failure);
    }

    boolean prepare(Fire fire) {
        throwReadFailure(fire.readFailure);
        if (!spec().prefetch()) {
            return true;
        }
        return isHere(fetch(fire.entry.globalRow(), null), fire, failure -> fire.readFailure = failure);
    }

    private static @Nullable CompletableFuture<?> fetch(Row row, @Nullable CompletableFuture<?> others) {
        if (row.resident()) {
            return others;
        }
        CompletableFuture<?> read = row.fetch();
        return others == null ? read : CompletableFuture.allOf(others, read);
    }

    private boolean isHere(
            @Nullable CompletableFuture<?> wait,
            Computation computation,
            java.util.function.Consumer<Throwable> onFailure) {
        if (wait == null) {
            return true;
        }
        wait.whenComplete((ignored, failure) -> {
            if (failure != null) {
                onFailure.accept(failure);
            }
            async().ready(computation);
        });
        return false;
    }

    private static void throwReadFailure(@Nullable Throwable failure) {
        if (failure != null) {
            Throwable cause = failure instanceof java.util.concurrent.CompletionException && failure.getCause() != null
                    ? failure.getCause()
                    : failure;
            throw cause instanceof RuntimeException known
                    ? known
                    : new dev.disagg.ufs.Failed("a state read failed: " + cause.getMessage(), cause);
        }
    }

    private static KeyEntry owned(KeyedElement element) {
        KeyEntry entry = element.entry;
        if (entry == null) {
            throw new IllegalStateException("an element was run before it was admitted");
        }
        return entry;
    }

    void process(KeyedElement element) {
        EpochTimes times = times(element.epoch());
        KeyEntry entry = owned(element);
        Chain chain = enter(entry, ((KV<?, ?>) element.value.getValue()).getKey(), times.openedMillis);
        try {
            fireEarlier(chain, entry, element.epoch(), times.openedMillis);
            enterBundle(chain, entry, element.value.getTimestamp().getMillis());
            chain.keyed().element(element.value);
            chain.keyed().state.finishBody();
            afterBody(chain, entry, element.epoch(), times);
        } finally {
            leave(chain);
        }
    }

    void fire(Fire fire) {
        EpochTimes times = times(fire.epoch());
        boolean event = fire.domain == TimerDomain.EVENT;
        long seen = event ? fire.beforeMillis : times.openedMillis;
        Chain chain = enter(fire.entry, null, seen);
        try {
            fireEarlier(chain, fire.entry, fire.epoch(), times.openedMillis);
            fireDue(chain, fire.entry, fire.domain, fire.beforeMillis);
            afterBody(chain, fire.entry, fire.epoch(), times);
        } finally {
            leave(chain);
        }
    }

    void fired(Fire fire) {
        if (fire.domain == TimerDomain.PROCESSING) {
            processingTimers.fired();
        }
    }

    private Chain enter(KeyEntry entry, @Nullable Object key, long seenMillis) {
        Chain chain = chain();
        chain.floorMillis = holds();
        chain.inBody = true;
        KeyedNode node = chain.keyed();
        node.bind(entry, key == null ? node.decodeKey(entry.key()) : key, seenMillis);
        return chain;
    }

    private static void leave(Chain chain) {
        chain.keyed().unbind();
        chain.inBody = false;
    }

    /**
     * A bundle of a DoFn that outputs at its end must not see a key again after another chain did: what it kept in a field
     * would be stale.
     */
    private void enterBundle(Chain chain, KeyEntry entry, long timestampMillis) {
        if (chain.keyed().outputsAtBundleEnd()) {
            TaskSlot slot = TaskSlot.of(entry);
            boolean elsewhere = slot.lastChain != null && slot.lastChain != chain;
            if (elsewhere && chain.isOpen() && chain.openedAt < slot.lastEntered) {
                finishBundle(chain);
            }
            slot.lastChain = chain;
            slot.lastEntered = ++entered;
            if (!chain.isOpen()) {
                chain.openedAt = entered;
            }
        }
        chain.enter(timestampMillis, host());
    }

    /** Fires the due timers of a key, one at a time, in order; what a firing sets or clears counts at once. */
    private void fireDue(Chain chain, KeyEntry entry, TimerDomain domain, long beforeMillis) {
        if (!usesKeyRow) {
            return;
        }
        KeyTimers timers = timersOf(entry);
        Set<ByteBuffer> once =
                domain == TimerDomain.PROCESSING && processingTimers.firesOnce() ? new HashSet<>() : null;
        for (Timer timer = timers.firstDue(domain, beforeMillis);
                timer != null;
                timer = timers.firstDue(domain, beforeMillis)) {
            if (once != null && !once.add(ByteBuffer.wrap(timer.id()))) {
                // Set again by its own firing, at the end of input: dropped, else a looping timer would never end.
                timers.remove(timer);
                continue;
            }
            enterBundle(chain, entry, timer.outputTimestampMillis());
            timers.remove(timer);
            if (chain.keyed().firesTogether()) {
                fireWith(chain, timer, timers, domain, beforeMillis);
            } else {
                chain.keyed().timers(List.of(chain.keyed().timers.data(timer)));
            }
            chain.keyed().state.finishBody();
        }
    }

    /** Fires a timer and all others that are due by now, in their order, in one call. */
    private static void fireWith(Chain chain, Timer first, KeyTimers timers, TimerDomain domain, long beforeMillis) {
        List<TimerData> together = new ArrayList<>();
        for (Timer timer = first; timer != null; timer = timers.firstDue(domain, beforeMillis)) {
            timers.remove(timer);
            together.add(chain.keyed().timers.data(timer));
        }
        chain.keyed().timers(together);
    }

    /** Fires what earlier watermarks made due and their scans have not come to; their epochs wait for it. */
    private void fireEarlier(Chain chain, KeyEntry entry, Epoch own, long beforeMillis) {
        if (!usesKeyRow) {
            return;
        }
        Timer first = timersOf(entry).firstDue(TimerDomain.EVENT, beforeMillis);
        if (first == null) {
            return;
        }
        for (Epoch epoch = async().oldestEpoch(); epoch != null && epoch != own; epoch = epoch.next()) {
            if (first.timestampMillis() < times(epoch).sealedMillis) {
                async().holdEpoch(epoch);
                break;
            }
        }
        fireDue(chain, entry, TimerDomain.EVENT, beforeMillis);
    }

    private KeyTimers timersOf(KeyEntry entry) {
        KeyTimers timers = entry.timers();
        while (!timers.resident()) {
            reads().await(timers.fetch());
        }
        return timers;
    }

    /** Timers that the body set and that are due already, by the watermark it saw or by one that came meanwhile. */
    private void afterBody(Chain chain, KeyEntry entry, Epoch own, EpochTimes times) {
        if (!usesKeyRow) {
            return;
        }
        fireDue(chain, entry, TimerDomain.EVENT, times.openedMillis);
        Timer first = timersOf(entry).firstDue(TimerDomain.EVENT, sealedInput);
        if (first == null) {
            return;
        }
        for (Epoch epoch = own; epoch != null && epoch.state() == Epoch.State.CLOSED; epoch = epoch.next()) {
            long sealed = times(epoch).sealedMillis;
            if (first.timestampMillis() < sealed) {
                // The epoch's scan may have passed the key. Behind what already waits for the key, which comes first.
                admitFire(epoch, entry, sealed);
                return;
            }
        }
    }

    // ---- watermarks

    @Override
    public void released(Epoch epoch) {
        releasedInput = Math.max(releasedInput, times(epoch).sealedMillis);
        if (releasedInput > outputWatermarkMillis()) {
            closeBundles();
        }
        releaseWatermark();
    }

    private long holds() {
        return Math.min(
                cells.minHoldMillis(),
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
        return releasedInput >= Frontier.MAX ? Frontier.MAX : Math.min(releasedInput, holds());
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
