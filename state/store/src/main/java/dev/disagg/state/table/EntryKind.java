// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import org.jspecify.annotations.Nullable;

/** What an entry does to its key. The codes are RocksDB's value types: stored, never to change. */
public enum EntryKind {
    /** The value is the value. */
    PUT(1),
    /** The key is gone; older tables are not asked. The value is empty. */
    DELETE(0),
    /** The value is appended to what older tables hold. */
    MERGE(2);

    private final int code;

    EntryKind(int code) {
        this.code = code;
    }

    /** The stored number. */
    int code() {
        return code;
    }

    /** The kind with this stored number, or null when it is none that this format has. */
    static @Nullable EntryKind ofCode(int code) {
        return switch (code) {
            case 0 -> DELETE;
            case 1 -> PUT;
            case 2 -> MERGE;
            default -> null;
        };
    }
}
