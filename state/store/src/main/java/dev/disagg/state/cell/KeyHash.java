// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import net.jpountz.xxhash.XXHash64;
import net.jpountz.xxhash.XXHashFactory;

/** The 64-bit xxHash (seed 0) of an encoded key: placement, state and rescaling follow it. Stored: never changes. */
public final class KeyHash {
    // The Java implementations: the native one loses on short keys, and is not there on every platform.
    private static final XXHash64 XX_HASH = XXHashFactory.fastestJavaInstance().hash64();

    private KeyHash() {}

    /** Hash of the whole array. Thread-safe. */
    public static long of(byte[] key) {
        return XX_HASH.hash(key, 0, key.length, 0);
    }
}
