// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The cells of one row: sorted arrays while there are few, a sorted map once there are many (collections). */
final class SlotMap {
    private static final int FEW = 16;

    private byte[][] keys = new byte[2][];
    private Slot[] slots = new Slot[2];
    private int size;
    private @Nullable TreeMap<byte[], Slot> many;

    @Nullable
    Slot get(byte[] key) {
        if (many != null) {
            return many.get(key);
        }
        int index = find(key);
        return index >= 0 ? slots[index] : null;
    }

    void put(byte[] key, Slot slot) {
        if (many != null) {
            many.put(key, slot);
            return;
        }
        int index = find(key);
        if (index >= 0) {
            slots[index] = slot;
            return;
        }
        if (size == FEW) {
            spill();
            put(key, slot);
            return;
        }
        if (size == keys.length) {
            keys = Arrays.copyOf(keys, Math.min(FEW, size * 2));
            slots = Arrays.copyOf(slots, keys.length);
        }
        int at = -index - 1;
        System.arraycopy(keys, at, keys, at + 1, size - at);
        System.arraycopy(slots, at, slots, at + 1, size - at);
        keys[at] = key;
        slots[at] = slot;
        size++;
    }

    private void spill() {
        TreeMap<byte[], Slot> map = new TreeMap<>(Arrays::compareUnsigned);
        for (int i = 0; i < size; i++) {
            map.put(keys[i], slots[i]);
        }
        many = map;
        keys = new byte[0][];
        slots = new Slot[0];
        size = 0;
    }

    /** Index of {@code key}, or {@code -(insertion point) - 1}. */
    private int find(byte[] key) {
        int low = 0;
        int high = size - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int order = Arrays.compareUnsigned(keys[middle], key);
            if (order == 0) {
                return middle;
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -low - 1;
    }

    /** Visits cells from {@code from} in order until the visitor says stop; false when it did. */
    boolean visit(byte[] from, boolean inclusive, Visitor visitor) {
        if (many != null) {
            NavigableMap<byte[], Slot> tail = many.tailMap(from, inclusive);
            for (Map.Entry<byte[], Slot> entry : tail.entrySet()) {
                if (!visitor.visit(entry.getKey(), entry.getValue())) {
                    return false;
                }
            }
            return true;
        }
        int index = find(from);
        for (int i = index < 0 ? -index - 1 : inclusive ? index : index + 1; i < size; i++) {
            if (!visitor.visit(keys[i], slots[i])) {
                return false;
            }
        }
        return true;
    }

    interface Visitor {
        /** False to stop. */
        boolean visit(byte[] key, Slot slot);
    }
}
