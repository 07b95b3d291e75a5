// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import java.util.Arrays;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One row: its prefix, and its cells in a sorted array while there are few, in a sorted map once there are many
 * (collections). Rows are compared by their prefixes.
 */
final class SlotMap implements Comparable<SlotMap> {
    private static final int FEW = 16;

    /** One of the row's keys, which the prefix is the begin of. */
    private final byte[] prefix;

    private final int prefixLength;
    /** The first bytes of the prefix: nearly always enough to compare by. */
    private final long first;

    private int size;
    private Slot[] slots = new Slot[1];
    private @Nullable TreeMap<byte[], Slot> many;

    /** @param prefix may be longer */
    SlotMap(byte[] prefix, int prefixLength) {
        this.prefix = prefix;
        this.prefixLength = prefixLength;
        this.first = RowTable.longAt(prefix, 0);
    }

    boolean isRow(byte[] otherPrefix, int length) {
        return Arrays.equals(prefix, 0, prefixLength, otherPrefix, 0, length);
    }

    /** Whether the row may have keys in {@code [from, to)}. */
    boolean mayHoldKeysOf(byte[] from, byte @Nullable [] to) {
        if (to != null && Arrays.compareUnsigned(prefix, 0, prefixLength, to, 0, to.length) >= 0) {
            return false;
        }
        int common = Math.min(prefixLength, from.length);
        return Arrays.compareUnsigned(prefix, 0, common, from, 0, common) >= 0;
    }

    @Override
    public int compareTo(SlotMap other) {
        int order = Long.compareUnsigned(first, other.first);
        return order != 0
                ? order
                : Arrays.compareUnsigned(prefix, 0, prefixLength, other.prefix, 0, other.prefixLength);
    }

    @Nullable
    Slot get(byte[] key) {
        if (many != null) {
            return many.get(key);
        }
        int index = find(key);
        return index >= 0 ? slots[index] : null;
    }

    void put(Slot slot) {
        if (many != null) {
            many.put(slot.key, slot);
            return;
        }
        int index = find(slot.key);
        if (index >= 0) {
            slots[index] = slot;
            return;
        }
        if (size == FEW) {
            spill();
            put(slot);
            return;
        }
        if (size == slots.length) {
            slots = Arrays.copyOf(slots, size * 2);
        }
        int at = -index - 1;
        System.arraycopy(slots, at, slots, at + 1, size - at);
        slots[at] = slot;
        size++;
    }

    private void spill() {
        TreeMap<byte[], Slot> map = new TreeMap<>(Arrays::compareUnsigned);
        for (int i = 0; i < size; i++) {
            map.put(slots[i].key, slots[i]);
        }
        many = map;
        slots = new Slot[0];
        size = 0;
    }

    /** Index of {@code key}, or {@code -(insertion point) - 1}. */
    private int find(byte[] key) {
        int low = 0;
        int high = size - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int order = Arrays.compareUnsigned(slots[middle].key, key);
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
            for (Slot slot : many.tailMap(from, inclusive).values()) {
                if (!visitor.visit(slot)) {
                    return false;
                }
            }
            return true;
        }
        int index = find(from);
        for (int i = index < 0 ? -index - 1 : inclusive ? index : index + 1; i < size; i++) {
            if (!visitor.visit(slots[i])) {
                return false;
            }
        }
        return true;
    }

    interface Visitor {
        /** False to stop. */
        boolean visit(Slot slot);
    }
}
