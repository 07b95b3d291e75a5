// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import org.jspecify.annotations.Nullable;

/** The caller asked for something that can never work: change the request. */
public final class Invalid extends DisaggException {
    private static final long serialVersionUID = 1L;

    public Invalid(String message) {
        this(message, null);
    }

    public Invalid(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
