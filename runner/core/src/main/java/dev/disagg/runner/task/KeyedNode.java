// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.runner.graph.Head;
import dev.disagg.runner.state.StepState;
import dev.disagg.runner.state.StepTimers;
import dev.disagg.state.cell.KeyEntry;
import java.util.List;
import java.util.Map;
import org.apache.beam.runners.core.InMemoryBundleFinalizer;
import org.apache.beam.runners.core.TimerInternals.TimerData;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.CoderException;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.util.CoderUtils;
import org.apache.beam.sdk.values.TupleTag;
import org.apache.beam.sdk.values.WindowedValue;
import org.apache.beam.sdk.values.WindowingStrategy;

/** The keyed step at the head of a chain. Bound to one key while a computation runs. One owner. */
abstract class KeyedNode implements Node {
    /** The output of grouping steps. */
    static final TupleTag<Object> MAIN = new TupleTag<>("output");

    final StepState state;
    final StepTimers timers;
    private final Coder<Object> keyCoder;

    @SuppressWarnings("unchecked")
    KeyedNode(String name, Coder<?> keyCoder, WindowingStrategy<?, ?> windowing, Services services) {
        this.keyCoder = (Coder<Object>) keyCoder;
        this.state =
                new StepState(name, services.state(), windowing.getWindowFn().windowCoder(), services.reads());
        this.timers = new StepTimers(state, services::nowMillis, services::outputWatermarkMillis);
    }

    static KeyedNode of(
            Head.Keyed head,
            Services services,
            InMemoryBundleFinalizer finalizer,
            Map<TupleTag<?>, Receiver> receivers) {
        if (head instanceof Head.Stateful stateful) {
            return new StatefulNode(stateful, services, finalizer, receivers);
        }
        if (head instanceof Head.Splittable splittable) {
            return new SplittableNode(splittable, services, finalizer, receivers);
        }
        return GroupNode.of(head, services, receivers.getOrDefault(MAIN, Receiver.NOWHERE));
    }

    /** Turns to a key; {@code key} may be null when only the encoded form is at hand and decoding is not needed yet. */
    final void bind(KeyEntry entry, Object key, long inputWatermarkMillis) {
        state.bind(entry, key);
        timers.seeInputWatermark(inputWatermarkMillis);
    }

    final void unbind() {
        state.bind(null, null);
    }

    final Object decodeKey(byte[] encoded) {
        try {
            return CoderUtils.decodeFromByteArray(keyCoder, encoded);
        } catch (CoderException e) {
            throw new IllegalStateException(
                    "a stored key can not be decoded by " + keyCoder + ": " + e.getMessage(), e);
        }
    }

    /** Whether user code is told where a bundle begins or ends, so that it may keep something until then. */
    boolean knowsOfBundles() {
        return outputsAtBundleEnd();
    }

    /** Processes an element of the bound key. */
    abstract void element(WindowedValue<?> value);

    /**
     * Whether all timers that are due together are to be fired in one call: by them a window is closed and cleaned up, which
     * must not be taken for two firings. User code gets one at a time, since one firing may clear the next.
     */
    boolean firesTogether() {
        return false;
    }

    /** Whether timers that fire because of a drain say so. */
    boolean tellsOfDrain() {
        return true;
    }

    /** Fires timers of the bound key, in this order. */
    abstract void timers(List<TimerData> due);

    /** What {@link #of} will need of memory before an element is processed: the key's own row. */
    static boolean usesKeyRow(Head.Keyed head) {
        return !(head instanceof Head.Stateful stateful) || StatefulNode.usesTimers(stateful);
    }

    /** Whether the rows of an element's own windows are what the step works on. */
    static boolean usesWindowRows(Head.Keyed head) {
        WindowingStrategy<?, ?> windowing = windowing(head);
        return !windowing.needsMerge();
    }

    static WindowingStrategy<?, ?> windowing(Head.Keyed head) {
        if (head instanceof Head.Group group) {
            return group.windowing();
        }
        if (head instanceof Head.Combine combine) {
            return combine.windowing();
        }
        if (head instanceof Head.Stateful stateful) {
            return stateful.parDo().windowing();
        }
        return ((Head.Splittable) head).parDo().windowing();
    }

    @SuppressWarnings("unchecked")
    static Coder<BoundedWindow> windowCoder(Head.Keyed head) {
        return (Coder<BoundedWindow>) windowing(head).getWindowFn().windowCoder();
    }
}
