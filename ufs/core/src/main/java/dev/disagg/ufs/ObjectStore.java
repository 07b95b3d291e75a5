// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * The narrow view of an object store that everything else is built on. Names are relative paths of {@code /}-separated
 * segments of {@code [A-Za-z0-9._=-]}; objects are immutable: written once, read by range, deleted.
 *
 * <p>There is no rename, no append, no compare-and-set. The only conditional operation is {@link #putIfAbsent}.
 *
 * <p>Thread safety: all methods may be called from any thread. Futures complete on a thread of the store; a caller
 * must not block it. Futures complete exceptionally with {@link DisaggException} kinds only: {@link Unavailable} when
 * the same call may succeed later, {@link Invalid} for a name or range that can never be served (including an absent
 * object), {@link Failed} otherwise.
 */
public interface ObjectStore extends AutoCloseable {

    /** What {@link #putIfAbsent} did. */
    enum PutResult {
        /** The object did not exist and now has these bytes. */
        CREATED,
        /** An object of this name existed; nothing was changed. It may hold these very bytes, if an answer was lost. */
        EXISTS
    }

    /** Writes a whole object under a name that nobody else uses. Durable when the future completes. */
    CompletableFuture<Void> put(String name, ByteBuffer bytes);

    /** Writes a whole object unless one of this name exists. At most one of any number of concurrent callers creates. */
    CompletableFuture<PutResult> putIfAbsent(String name, ByteBuffer bytes);

    /** Starts an object written in pieces with bounded memory; invisible to readers until closed. */
    ObjectWriter create(String name);

    /**
     * Reads exactly {@code length} bytes from {@code offset}.
     *
     * @return a fresh, read-only or caller-owned buffer with {@code length} bytes remaining
     */
    CompletableFuture<ByteBuffer> read(String name, long offset, int length);

    /** Size in bytes, or empty when there is no such object. */
    CompletableFuture<OptionalLong> size(String name);

    /**
     * Lists objects whose names start with {@code prefix} and sort after {@code startAfter} (empty for the start), in
     * order of their UTF-8 bytes, at most {@code limit} of them. A short answer means that there are no more.
     */
    CompletableFuture<List<Listed>> list(String prefix, String startAfter, int limit);

    /** Deletes the named objects; those that are absent count as deleted. */
    CompletableFuture<Void> delete(Collection<String> names);

    @Override
    void close();

    /**
     * One listed object.
     *
     * @param name the whole name
     * @param bytes its size
     * @param modifiedMillis when it was written, by the store's clock, milliseconds since the epoch
     */
    record Listed(String name, long bytes, long modifiedMillis) {}

    /** An object being written. Not thread-safe; one owner. */
    interface ObjectWriter extends AutoCloseable {
        /** Appends the remaining bytes of {@code bytes}, which the caller may reuse at once. May block to bound memory. */
        void write(ByteBuffer bytes);

        /** Bytes written so far. */
        long position();

        /** Ends the object; it is durable and visible when the future completes. */
        CompletableFuture<Void> finish();

        /** Gives up, if not finished: leaves no object and no partial upload behind. Idempotent. */
        @Override
        void close();
    }
}
