// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import org.jspecify.annotations.Nullable;

/** Stored bytes are not what was written: restore from another checkpoint; nothing was changed. */
public final class Corrupt extends DisaggException {
    private static final long serialVersionUID = 1L;

    public Corrupt(String message) {
        this(message, null);
    }

    public Corrupt(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
