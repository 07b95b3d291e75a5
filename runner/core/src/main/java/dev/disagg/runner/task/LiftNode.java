// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.runner.graph.Step;
import java.io.IOException;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.transforms.Combine.CombineFn;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.DefaultTrigger;
import org.apache.beam.sdk.transforms.windowing.PaneInfo;
import org.apache.beam.sdk.transforms.windowing.TimestampCombiner;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.WindowedValue;
import org.apache.beam.sdk.values.WindowedValues;
import org.joda.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Folds values into one accumulator per (key, window), so that less travels. It keeps them until the task flushes it, which is
 * before a watermark or a barrier passes, when the task is idle, and, if a trigger may fire before the watermark, a bundle's
 * greatest age after the first; or until they reach a bound. Late elements pass by themselves, so that none of them hides among elements that are on time.
 */
final class LiftNode implements Node, Receiver {
    private static final int MAX_GROUPS = 50_000;
    private static final long MAX_BYTES = 16 << 20;

    private final CombineFn<Object, Object, Object> combine;
    private final Coder<Object> keyCoder;
    private final Coder<Object> accumulatorCoder;
    private final TimestampCombiner timestamps;
    private final Receiver output;
    private final Services services;
    private final boolean awaited;
    private final Map<GroupKey, Group> groups = new LinkedHashMap<>();
    private final GroupKey probe = new GroupKey();
    private final Size size = new Size();
    private long keptBytes;

    @SuppressWarnings("unchecked")
    LiftNode(Step.Lift step, Receiver output, Services services) {
        this.combine = (CombineFn<Object, Object, Object>) step.combine().getFn();
        this.keyCoder = (Coder<Object>) step.keyCoder();
        this.accumulatorCoder = (Coder<Object>) step.combine().getAccumulatorCoder();
        this.timestamps = step.windowing().getTimestampCombiner();
        this.output = output;
        this.services = services;
        // The default trigger fires when the watermark passes, and never before.
        this.awaited = !(step.windowing().getTrigger() instanceof DefaultTrigger);
    }

    /** The structural value of a key, and a window. Modified only while it is no map's key. */
    private static final class GroupKey {
        private @Nullable Object key;
        private @Nullable BoundedWindow window;
        private int hash;

        GroupKey set(Object newKey, BoundedWindow newWindow) {
            key = newKey;
            window = newWindow;
            hash = newKey.hashCode() * 31 + newWindow.hashCode();
            return this;
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof GroupKey that
                    && hash == that.hash
                    && Objects.equals(key, that.key)
                    && Objects.equals(window, that.window);
        }
    }

    private static final class Group {
        final Object key;
        final BoundedWindow window;
        Object accumulator;
        Instant timestamp;
        int elements;
        long bytes;

        Group(Object key, BoundedWindow window, Object accumulator, Instant timestamp) {
            this.key = key;
            this.window = window;
            this.accumulator = accumulator;
            this.timestamp = timestamp;
        }
    }

    @Override
    public void accept(WindowedValue<?> element) {
        KV<?, ?> value = (KV<?, ?>) element.getValue();
        Object structuralKey = keyCoder.structuralValue(value.getKey());
        for (BoundedWindow window : element.getWindows()) {
            boolean late = window.maxTimestamp().getMillis() < services.outputWatermarkMillis();
            Instant timestamp = timestamps.assign(window, element.getTimestamp());
            if (late) {
                Object accumulator = combine.addInput(combine.createAccumulator(), value.getValue());
                emit(value.getKey(), accumulator, timestamp, window);
                continue;
            }
            Group group = groups.get(probe.set(structuralKey, window));
            if (group == null) {
                group = new Group(value.getKey(), window, combine.createAccumulator(), timestamp);
                groups.put(new GroupKey().set(structuralKey, window), group);
                keptBytes += size.of(keyCoder, group.key);
            } else if (!timestamp.equals(group.timestamp)) {
                group.timestamp = timestamps.combine(group.timestamp, timestamp);
            }
            group.accumulator = combine.addInput(group.accumulator, value.getValue());
            group.elements++;
            if ((group.elements & (group.elements - 1)) == 0) {
                // At the powers of two: an accumulator that grows is seen to, at a cost that its growth bounds.
                long bytes = size.of(accumulatorCoder, group.accumulator);
                keptBytes += bytes - group.bytes;
                group.bytes = bytes;
            }
        }
        if (groups.size() >= MAX_GROUPS || keptBytes >= MAX_BYTES) {
            flush();
        }
    }

    @Override
    public boolean isAwaited() {
        return awaited;
    }

    private void emit(Object key, Object accumulator, Instant timestamp, BoundedWindow window) {
        output.accept(
                WindowedValues.of(KV.of(key, combine.compact(accumulator)), timestamp, window, PaneInfo.NO_FIRING));
    }

    @Override
    public void flush() {
        groups.values().forEach(group -> emit(group.key, group.accumulator, group.timestamp, group.window));
        groups.clear();
        keptBytes = 0;
    }

    /** Counts the bytes of encoded values. */
    private static final class Size extends OutputStream {
        private long bytes;

        long of(Coder<Object> coder, Object value) {
            bytes = 0;
            try {
                coder.encode(value, this);
            } catch (IOException e) {
                throw new IllegalArgumentException(
                        value + " can not be encoded by " + coder + ": " + e.getMessage(), e);
            }
            return bytes;
        }

        @Override
        public void write(int value) {
            bytes++;
        }

        @Override
        public void write(byte[] from, int offset, int length) {
            bytes += length;
        }
    }
}
