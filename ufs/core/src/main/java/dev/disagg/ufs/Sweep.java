// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.time.Duration;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The only deleter of a job's objects: marks what retained and pinned checkpoints name, waits, reads the log again, and
 * deletes what is still unnamed. Blocks for its requests; used by one thread.
 */
public final class Sweep {
    private Sweep() {}

    /**
     * @param log of the job
     * @param files of the same job, to read owners' records
     * @param grace how long an object stays after nothing names it any more, for readers that are still at it
     */
    public static Sweep open(JobLog log, JobFiles files, Retries retries, Scheduler scheduler, Duration grace) {
        throw new UnsupportedOperationException();
    }

    /**
     * The cheap step after a commit: no listing, no request at all unless something became unnamed at least a grace
     * ago, or an owner's record was made by another process.
     */
    public Swept afterCommit() {
        throw new UnsupportedOperationException();
    }

    /**
     * The full scan, by the process that has begun the newest epoch, at its start: lists the job's objects and deletes
     * the unnamed ones of older epochs, and prunes the log.
     */
    public Swept scan() {
        throw new UnsupportedOperationException();
    }

    /**
     * The full scan from outside the job.
     *
     * @param wallMillis the wall clock, compared with the store's times
     * @param force first take the job over (append an EPOCH), which stops a running process
     * @throws Invalid when not forced and the newest record or object is younger than the larger of ten minutes and
     *     twice the checkpoint interval
     */
    public Swept gc(LongSupplier wallMillis, boolean force) {
        throw new UnsupportedOperationException();
    }

    /** Names of other jobs whose objects retained checkpoints of this one name: their pins are still needed. */
    public Set<String> jobsNamed() {
        throw new UnsupportedOperationException();
    }

    /**
     * What one step did.
     *
     * @param objectsDeleted data objects deleted
     * @param recordsPruned log records deleted
     * @param waiting unnamed objects whose grace has not passed
     */
    public record Swept(long objectsDeleted, long recordsPruned, long waiting) {}
}
