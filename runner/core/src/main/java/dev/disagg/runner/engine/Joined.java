// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.engine;

import dev.disagg.ufs.Failed;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Waits for futures of the store, on threads that may wait, and throws what they failed with. */
final class Joined {
    private Joined() {}

    static <T> T get(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            throw cause(e);
        }
    }

    /** The failure behind a completed stage. */
    static RuntimeException cause(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof RuntimeException known ? known : new Failed(String.valueOf(cause.getMessage()), cause);
    }

    /** Ends {@code to} as {@code from} ends, with the cause when it fails. */
    static void pass(CompletableFuture<Void> from, CompletableFuture<Void> to) {
        from.whenComplete((done, failure) -> {
            if (failure != null) {
                to.completeExceptionally(cause(failure));
            } else {
                to.complete(null);
            }
        });
    }
}
