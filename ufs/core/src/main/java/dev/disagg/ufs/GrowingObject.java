// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An object that is written front to back: kept in memory while it is small, then put as a whole, which may be retried;
 * past a few MiB streamed, so that memory is bounded. Not thread-safe.
 */
final class GrowingObject {
    /** The smallest part of a multipart upload is commonly 5 MiB: below, streaming costs requests and gains nothing. */
    static final int STREAM_ABOVE_BYTES = 4 << 20;

    private static final int FIRST_BYTES = 4096;

    private final ObjectStore store;
    private final Retries retries;
    private final String object;
    private byte[] buffer = {};
    private long position;
    private ObjectStore.@Nullable ObjectWriter writer;
    private boolean ended;

    GrowingObject(ObjectStore store, Retries retries, String object) {
        this.store = store;
        this.retries = retries;
        this.object = object;
    }

    String object() {
        return object;
    }

    long position() {
        return position;
    }

    void write(ByteBuffer bytes) {
        requireNotEnded();
        int length = bytes.remaining();
        if (writer == null && position + length > STREAM_ABOVE_BYTES) {
            writer = store.create(object);
            writer.write(ByteBuffer.wrap(buffer, 0, (int) position));
            buffer = new byte[0];
        }
        if (writer != null) {
            writer.write(bytes);
        } else {
            int needed = (int) position + length;
            if (buffer.length < needed) {
                buffer = Arrays.copyOf(buffer, Math.max(Math.max(FIRST_BYTES, buffer.length * 2), needed));
            }
            bytes.get(buffer, (int) position, length);
        }
        position += length;
    }

    CompletableFuture<Void> finish() {
        requireNotEnded();
        ended = true;
        if (writer != null) {
            return confirmed(writer.finish());
        }
        ByteBuffer bytes = ByteBuffer.wrap(buffer, 0, (int) position).asReadOnlyBuffer();
        buffer = new byte[0];
        return retries.call("put object '" + object + "'", () -> store.put(object, bytes.duplicate()));
    }

    /** A writer cannot finish twice, so an answer that never came is resolved by looking. */
    private CompletableFuture<Void> confirmed(CompletableFuture<Void> finished) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        finished.whenComplete((done, error) -> {
            if (error == null) {
                result.complete(null);
            } else if (Await.kind(error) instanceof Unavailable unknown) {
                retries.call("size of '" + object + "'", () -> store.size(object))
                        .whenComplete((size, failure) -> {
                            if (failure == null && size.equals(OptionalLong.of(position))) {
                                result.complete(null);
                            } else {
                                result.completeExceptionally(unknown);
                            }
                        });
            } else {
                result.completeExceptionally(Await.kind(error));
            }
        });
        return result;
    }

    /** Gives up; false, without effect, when it had ended. */
    boolean abort() {
        if (ended) {
            return false;
        }
        ended = true;
        buffer = new byte[0];
        if (writer != null) {
            writer.close();
        }
        return true;
    }

    private void requireNotEnded() {
        if (ended) {
            throw new Invalid("object '" + object + "' has ended; write to a new one");
        }
    }
}
