// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Turns futures of this module into values, and their failures into the kinds of {@link DisaggException}. */
public final class Await {
    /** Far above what retries take; a future that is still open then will never complete. */
    private static final long BOUND_MINUTES = 10;

    private Await() {}

    /**
     * Blocks until {@code future} completes; never call it on a thread of a store.
     *
     * @param what what is waited for, for the message
     * @throws DisaggException what the future failed with; {@link Unavailable} after ten minutes; {@link Failed} when
     *     interrupted (the flag is set again)
     */
    public static <T extends @Nullable Object> T get(CompletableFuture<T> future, String what) {
        try {
            return future.get(BOUND_MINUTES, TimeUnit.MINUTES);
        } catch (ExecutionException e) {
            throw kind(e);
        } catch (TimeoutException e) {
            throw new Unavailable(
                    what + ": no answer within " + BOUND_MINUTES + " minutes; is the store reachable?", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failed(what + ": interrupted while waiting", e);
        }
    }

    /** The kind inside the wrappers of {@code java.util.concurrent}; anything unknown becomes {@link Failed}. */
    public static DisaggException kind(Throwable error) {
        Throwable inner = error;
        while ((inner instanceof CompletionException || inner instanceof ExecutionException)
                && inner.getCause() != null) {
            inner = inner.getCause();
        }
        return inner instanceof DisaggException known ? known : new Failed("unexpected: " + inner, inner);
    }
}
