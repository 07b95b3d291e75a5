// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The names of the objects that a record's ranges are in, each stored once: sorted, and each as what differs from the
 * one before. A range is then an index and two numbers.
 */
final class ObjectTable {
    /** Shared length, own length, and at least one own byte: sorted names are distinct. */
    private static final int MIN_NAME_BYTES = 3;

    private static final int MIN_RANGE_BYTES = 3;

    private final List<String> names;
    private final Map<String, Integer> indexes = new HashMap<>();

    private ObjectTable(List<String> names) {
        this.names = names;
        for (int i = 0; i < names.size(); i++) {
            indexes.put(names.get(i), i);
        }
    }

    static ObjectTable of(Iterable<ObjectRange> ranges) {
        TreeSet<String> distinct = new TreeSet<>();
        ranges.forEach(range -> distinct.add(range.object()));
        return new ObjectTable(List.copyOf(distinct));
    }

    void write(RecordWriter to) {
        to.varint(names.size());
        byte[] before = {};
        for (String name : names) {
            byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
            int shared = Arrays.mismatch(before, bytes);
            to.varint(shared);
            to.varint(bytes.length - shared);
            to.raw(bytes, shared, bytes.length - shared);
            before = bytes;
        }
    }

    static ObjectTable read(RecordReader from) {
        int count = from.count(MIN_NAME_BYTES);
        List<String> names = new ArrayList<>(count);
        byte[] before = {};
        for (int i = 0; i < count; i++) {
            long shared = from.varint();
            if (shared > before.length) {
                throw from.corrupt("object name " + i + " shares " + shared + " bytes with one of " + before.length);
            }
            byte[] own = from.bytes();
            byte[] name = Arrays.copyOf(before, (int) shared + own.length);
            System.arraycopy(own, 0, name, (int) shared, own.length);
            names.add(new String(name, StandardCharsets.UTF_8));
            if (!ObjectNames.isValid(names.get(i))) {
                throw from.corrupt("object name " + i + " is not a name: '" + names.get(i) + "'");
            }
            before = name;
        }
        return new ObjectTable(names);
    }

    void writeRange(RecordWriter to, ObjectRange range) {
        Integer index = indexes.get(range.object());
        if (index == null) {
            throw new Failed("object '" + range.object() + "' is not in its record's table; this is a bug");
        }
        to.varint(index);
        to.varint(range.offset());
        to.varint(range.length());
    }

    ObjectRange readRange(RecordReader from) {
        long index = from.varint();
        if (index >= names.size()) {
            throw from.corrupt("a range names object " + index + " of " + names.size());
        }
        return new ObjectRange(names.get((int) index), from.varint(), from.varint());
    }

    void writeRanges(RecordWriter to, List<ObjectRange> ranges) {
        to.varint(ranges.size());
        ranges.forEach(range -> writeRange(to, range));
    }

    List<ObjectRange> readRanges(RecordReader from) {
        int count = from.count(MIN_RANGE_BYTES);
        List<ObjectRange> ranges = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            ranges.add(readRange(from));
        }
        return List.copyOf(ranges);
    }
}
