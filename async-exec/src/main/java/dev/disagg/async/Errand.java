// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import org.jspecify.annotations.Nullable;

/** Something that a spare does as the leader, for the leader that waits for it meanwhile. */
final class Errand {
    final Worker caller;
    private final Runnable body;
    private @Nullable Throwable thrown;

    Errand(Worker caller, Runnable body) {
        this.caller = caller;
        this.body = body;
    }

    /** The spare: what is thrown is kept for the caller. */
    void run() {
        try {
            body.run();
        } catch (Throwable t) {
            thrown = t;
        }
    }

    /** Its worker was left behind in it. */
    void fail(Throwable cause) {
        thrown = cause;
    }

    /** The caller, once it leads again. */
    void rethrow() {
        if (thrown != null) {
            Errand.<RuntimeException>raise(thrown);
        }
    }

    /** A runnable may throw a checked exception too, from a language that has none: it is passed on as it is. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> void raise(Throwable thrown) throws E {
        throw (E) thrown;
    }
}
