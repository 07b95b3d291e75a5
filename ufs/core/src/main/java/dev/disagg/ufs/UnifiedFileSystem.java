// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * One job's files as one process sees them: immutable objects named so that no two writers ever choose the same name,
 * owners' records, and reads. Thread-safe.
 *
 * <p>Object names are {@code <jobName>/data/<writer epoch>-<process>-<sequence>}; ranges may also name objects of
 * another job of the same store (a restore from its checkpoint).
 */
public interface UnifiedFileSystem extends AutoCloseable {
    /** The store below, with its decorators. */
    ObjectStore store();

    /** The writer epoch of this process, carried by the names of the objects that it writes. */
    long epoch();

    /** Starts an object of its own for one large file (a compaction output, a big flush). */
    ObjectFile createFile();

    /** Starts a pack. */
    Pack createPack();

    /** Reads part of a file: {@code offset} and {@code length} are relative to {@code file}. Retries what may be retried. */
    CompletableFuture<ByteBuffer> read(ObjectRange file, long offset, int length);

    /** A record with no links, an empty header and no parts. */
    OwnerRecord emptyOwner();

    /** Reads an owner's record back. Parts are fetched concurrently; {@link Corrupt} when they are not what was written. */
    CompletableFuture<OwnerRecord> readOwner(List<ObjectRange> parts);

    /**
     * Deletes at once an object that this process wrote in this epoch and that no committed or pending record has ever
     * named (an abandoned compaction output). Everything else is left to the sweep.
     */
    void discard(String object);

    @Override
    void close();

    /** A file that is an object of its own, being written. Not thread-safe. */
    interface ObjectFile extends AutoCloseable {
        /** The object's name. */
        String object();

        void write(ByteBuffer bytes);

        long position();

        /** Durable when the future completes; its value is the whole object as a range. */
        CompletableFuture<ObjectRange> finish();

        @Override
        void close();
    }
}
