// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.ufs.Corrupt;
import dev.disagg.ufs.DisaggException;
import dev.disagg.ufs.Failed;
import dev.disagg.ufs.Unavailable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Failures of reads and background work, said with the store's owner. */
final class ReadFailure {
    private ReadFailure() {}

    /** The future, failing with one of this project's kinds that names {@code owner}. */
    static <T> CompletableFuture<T> named(String owner, CompletableFuture<T> future) {
        CompletableFuture<T> named = new CompletableFuture<>();
        future.whenComplete((value, failure) -> {
            if (failure == null) {
                named.complete(value);
            } else {
                named.completeExceptionally(of(owner, failure));
            }
        });
        return named;
    }

    static DisaggException of(String owner, Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        String what = "state of " + owner + ": " + cause.getMessage();
        if (cause instanceof Corrupt) {
            return new Corrupt(what + (what.contains("restore") ? "" : ": restore from another checkpoint"), cause);
        }
        if (cause instanceof Unavailable) {
            return new Unavailable(what, cause);
        }
        if (cause instanceof DisaggException known) {
            return known;
        }
        return new Failed("state of " + owner + ": " + cause, cause);
    }
}
