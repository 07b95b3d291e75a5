// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Entries for properties: keys that share prefixes, end in each other, and hold bytes that look like trailers. */
final class RandomEntries {
    private RandomEntries() {}

    /** About {@code count} entries, ascending; the shape of keys and values depends on the seed, too. */
    static List<TableEntry> of(long seed, int count) {
        SplittableRandom random = new SplittableRandom(seed);
        boolean deletes = random.nextBoolean();
        boolean merges = random.nextBoolean();
        int shape = random.nextInt(4);
        int maximumValueBytes = random.nextBoolean() ? 20 : 300;
        TreeMap<byte[], TableEntry> entries = new TreeMap<>(Arrays::compareUnsigned);
        byte[] previous = {};
        for (int i = 0; i < count; i++) {
            byte[] key = key(random, shape, previous);
            previous = key;
            int dice = random.nextInt(10);
            EntryKind kind =
                    deletes && dice == 0 ? EntryKind.DELETE : merges && dice == 1 ? EntryKind.MERGE : EntryKind.PUT;
            byte[] value = kind == EntryKind.DELETE ? new byte[0] : value(random, maximumValueBytes);
            entries.put(key, new TableEntry(key, kind, value));
        }
        return new ArrayList<>(entries.values());
    }

    static byte[] key(SplittableRandom random, int shape, byte[] previous) {
        switch (shape) {
            case 0: // anything, also empty
                byte[] any = new byte[random.nextInt(40)];
                random.nextBytes(any);
                return any;
            case 1: { // grows or shrinks the previous key by bytes that look like a trailer
                int kept = random.nextInt(Math.min(previous.length, 60) + 1);
                byte[] key = Arrays.copyOf(previous, kept + random.nextInt(12));
                for (int i = kept; i < key.length; i++) {
                    key[i] = (byte) (random.nextInt(4) == 0 ? random.nextInt(3) : 0);
                }
                return key;
            }
            case 2: { // counted
                byte[] key = new byte[16];
                Fixed.putInt64(key, 0, Long.reverseBytes(random.nextInt(100)));
                Fixed.putInt64(key, 8, Long.reverseBytes(random.nextInt(1_000_000)));
                return key;
            }
            default: { // few letters, up to 1 KiB
                byte[] key = new byte[random.nextInt(50) == 0 ? random.nextInt(1025) : random.nextInt(20)];
                for (int i = 0; i < key.length; i++) {
                    key[i] = (byte) (random.nextInt(6) == 0 ? 0xff : random.nextInt(3));
                }
                return key;
            }
        }
    }

    private static byte[] value(SplittableRandom random, int maximumBytes) {
        byte[] value = new byte[random.nextInt(8) == 0 ? 0 : random.nextInt(maximumBytes)];
        if (random.nextBoolean()) {
            random.nextBytes(value);
        } else {
            Arrays.fill(value, (byte) random.nextInt(256));
        }
        return value;
    }
}
