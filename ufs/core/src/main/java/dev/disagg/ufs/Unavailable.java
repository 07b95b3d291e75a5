// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import org.jspecify.annotations.Nullable;

/** A store or peer did not answer, or said to come back: the same call may succeed later. */
public final class Unavailable extends DisaggException {
    private static final long serialVersionUID = 1L;

    public Unavailable(String message) {
        this(message, null);
    }

    public Unavailable(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
