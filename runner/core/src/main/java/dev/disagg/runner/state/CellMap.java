// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.state;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.beam.sdk.state.MapState;
import org.apache.beam.sdk.state.ReadableState;
import org.jspecify.annotations.Nullable;

/** A map; each entry is a cell entry of its own. */
record CellMap<K, V>(Collected stored, CoderCodec<K> keyCodec, CoderCodec<V> valueCodec) implements MapState<K, V> {
    @Override
    public void put(K key, V value) {
        stored.put(keyCodec.bytes(key), valueCodec.bytes(value));
    }

    @Override
    public ReadableState<V> computeIfAbsent(K key, Function<? super K, ? extends V> mapping) {
        return new Deferred<>(stored.state(), () -> {
            byte[] sub = keyCodec.bytes(key);
            byte[] found = stored.get(sub);
            if (found != null) {
                return valueCodec.value(found);
            }
            V computed = mapping.apply(key);
            if (computed != null) {
                stored.put(sub, valueCodec.bytes(computed));
            }
            return null;
        });
    }

    @Override
    public void remove(K key) {
        stored.delete(keyCodec.bytes(key));
    }

    @Override
    public ReadableState<V> get(K key) {
        return getOrDefault(key, null);
    }

    @Override
    public ReadableState<V> getOrDefault(K key, @Nullable V defaultValue) {
        byte[] sub = keyCodec.bytes(key);
        return new ReadableState<>() {
            @Override
            public @Nullable V read() {
                byte[] found = stored.get(sub);
                return found == null ? defaultValue : valueCodec.value(found);
            }

            @Override
            public ReadableState<V> readLater() {
                stored.readLater(sub);
                return this;
            }
        };
    }

    @Override
    public ReadableState<Iterable<K>> keys() {
        return CellValue.readable(() ->
                stored.all().stream().map(entry -> keyCodec.value(entry.sub())).toList());
    }

    @Override
    public ReadableState<Iterable<V>> values() {
        return CellValue.readable(() -> stored.all().stream()
                .map(entry -> valueCodec.value(entry.value()))
                .toList());
    }

    @Override
    public ReadableState<Iterable<Map.Entry<K, V>>> entries() {
        return CellValue.readable(() -> {
            List<Map.Entry<K, V>> all = new ArrayList<>();
            stored.all()
                    .forEach(entry -> all.add(new java.util.AbstractMap.SimpleImmutableEntry<>(
                            keyCodec.value(entry.sub()), valueCodec.value(entry.value()))));
            return all;
        });
    }

    @Override
    public ReadableState<Boolean> isEmpty() {
        return CellValue.readable(stored::isEmpty);
    }

    @Override
    public void clear() {
        stored.clear();
    }

    /** An operation that depends on what is stored: done when its result is read, at the latest at the end of the body. */
    static final class Deferred<T> implements ReadableState<T> {
        private final StepState state;
        private boolean done;
        private @Nullable T result;

        Deferred(StepState state, Supplier<T> operation) {
            this.state = state;
            state.defer(() -> {
                result = operation.get();
                done = true;
            });
        }

        @Override
        public @Nullable T read() {
            if (!done) {
                state.settle();
            }
            return result;
        }

        @Override
        public ReadableState<T> readLater() {
            return this;
        }
    }
}
