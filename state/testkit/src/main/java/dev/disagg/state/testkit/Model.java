// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.testkit;

import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.state.lsm.Clip;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** What a store must answer: a sorted map per family. */
final class Model {
    final Map<Family, TreeMap<byte[], byte[]>> maps = new EnumMap<>(Family.class);

    Model() {
        for (Family family : Family.values()) {
            maps.put(family, new TreeMap<>(Arrays::compareUnsigned));
        }
    }

    Model copy() {
        Model copy = new Model();
        maps.forEach((family, map) -> copy.maps.get(family).putAll(map));
        return copy;
    }

    void append(Family family, byte[] key, byte[] tail) {
        byte[] before = maps.get(family).getOrDefault(key, new byte[0]);
        byte[] after = Arrays.copyOf(before, before.length + tail.length);
        System.arraycopy(tail, 0, after, before.length, tail.length);
        maps.get(family).put(key, after);
    }

    NavigableMap<byte[], byte[]> range(Family family, byte[] from, byte[] to) {
        TreeMap<byte[], byte[]> map = maps.get(family);
        return new TreeMap<>(to == null ? map.tailMap(from, true) : map.subMap(from, true, to, false));
    }

    /** The entries that a task of this range takes over. */
    void addClipped(Model other, KeyRange range) {
        other.maps.forEach((family, map) -> map.forEach((key, value) -> {
            if (Clip.holds(family, range, key)) {
                maps.get(family).putIfAbsent(key, value);
            }
        }));
    }
}
