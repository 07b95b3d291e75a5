// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import java.util.Arrays;

/**
 * A key with at least one due timer; its state may be cold.
 *
 * @param hash {@link KeyHash} of the key
 * @param key the encoded key; not modified
 */
public record DueKey(long hash, byte[] key) {
    @Override
    public boolean equals(Object other) {
        return other instanceof DueKey k && hash == k.hash && Arrays.equals(key, k.key);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(hash);
    }

    @Override
    public String toString() {
        return "DueKey[" + KeyLayout.hex(key) + "]";
    }
}
