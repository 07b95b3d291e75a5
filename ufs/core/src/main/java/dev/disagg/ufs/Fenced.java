// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import org.jspecify.annotations.Nullable;

/** Another process has taken over this job: stop, without writing anything more. */
public final class Fenced extends DisaggException {
    private static final long serialVersionUID = 1L;

    public Fenced(String message) {
        this(message, null);
    }

    public Fenced(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
