// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.util.Arrays;

/**
 * One entry of a table. The arrays are the reader's own copies; neither side modifies them.
 *
 * @param key user key, compared as unsigned bytes
 * @param kind what the entry does
 * @param value empty for {@link EntryKind#DELETE}
 */
public record TableEntry(byte[] key, EntryKind kind, byte[] value) {
    @Override
    public boolean equals(Object other) {
        return other instanceof TableEntry that
                && kind == that.kind
                && Arrays.equals(key, that.key)
                && Arrays.equals(value, that.value);
    }

    @Override
    public int hashCode() {
        return (Arrays.hashCode(key) * 31 + kind.code()) * 31 + Arrays.hashCode(value);
    }
}
