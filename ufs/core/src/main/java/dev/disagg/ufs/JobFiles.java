// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A job's files on an {@link ObjectStore}. See {@link UnifiedFileSystem}. {@link #close()} leaves the store open: it
 * belongs to who opened it.
 */
public final class JobFiles implements UnifiedFileSystem {
    private JobFiles() {}

    /**
     * Opens a job's files for writing.
     *
     * @param jobName one segment of a name
     * @param epoch from {@link JobLog#beginEpoch}
     * @param process one segment, different for each process of the job within an epoch
     */
    public static JobFiles open(ObjectStore store, String jobName, long epoch, String process, Retries retries) {
        throw new UnsupportedOperationException();
    }

    /** Opens a job's files for reading alone; creating a file or pack is {@link Invalid}. */
    public static JobFiles reader(ObjectStore store, String jobName, Retries retries) {
        throw new UnsupportedOperationException();
    }

    /**
     * Removes a whole job: expires its checkpoints, then deletes its objects, then its log; only what this project
     * wrote. Stopped half-way, it leaves a log without checkpoints and can be repeated.
     *
     * @param log of the job, by a process that has begun an epoch
     * @return how many objects were deleted, records included
     * @throws Invalid when another job pins a checkpoint of this one
     */
    public static long deleteJob(ObjectStore store, JobLog log, Retries retries) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ObjectStore store() {
        throw new UnsupportedOperationException();
    }

    @Override
    public long epoch() {
        throw new UnsupportedOperationException();
    }

    @Override
    public ObjectFile createFile() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Pack createPack() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<ByteBuffer> read(ObjectRange file, long offset, int length) {
        throw new UnsupportedOperationException();
    }

    @Override
    public OwnerRecord emptyOwner() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<OwnerRecord> readOwner(List<ObjectRange> parts) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void discard(String object) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
