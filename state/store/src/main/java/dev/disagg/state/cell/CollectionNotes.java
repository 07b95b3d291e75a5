// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import dev.disagg.state.cell.CollectionCell.Sub;
import dev.disagg.ufs.Corrupt;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The scalar entry of a collection: a log of operands {@code [length varint][kind 1][...]}, folded from its beginning.
 * Usually it is one GENERATION; blind writes append to it. The codes are stored: never change one.
 */
final class CollectionNotes {
    private static final byte GENERATION = 1;
    private static final byte PUT = 2;
    private static final byte DELETE = 3;
    private static final byte CLEAR = 4;
    private static final byte DEBRIS = 5;

    long generation;
    final List<Long> debris = new ArrayList<>();
    final Map<Sub, byte @Nullable []> writes = new LinkedHashMap<>();
    private boolean blind;

    static CollectionNotes parse(byte[] log) {
        CollectionNotes notes = new CollectionNotes();
        for (Operands each = new Operands(log, 0, log.length); each.advance(); ) {
            notes.apply(log, each.start(), each.length());
        }
        return notes;
    }

    /** Whether writing it anew would make it shorter. */
    boolean compactible() {
        return blind;
    }

    static void clear(ByteSink log) {
        log.writeVarint(1);
        log.write(CLEAR);
    }

    static void state(ByteSink log, long generation, List<Long> debris) {
        if (generation != 0) {
            log.writeVarint(9);
            log.write(GENERATION);
            log.writeLong(generation);
        }
        for (long old : debris) {
            log.writeVarint(9);
            log.write(DEBRIS);
            log.writeLong(old);
        }
    }

    static void write(ByteSink log, byte[] sub, byte @Nullable [] value) {
        log.writeVarint(Math.addExact(5 + sub.length, value == null ? 0 : value.length));
        log.write(value == null ? DELETE : PUT);
        log.writeInt(sub.length);
        log.writeAll(sub);
        if (value != null) {
            log.writeAll(value);
        }
    }

    private void apply(byte[] log, int at, int length) {
        byte kind = length == 0 ? 0 : log[at];
        switch (kind) {
            case GENERATION, DEBRIS -> {
                require(length == 9);
                long number = KeyLayout.getLong(log, at + 1);
                if (kind == GENERATION) {
                    generation = number;
                } else {
                    debris.add(number);
                }
            }
            case CLEAR -> {
                blind = true;
                writes.clear();
                if (generation != 0) {
                    debris.add(generation);
                }
                generation = 0;
            }
            case PUT, DELETE -> {
                blind = true;
                require(length >= 5);
                int subBytes = KeyLayout.getInt(log, at + 1);
                require(subBytes >= 0 && subBytes <= length - 5);
                int valueAt = at + 5 + subBytes;
                Sub sub = new Sub(Arrays.copyOfRange(log, at + 5, valueAt));
                writes.put(sub, kind == DELETE ? null : Arrays.copyOfRange(log, valueAt, at + length));
            }
            default -> require(false);
        }
    }

    private static void require(boolean sound) {
        if (!sound) {
            throw new Corrupt("the stored log of a collection has a broken entry; restore from an earlier checkpoint");
        }
    }
}
