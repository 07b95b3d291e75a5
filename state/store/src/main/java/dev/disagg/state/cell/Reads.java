// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** What the leader does with the future of a read. */
final class Reads {
    static final CompletableFuture<?> ANSWERED = CompletableFuture.completedFuture(null);

    private Reads() {}

    /** The value of a complete future; the failure of a read as it was thrown. */
    static <T> T value(CompletableFuture<T> done) {
        try {
            return done.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw e;
        }
    }
}
