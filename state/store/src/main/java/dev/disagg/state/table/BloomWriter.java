// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.util.Arrays;

/** Collects the hashes of a table's keys and extra entries, and builds the filter at the end, when their number is known. */
final class BloomWriter {
    private final int bitsPerKey;
    private long[] hashes = new long[1024];
    private int count;
    private long lastExtra;
    private boolean hasExtra;

    BloomWriter(int bitsPerKey) {
        this.bitsPerKey = bitsPerKey;
    }

    void addKey(long hash) {
        if (count == hashes.length) {
            hashes = Arrays.copyOf(hashes, 2 * count);
        }
        hashes[count++] = hash;
    }

    /** Adds an entry that is no key, unless it repeats the previous one of its sort. */
    void addExtra(long hash) {
        if (!hasExtra || hash != lastExtra) {
            hasExtra = true;
            lastExtra = hash;
            addKey(hash);
        }
    }

    int count() {
        return count;
    }

    int sizeBytes() {
        return Bloom.META_BYTES + lines() * Bloom.LINE_BYTES;
    }

    private int lines() {
        long bits = (long) count * bitsPerKey;
        return (int) Math.max(1, (bits + 8 * Bloom.LINE_BYTES - 1) / (8 * Bloom.LINE_BYTES));
    }

    /** About ln 2 times the bits per key, less because the bits of one hash share a line. */
    private static int probes(int bitsPerKey) {
        return Math.max(1, Math.min(30, Math.round(bitsPerKey * 0.6f)));
    }

    byte[] finish() {
        byte[] filter = new byte[sizeBytes()];
        int meta = filter.length - Bloom.META_BYTES;
        filter[meta] = (byte) 0xff;
        filter[meta + 2] = (byte) probes(bitsPerKey);
        Bloom bloom = Bloom.of(filter, 0, filter.length);
        for (int i = 0; i < count; i++) {
            bloom.add(hashes[i]);
        }
        return filter;
    }
}
