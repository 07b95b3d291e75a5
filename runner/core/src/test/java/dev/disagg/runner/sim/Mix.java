// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

/** Hashing of longs. */
final class Mix {
    private Mix() {}

    static long of(long a, long b) {
        return of(a, b, 0);
    }

    static long of(long a, long b, long c) {
        long h = a * 0x9E3779B97F4A7C15L ^ Long.rotateLeft(b, 23) * 0xBF58476D1CE4E5B9L ^ Long.rotateLeft(c, 47);
        h = (h ^ h >>> 31) * 0x94D049BB133111EBL;
        return h ^ h >>> 29;
    }
}
