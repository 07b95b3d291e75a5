// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import dev.disagg.ufs.Invalid;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Numbers of cells. A number is a hash of its names, so that tasks, parents and pipelines agree on it without asking; the
 * dictionary in the checkpoint is there for readers and to find two names with one number. See
 * {@code docs/format/cell-dictionary.md}.
 */
final class CellDictionary {
    private final TreeMap<Integer, Name> names = new TreeMap<>();
    private final Map<Name, Integer> numbers = new HashMap<>();

    int number(String step, String stateId) {
        Name name = new Name(step, stateId);
        Integer known = numbers.get(name);
        if (known != null) {
            return known;
        }
        int number = hash(name);
        add(number, name);
        return number;
    }

    /** From a checkpoint. */
    void add(int number, Name name) {
        if (number != hash(name)) {
            throw new Invalid("checkpoint numbers " + name + " " + Integer.toUnsignedString(number)
                    + ", which is not its number: it was written by an incompatible version");
        }
        Name other = names.putIfAbsent(number, name);
        if (other != null && !other.equals(name)) {
            throw new Invalid(name + " and " + other + " have the same number " + Integer.toUnsignedString(number)
                    + ": rename the state or the step of one of them");
        }
        numbers.put(name, number);
    }

    /** By number. */
    Map<Integer, Name> names() {
        return names;
    }

    String name(int number) {
        @Nullable Name name = names.get(number);
        return name == null ? Integer.toUnsignedString(number) : name.toString();
    }

    static int hash(Name name) {
        byte[] step = name.step.getBytes(StandardCharsets.UTF_8);
        ByteSink bytes = new ByteSink(64);
        bytes.writeVarint(step.length);
        bytes.writeAll(step);
        bytes.writeAll(name.stateId.getBytes(StandardCharsets.UTF_8));
        int number = (int) (KeyHash.of(bytes.copy()) >>> 32);
        // Moved out of the layout's own numbers.
        return Integer.compareUnsigned(number, KeyLayout.FIRST_RESERVED) >= 0 ? number & 0x7FFF_FFFF : number;
    }

    record Name(String step, String stateId) {
        @Override
        public String toString() {
            return "'" + stateId + "' of '" + step + "'";
        }
    }
}
