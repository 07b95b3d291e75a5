// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A job's files on an {@link ObjectStore}. See {@link UnifiedFileSystem}. {@link #close()} leaves the store open: it
 * belongs to who opened it.
 */
public final class JobFiles implements UnifiedFileSystem {
    private static final Logger LOG = LoggerFactory.getLogger(JobFiles.class);
    private static final long NO_EPOCH = 0;

    private final ObjectStore store;
    private final String jobName;
    private final long epoch;
    private final String process;
    private final Retries retries;
    private final ReliableReads reads;
    private final OwnedObjects owned = new OwnedObjects();
    private final AtomicLong sequence = new AtomicLong();

    private JobFiles(ObjectStore store, String jobName, long epoch, String process, Retries retries) {
        this.store = store;
        this.jobName = ObjectNames.checkSegment("job name", jobName);
        this.epoch = epoch;
        this.process = process;
        this.retries = retries;
        this.reads = new ReliableReads(store, retries);
    }

    /**
     * Opens a job's files for writing.
     *
     * @param jobName one segment of a name
     * @param epoch from {@link JobLog#beginEpoch}
     * @param process one segment, different for each process of the job within an epoch
     */
    public static JobFiles open(ObjectStore store, String jobName, long epoch, String process, Retries retries) {
        if (epoch < 1) {
            throw new Invalid("epoch " + epoch + " of job '" + jobName + "': begin one in the job's log first");
        }
        return new JobFiles(store, jobName, epoch, ObjectNames.checkSegment("process name", process), retries);
    }

    /** Opens a job's files for reading alone; creating a file or pack is {@link Invalid}. */
    public static JobFiles reader(ObjectStore store, String jobName, Retries retries) {
        return new JobFiles(store, jobName, NO_EPOCH, "", retries);
    }

    @Override
    public ObjectStore store() {
        return store;
    }

    @Override
    public long epoch() {
        return epoch;
    }

    @Override
    public ObjectFile createFile() {
        return new StoreFile(owned, nextObject());
    }

    @Override
    public Pack createPack() {
        return new StorePack(owned, nextObject());
    }

    private GrowingObject nextObject() {
        if (epoch == NO_EPOCH) {
            throw new Invalid("the files of job '" + jobName + "' are open for reading alone");
        }
        String object = DataNames.name(jobName, epoch, process, sequence.getAndIncrement());
        return new GrowingObject(store, retries, object);
    }

    @Override
    public CompletableFuture<ByteBuffer> read(ObjectRange file, long offset, int length) {
        if (offset < 0 || length < 0 || offset > file.length() - length) {
            return CompletableFuture.failedFuture(new Invalid("bytes " + offset + "+" + length
                    + " are outside of a file of " + file.length() + " bytes in object '" + file.object() + "'"));
        }
        if (owned.isWriting(file.object())) {
            return CompletableFuture.failedFuture(new Invalid(
                    "object '" + file.object() + "' is still being written; read it when its writer has finished"));
        }
        return length == 0
                ? CompletableFuture.completedFuture(ByteBuffer.allocate(0))
                : reads.read(file.object(), file.offset() + offset, length);
    }

    @Override
    public OwnerRecord emptyOwner() {
        return StoredOwner.empty(owned);
    }

    @Override
    public CompletableFuture<OwnerRecord> readOwner(List<ObjectRange> parts) {
        List<ObjectRange> ranges = List.copyOf(parts);
        if (ranges.isEmpty()) {
            return CompletableFuture.completedFuture(emptyOwner());
        }
        if (ranges.size() > OwnerRecord.MAX_DELTAS + 1) {
            return CompletableFuture.failedFuture(new Corrupt("an owner record of " + ranges.size()
                    + " parts, more than a base and " + OwnerRecord.MAX_DELTAS
                    + " deltas; restore from another checkpoint"));
        }
        List<CompletableFuture<ByteBuffer>> fetched = new ArrayList<>(ranges.size());
        for (ObjectRange part : ranges) {
            if (part.length() > Integer.MAX_VALUE) {
                return CompletableFuture.failedFuture(new Corrupt("part of an owner record has " + part.length()
                        + " bytes in object '" + part.object() + "'; restore from another checkpoint"));
            }
            fetched.add(read(part, 0, (int) part.length()));
        }
        return CompletableFuture.allOf(fetched.toArray(CompletableFuture[]::new))
                .handle((done, error) -> {
                    if (error != null) {
                        throw Await.kind(error);
                    }
                    return StoredOwner.read(
                            owned,
                            ranges,
                            fetched.stream().map(CompletableFuture::join).toList());
                });
    }

    String jobName() {
        return jobName;
    }

    /** The objects that a record names, itself included; without a request when this process has seen it lately. */
    CompletableFuture<Set<String>> objectsOf(List<ObjectRange> parts) {
        Optional<Set<String>> known = owned.namedBy(parts);
        if (known.isPresent() || parts.isEmpty()) {
            return CompletableFuture.completedFuture(known.orElse(Set.of()));
        }
        return readOwner(parts)
                .thenApply(record -> owned.namedBy(record.parts()).orElseThrow());
    }

    @Override
    public void discard(String object) {
        if (!owned.takeUnnamed(object)) {
            return; // named, or not ours: the sweep decides
        }
        retries.call("discard object '" + object + "'", () -> store.delete(List.of(object)))
                .whenComplete((done, error) -> {
                    if (error != null) {
                        LOG.warn(
                                "Object '{}' was given up but could not be deleted; the sweep of a later epoch takes it",
                                object,
                                error);
                    }
                });
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
        LogState state = log.refresh();
        if (!state.pins().isEmpty()) {
            throw new Invalid("job '" + log.jobName() + "' cannot be removed: " + state.pins()
                    + " still need its checkpoints; remove those jobs first");
        }
        log.expireAll();
        long deleted = new DataObjects(store, log.jobName(), retries).deleteAll();
        return deleted + log.deleteAll();
    }

    @Override
    public void close() {}
}
