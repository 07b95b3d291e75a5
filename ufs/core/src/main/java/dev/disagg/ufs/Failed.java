// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import org.jspecify.annotations.Nullable;

/** Anything else that ends the work: user code threw, a bug, an interrupt. */
public final class Failed extends DisaggException {
    private static final long serialVersionUID = 1L;

    public Failed(String message) {
        this(message, null);
    }

    public Failed(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
