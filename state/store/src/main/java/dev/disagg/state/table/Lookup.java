// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import org.jspecify.annotations.Nullable;

/**
 * The answer of a table about one key.
 *
 * @param entry the entry, or null: the table has none for the key
 */
public record Lookup(@Nullable TableEntry entry) {
    /** The table has no entry for the key. */
    public static final Lookup ABSENT = new Lookup(null);
}
