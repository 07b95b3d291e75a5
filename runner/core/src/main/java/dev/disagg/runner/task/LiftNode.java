// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.runner.graph.Step;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.transforms.Combine.CombineFn;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.PaneInfo;
import org.apache.beam.sdk.transforms.windowing.TimestampCombiner;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.WindowedValue;
import org.apache.beam.sdk.values.WindowedValues;
import org.joda.time.Instant;

/**
 * Folds values into one accumulator per (key, window), bounded, so that less travels. Late elements pass by themselves, so
 * that none of them hides among elements that are on time.
 */
final class LiftNode implements Node, Receiver {
    private static final int MAX_GROUPS = 10_000;

    private final CombineFn<Object, Object, Object> combine;
    private final Coder<Object> keyCoder;
    private final TimestampCombiner timestamps;
    private final Receiver output;
    private final Services services;
    private final Map<GroupKey, Group> groups = new LinkedHashMap<>();
    private final ByteArrayOutputStream keyBuffer = new ByteArrayOutputStream(64);

    @SuppressWarnings("unchecked")
    LiftNode(Step.Lift step, Receiver output, Services services) {
        this.combine = (CombineFn<Object, Object, Object>) step.combine().getFn();
        this.keyCoder = (Coder<Object>) step.keyCoder();
        this.timestamps = step.windowing().getTimestampCombiner();
        this.output = output;
        this.services = services;
    }

    private static final class GroupKey {
        final byte[] key;
        final BoundedWindow window;
        final int hash;

        GroupKey(byte[] key, BoundedWindow window) {
            this.key = key;
            this.window = window;
            this.hash = Arrays.hashCode(key) * 31 + window.hashCode();
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof GroupKey that && Arrays.equals(key, that.key) && window.equals(that.window);
        }
    }

    private static final class Group {
        final Object key;
        Object accumulator;
        Instant timestamp;

        Group(Object key, Object accumulator, Instant timestamp) {
            this.key = key;
            this.accumulator = accumulator;
            this.timestamp = timestamp;
        }
    }

    @Override
    public boolean outputsAtBundleEnd() {
        return true;
    }

    @Override
    public void accept(WindowedValue<?> element) {
        KV<?, ?> value = (KV<?, ?>) element.getValue();
        byte[] key = encoded(value.getKey());
        for (BoundedWindow window : element.getWindows()) {
            boolean late = window.maxTimestamp().getMillis() < services.outputWatermarkMillis();
            Instant timestamp = timestamps.assign(window, element.getTimestamp());
            if (late) {
                Object accumulator = combine.addInput(combine.createAccumulator(), value.getValue());
                emit(value.getKey(), accumulator, timestamp, window);
                continue;
            }
            GroupKey groupKey = new GroupKey(key, window);
            Group group = groups.get(groupKey);
            if (group == null) {
                group = new Group(value.getKey(), combine.createAccumulator(), timestamp);
                groups.put(groupKey, group);
            } else {
                group.timestamp = timestamps.combine(group.timestamp, timestamp);
            }
            group.accumulator = combine.addInput(group.accumulator, value.getValue());
        }
        if (groups.size() >= MAX_GROUPS) {
            flush();
        }
    }

    private byte[] encoded(Object key) {
        keyBuffer.reset();
        try {
            keyCoder.encode(key, keyBuffer, Coder.Context.OUTER);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "the key " + key + " can not be encoded by " + keyCoder + ": " + e.getMessage(), e);
        }
        return keyBuffer.toByteArray();
    }

    private void emit(Object key, Object accumulator, Instant timestamp, BoundedWindow window) {
        output.accept(
                WindowedValues.of(KV.of(key, combine.compact(accumulator)), timestamp, window, PaneInfo.NO_FIRING));
    }

    @Override
    public void flush() {
        groups.forEach((groupKey, group) -> emit(group.key, group.accumulator, group.timestamp, groupKey.window));
        groups.clear();
    }
}
