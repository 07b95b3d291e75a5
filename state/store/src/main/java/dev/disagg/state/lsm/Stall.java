// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.ufs.Failed;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Back-pressure of writes: a bounded wait for background work that is behind. Counted. The leader's. */
final class Stall {
    private final String owner;
    private final long boundMillis;
    private long waits;
    private long timeouts;

    Stall(String owner, long boundMillis) {
        this.owner = owner;
        this.boundMillis = boundMillis;
    }

    /** Waits for {@code work}, if there is any; its failure is reported where its result is taken over. */
    void await(@Nullable CompletableFuture<Void> work) {
        if (work == null || work.isDone()) {
            return;
        }
        waits++;
        try {
            work.get(boundMillis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            timeouts++;
        } catch (ExecutionException e) {
            throw ReadFailure.of(owner, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failed("write to the state of " + owner + " was interrupted while it waited for a flush", e);
        }
    }

    long waits() {
        return waits;
    }

    long timeouts() {
        return timeouts;
    }
}
