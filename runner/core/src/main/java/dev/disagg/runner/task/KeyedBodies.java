// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.async.Epoch;
import dev.disagg.state.cell.KeyEntry;
import dev.disagg.state.cell.KeyTimers;
import dev.disagg.state.cell.Timer;
import dev.disagg.state.cell.TimerDomain;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.beam.runners.core.TimerInternals.TimerData;
import org.apache.beam.sdk.metrics.Counter;
import org.apache.beam.sdk.metrics.MetricName;
import org.apache.beam.sdk.values.KV;
import org.jspecify.annotations.Nullable;

/**
 * What the computations of a keyed task do: an element goes through the chain, due timers fire one at a time, in order.
 * Leader only; a body may be parked at any read.
 */
final class KeyedBodies {
    /** Timers that their own firing set again after all input had ended. */
    private static final MetricName TIMERS_DROPPED = MetricName.named("dev.disagg.runner", "timersDroppedAtTheEnd");

    private final KeyedTask task;
    private final boolean usesKeyRow;
    private final ProcessingTimers processingTimers;
    private final Counter dropped;
    private long entered;

    KeyedBodies(KeyedTask task, boolean usesKeyRow, ProcessingTimers processingTimers) {
        this.dropped = task.metrics(task.stage().head().name()).getCounter(TIMERS_DROPPED);
        this.task = task;
        this.usesKeyRow = usesKeyRow;
        this.processingTimers = processingTimers;
    }

    void process(KeyedElement element) {
        EpochTimes times = KeyedTask.times(element.epoch());
        KeyEntry entry = element.entry();
        Chain chain = enter(entry, ((KV<?, ?>) element.value.getValue()).getKey(), times.openedMillis);
        try {
            fireEarlier(chain, entry, element.epoch(), times.openedMillis);
            enterBundle(chain, entry, element.value.getTimestamp().getMillis());
            chain.keyed().element(element.value);
            chain.keyed().state.finishBody();
            task.prefetch().learn(chain.keyed().state);
            afterBody(chain, entry, element.epoch(), times);
        } finally {
            leave(chain);
        }
    }

    void fire(Fire fire) {
        EpochTimes times = KeyedTask.times(fire.epoch());
        Chain chain = enter(fire.entry, null, times.openedMillis);
        try {
            fireEarlier(chain, fire.entry, fire.epoch(), times.openedMillis);
            if (fire.domain == TimerDomain.EVENT) {
                // Not before: what sees a watermark is fired together with all that is due by it.
                chain.keyed().timers.seeInputWatermark(fire.beforeMillis);
            }
            fireDue(chain, fire.entry, fire.domain, fire.beforeMillis);
            afterBody(chain, fire.entry, fire.epoch(), times);
        } finally {
            leave(chain);
        }
    }

    private Chain enter(KeyEntry entry, @Nullable Object key, long seenMillis) {
        Chain chain = task.chain();
        chain.floorMillis = task.holds();
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
     * A bundle of a DoFn that knows of bundles must not see a key again after another chain did: what it kept in a field would
     * be stale.
     */
    private void enterBundle(Chain chain, KeyEntry entry, long timestampMillis) {
        task.chains().finishIfFull(chain);
        if (chain.keyed().knowsOfBundles()) {
            boolean several = task.chains().several();
            if (several && chain.seesWithoutKeeping) {
                // From here on other chains meet the keys that this bundle saw alone, and nobody would know.
                task.chains().finish(chain);
            }
            TaskSlot slot = TaskSlot.of(entry);
            boolean elsewhere = slot.lastChain != null && slot.lastChain != chain;
            if (elsewhere && chain.isOpen() && chain.openedAt < slot.lastEntered) {
                task.chains().finish(chain);
            }
            boolean again = slot.lastChain == chain && chain.isOpen() && chain.openedAt <= slot.lastEntered;
            slot.lastChain = chain;
            slot.lastEntered = ++entered;
            if (!chain.isOpen()) {
                chain.openedAt = entered;
            }
            if (!several) {
                chain.seesWithoutKeeping = true;
            } else if (!again) {
                chain.keep(entry);
            }
        }
        task.chains().enterBundle(chain, timestampMillis, task.host());
    }

    /** Fires the due timers of a key, one at a time, in order; what a firing sets or clears counts at once. */
    private void fireDue(Chain chain, KeyEntry entry, TimerDomain domain, long beforeMillis) {
        if (!usesKeyRow) {
            return;
        }
        KeyTimers timers = timersOf(entry);
        boolean stops = domain == TimerDomain.PROCESSING && processingTimers.resumesAtOnce();
        Set<ByteBuffer> once =
                domain == TimerDomain.PROCESSING && processingTimers.firesOnce() ? new HashSet<>() : null;
        for (Timer timer = timers.firstDue(domain, beforeMillis);
                timer != null;
                timer = timers.firstDue(domain, beforeMillis)) {
            if (once != null && !once.add(ByteBuffer.wrap(timer.id()))) {
                // Set again by its own firing, at the end of input: dropped, else a looping timer would never end.
                timers.remove(timer);
                dropped.inc();
                continue;
            }
            enterBundle(chain, entry, timer.outputTimestampMillis());
            timers.remove(timer);
            if (chain.keyed().firesTogether()) {
                fireWith(chain, timer, timers, domain, beforeMillis);
            } else {
                chain.keyed().timers(List.of(chain.keyed().timers.data(timer, byDrain(chain, beforeMillis))));
            }
            chain.keyed().state.finishBody();
            task.prefetch().learn(domain, chain.keyed().state);
            if (stops) {
                // What it has set again is due at once, and another computation: a barrier can come between.
                return;
            }
        }
    }

    /** Whether a timer fires only because the job is drained: time has not come to it by itself. */
    private boolean byDrain(Chain chain, long beforeMillis) {
        return chain.keyed().tellsOfDrain() && beforeMillis >= Frontier.MAX && task.draining();
    }

    /** Fires a timer and all others that are due by now, in their order, in one call. */
    private void fireWith(Chain chain, Timer first, KeyTimers timers, TimerDomain domain, long beforeMillis) {
        List<TimerData> together = new ArrayList<>();
        for (Timer timer = first; timer != null; timer = timers.firstDue(domain, beforeMillis)) {
            timers.remove(timer);
            together.add(chain.keyed().timers.data(timer, byDrain(chain, beforeMillis)));
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
        for (Epoch epoch = task.async().oldestEpoch(); epoch != null && epoch != own; epoch = epoch.next()) {
            if (first.timestampMillis() < KeyedTask.times(epoch).sealedMillis) {
                task.async().holdEpoch(epoch);
                break;
            }
        }
        fireDue(chain, entry, TimerDomain.EVENT, beforeMillis);
    }

    private KeyTimers timersOf(KeyEntry entry) {
        KeyTimers timers = entry.timers();
        while (!timers.resident()) {
            task.reads().await(timers.fetch());
        }
        return timers;
    }

    /** Timers that the body set and that are due already, by the watermark it saw or by one that came meanwhile. */
    private void afterBody(Chain chain, KeyEntry entry, Epoch own, EpochTimes times) {
        if (!usesKeyRow) {
            return;
        }
        fireDue(chain, entry, TimerDomain.EVENT, times.openedMillis);
        Timer first = timersOf(entry).firstDue(TimerDomain.EVENT, task.sealedInput());
        if (first == null) {
            return;
        }
        for (Epoch epoch = own; epoch != null && epoch.state() == Epoch.State.CLOSED; epoch = epoch.next()) {
            long sealed = KeyedTask.times(epoch).sealedMillis;
            if (first.timestampMillis() < sealed) {
                // The epoch's scan may have passed the key. Behind what already waits for the key, which comes first.
                task.admitFire(epoch, entry, sealed);
                return;
            }
        }
    }
}
