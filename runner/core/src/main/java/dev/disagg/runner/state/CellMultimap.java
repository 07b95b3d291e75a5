// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.state;

import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.state.MultimapState;
import org.apache.beam.sdk.state.ReadableState;

/** A multimap: per key, the list of its values. */
record CellMultimap<K, V>(Collected stored, CoderCodec<K> keyCodec, CoderCodec<V> valueCodec)
        implements MultimapState<K, V> {
    @Override
    public void put(K key, V value) {
        byte[] sub = keyCodec.bytes(key);
        List<V> list = list(sub);
        list.add(value);
        stored.put(sub, Lists.encode(list, valueCodec));
    }

    private List<V> list(byte[] sub) {
        byte[] found = stored.get(sub);
        return found == null ? new ArrayList<>() : Lists.decode(found, valueCodec);
    }

    @Override
    public ReadableState<Iterable<V>> get(K key) {
        byte[] sub = keyCodec.bytes(key);
        return CellValue.readable(() -> list(sub));
    }

    @Override
    public void remove(K key) {
        stored.delete(keyCodec.bytes(key));
    }

    @Override
    public ReadableState<Iterable<K>> keys() {
        return CellValue.readable(() ->
                stored.all().stream().map(entry -> keyCodec.value(entry.sub())).toList());
    }

    @Override
    public ReadableState<Iterable<Map.Entry<K, V>>> entries() {
        return CellValue.readable(() -> {
            List<Map.Entry<K, V>> all = new ArrayList<>();
            stored.all()
                    .forEach(entry -> Lists.decode(entry.value(), valueCodec)
                            .forEach(value -> all.add(
                                    new AbstractMap.SimpleImmutableEntry<>(keyCodec.value(entry.sub()), value))));
            return all;
        });
    }

    @Override
    public ReadableState<Boolean> containsKey(K key) {
        byte[] sub = keyCodec.bytes(key);
        return CellValue.readable(() -> stored.get(sub) != null);
    }

    @Override
    public ReadableState<Boolean> isEmpty() {
        return CellValue.readable(stored::isEmpty);
    }

    @Override
    public void clear() {
        stored.clear();
    }
}
