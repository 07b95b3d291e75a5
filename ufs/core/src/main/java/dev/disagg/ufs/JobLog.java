// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.time.Duration;
import java.util.Collection;

/**
 * A job's log, the only mutable thing of a job: numbered records, each put only where none was. One sequence for all
 * writers; the writer's epoch is inside the record. A process that begins an epoch fences all before it.
 *
 * <p>Methods block for their requests; never call them on a thread of the store. Thread-safe. After {@link Fenced} every
 * further append fails in the same way without a request.
 *
 * <p>{@link Unavailable} from an append means that it is unknown whether the record was written: the next append finds
 * out, and a record that was written counts as committed.
 */
public final class JobLog {
    private JobLog() {}

    /** Whether anything is stored under this job's name. */
    public static boolean exists(ObjectStore store, String jobName) {
        throw new UnsupportedOperationException();
    }

    /**
     * Reads the log of a job; an absent one is empty. Writes nothing.
     *
     * @param writer distinguishes this process's records from those of others: random, never used twice
     * @throws Corrupt when a record that is needed is not what was written
     */
    public static JobLog open(ObjectStore store, String jobName, Retries retries, long writer) {
        throw new UnsupportedOperationException();
    }

    public String jobName() {
        throw new UnsupportedOperationException();
    }

    /** What the log said when it was last read or written. */
    public LogState state() {
        throw new UnsupportedOperationException();
    }

    /**
     * Reads records that others appended since.
     *
     * @throws Fenced when this process began an epoch and another has begun a later one
     */
    public LogState refresh() {
        throw new UnsupportedOperationException();
    }

    /**
     * Takes the job over: appends an EPOCH record, after which no earlier process can commit.
     *
     * @param checkpointInterval kept in the record; zero when checkpoints are off
     * @return this process's epoch, from 1
     * @throws Fenced when another process took the job over at the same moment
     */
    public long beginEpoch(Duration checkpointInterval) {
        throw new UnsupportedOperationException();
    }

    /** Commits a checkpoint; all packs and files that it names must be durable. One put. */
    public void checkpoint(Checkpoint checkpoint) {
        throw new UnsupportedOperationException();
    }

    /** Commits a checkpoint and, by the same record, expires others. One put. */
    public void checkpoint(Checkpoint checkpoint, Collection<Long> expired) {
        throw new UnsupportedOperationException();
    }

    /** Expires checkpoints; ids that are not live are ignored, and without a live one nothing is written. */
    public void expire(Collection<Long> ids) {
        throw new UnsupportedOperationException();
    }

    /**
     * Claims a checkpoint of this job for {@code holder}: it stays whole until {@link #unpin}. Needs no epoch.
     *
     * @throws Invalid when the checkpoint is not live (any more)
     */
    public void pin(String holder, long checkpoint) {
        throw new UnsupportedOperationException();
    }

    /** Ends a claim; one that does not exist is ignored. Needs no epoch. */
    public void unpin(String holder, long checkpoint) {
        throw new UnsupportedOperationException();
    }
}
