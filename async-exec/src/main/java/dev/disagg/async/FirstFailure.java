// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Why a task ends before its time: the first failure, or that it was closed. Thread-safe. */
final class FirstFailure {
    /** How far a cause chain is followed; wrappers of user code nest a few levels. */
    private static final int MAX_CAUSES = 32;

    private final String taskName;
    private final TaskFailed closed;
    private final AtomicReference<@Nullable TaskFailed> first = new AtomicReference<>();
    /** As {@code first}; written after it, and one read less in what every computation asks. */
    private volatile boolean set;

    private final AtomicBoolean told = new AtomicBoolean();

    FirstFailure(String taskName) {
        this.taskName = taskName;
        this.closed = new TaskFailed("task " + taskName + " was closed", null);
    }

    /** Whether the task has failed or was closed. */
    boolean isSet() {
        return set;
    }

    /** The failure to end with; null when there is none or the task was closed. */
    @Nullable
    TaskFailed failure() {
        TaskFailed failed = first.get();
        return failed == closed ? null : failed;
    }

    void set(String what, Throwable cause) {
        TaskFailed failed = describe(what, cause);
        if (!first.compareAndSet(null, failed)) {
            alsoSeen(cause);
        }
        set = true;
    }

    private TaskFailed describe(String what, Throwable cause) {
        try {
            return new TaskFailed("task " + taskName + ": " + what + ": " + cause, cause);
        } catch (OutOfMemoryError | StackOverflowError e) {
            return new TaskFailed(what, cause);
        }
    }

    void close() {
        first.compareAndSet(null, closed);
        set = true;
    }

    /** Throws if the task has ended. */
    void check() {
        TaskFailed failed = first.get();
        if (failed != null) {
            throw new TaskFailed("nothing may go on: " + failed.getMessage(), failed);
        }
    }

    /** The failure, to the one caller that must tell it; null for all others. */
    @Nullable
    TaskFailed takeUntold() {
        TaskFailed failed = failure();
        return failed != null && told.compareAndSet(false, true) ? failed : null;
    }

    /** Keeps a later failure with the first, unless it only says that the task has failed. */
    void alsoSeen(Throwable later) {
        TaskFailed failed = failure();
        if (failed == null || later == failed.getCause()) {
            return;
        }
        Throwable cause = later;
        for (int i = 0; i < MAX_CAUSES && cause != null; i++) {
            if (cause instanceof TaskFailed) {
                return;
            }
            cause = cause.getCause();
        }
        failed.addSuppressed(later);
    }
}
