// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One computation waiting for one value inside its body; posted when the value is there. One object per wait, because the
 * value of an abandoned wait may come much later.
 */
final class Wait extends Mail implements BiConsumer<@Nullable Object, @Nullable Throwable> {
    final Worker worker;
    final Computation computation;
    final CompletableFuture<?> future;
    private final Mailbox mailbox;
    /** Nobody is parked on it any more; the leader's. */
    boolean cancelled;

    Wait(Worker worker, Computation computation, CompletableFuture<?> future, Mailbox mailbox) {
        this.worker = worker;
        this.computation = computation;
        this.future = future;
        this.mailbox = mailbox;
    }

    /** The value is there. After the task has ended nobody waits for it, and the mailbox does not take it. */
    @Override
    public void accept(@Nullable Object value, @Nullable Throwable failure) {
        mailbox.post(this);
    }
}
