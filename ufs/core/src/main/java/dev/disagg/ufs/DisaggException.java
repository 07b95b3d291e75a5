// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import org.jspecify.annotations.Nullable;

/**
 * The root of the few kinds of error that this project throws, told apart by what a caller would do about them.
 * Every message says what, where, and what to do.
 */
public abstract sealed class DisaggException extends RuntimeException
        permits Invalid, Unavailable, Fenced, Corrupt, Failed {
    private static final long serialVersionUID = 1L;

    DisaggException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
