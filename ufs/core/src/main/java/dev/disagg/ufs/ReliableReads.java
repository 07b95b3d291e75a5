// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Reads of objects that must exist, because something durable names them: repeated while the store is unavailable, cut
 * short, or does not show the object yet. Thread-safe.
 */
final class ReliableReads {
    private final ObjectStore store;
    private final Retries retries;

    ReliableReads(ObjectStore store, Retries retries) {
        this.store = store;
        this.retries = retries;
    }

    /** Exactly these bytes; {@link Corrupt} when the object stays absent or is too short. */
    CompletableFuture<ByteBuffer> read(String object, long offset, int length) {
        CompletableFuture<ByteBuffer> result = new CompletableFuture<>();
        CompletableFuture<ByteBuffer> first = ask(object, offset, length);
        first.whenComplete((bytes, error) -> {
            if (error == null && bytes.remaining() == length) {
                result.complete(bytes);
            } else {
                repeat(object, offset, length, first, result);
            }
        });
        return result;
    }

    private CompletableFuture<ByteBuffer> ask(String object, long offset, int length) {
        try {
            return store.read(object, offset, length);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** @param first what the first attempt came to, which was not what was asked for */
    private void repeat(
            String object,
            long offset,
            int length,
            CompletableFuture<ByteBuffer> first,
            CompletableFuture<ByteBuffer> result) {
        AtomicBoolean absent = new AtomicBoolean();
        AtomicBoolean begun = new AtomicBoolean();
        retries.call("read object '" + object + "'", () -> {
                    absent.set(false);
                    CompletableFuture<ByteBuffer> answer = begun.getAndSet(true) ? ask(object, offset, length) : first;
                    return judged(answer, object, offset, length, absent);
                })
                .whenComplete((bytes, error) -> {
                    if (error == null) {
                        result.complete(bytes);
                    } else if (absent.get()) {
                        result.completeExceptionally(new Corrupt(
                                "object '" + object + "' is named by a record but is not in the store;"
                                        + " restore from another checkpoint",
                                error));
                    } else {
                        result.completeExceptionally(Await.kind(error));
                    }
                });
    }

    private CompletableFuture<ByteBuffer> judged(
            CompletableFuture<ByteBuffer> answer, String object, long offset, int length, AtomicBoolean absent) {
        CompletableFuture<ByteBuffer> result = new CompletableFuture<>();
        answer.whenComplete((bytes, error) -> {
            if (error == null && bytes.remaining() == length) {
                result.complete(bytes);
            } else if (error == null) {
                result.completeExceptionally(new Unavailable("read of object '" + object + "' at " + offset + "+"
                        + length + " was cut short after " + bytes.remaining() + " bytes"));
            } else if (Await.kind(error) instanceof Invalid invalid) {
                explain(object, offset + length, invalid, absent, result);
            } else {
                result.completeExceptionally(error);
            }
        });
        return result;
    }

    /** A store says {@link Invalid} for an absent object and for a range outside of one: which was it? */
    private void explain(
            String object, long end, Invalid invalid, AtomicBoolean absent, CompletableFuture<ByteBuffer> result) {
        store.size(object).whenComplete((size, error) -> {
            if (error != null) {
                result.completeExceptionally(error);
            } else if (size.isEmpty()) {
                absent.set(true);
                result.completeExceptionally(new Unavailable("object '" + object + "' is not visible yet", invalid));
            } else if (size.getAsLong() < end) {
                result.completeExceptionally(new Corrupt(
                        "object '" + object + "' is truncated: it has " + size.getAsLong()
                                + " bytes, and a record names bytes up to " + end
                                + "; restore from another checkpoint",
                        invalid));
            } else {
                result.completeExceptionally(new Unavailable("object '" + object + "' became visible late", invalid));
            }
        });
    }
}
