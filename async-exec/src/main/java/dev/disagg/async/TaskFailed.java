// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import org.jspecify.annotations.Nullable;

/**
 * The task has failed or was closed: nothing may go on. Thrown into parked computations and by
 * {@link AsyncTask#checkFailed}; the cause is the first failure.
 */
public final class TaskFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TaskFailed(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
