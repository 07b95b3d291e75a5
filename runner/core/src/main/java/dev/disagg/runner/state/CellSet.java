// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.state;

import java.util.List;
import org.apache.beam.sdk.state.ReadableState;
import org.apache.beam.sdk.state.SetState;

/** A set; each element is a cell entry of its own. */
record CellSet<T>(Collected entries, CoderCodec<T> elements) implements SetState<T> {
    private static final byte[] PRESENT = new byte[0];

    @Override
    public ReadableState<Boolean> contains(T element) {
        byte[] sub = elements.bytes(element);
        return new CellMap.Deferred<>(entries.state(), () -> entries.get(sub) != null);
    }

    @Override
    public ReadableState<Boolean> addIfAbsent(T element) {
        byte[] sub = elements.bytes(element);
        return new CellMap.Deferred<>(entries.state(), () -> {
            boolean absent = entries.get(sub) == null;
            if (absent) {
                entries.put(sub, PRESENT);
            }
            return absent;
        });
    }

    @Override
    public void remove(T element) {
        entries.delete(elements.bytes(element));
    }

    @Override
    public void add(T element) {
        entries.put(elements.bytes(element), PRESENT);
    }

    @Override
    public ReadableState<Boolean> isEmpty() {
        return CellValue.readable(entries::isEmpty);
    }

    @Override
    public List<T> read() {
        return entries.all().stream().map(entry -> elements.value(entry.sub())).toList();
    }

    @Override
    public SetState<T> readLater() {
        entries.readLater();
        return this;
    }

    @Override
    public void clear() {
        entries.clear();
    }
}
