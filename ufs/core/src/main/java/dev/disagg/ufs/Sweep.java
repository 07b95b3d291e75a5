// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The only deleter of a job's objects: marks what retained and pinned checkpoints name, waits, reads the log again, and
 * deletes what is still unnamed. Blocks for its requests; used by one thread.
 *
 * <p>What may go: unnamed objects of older epochs, and objects of the current epoch that an expired checkpoint named and
 * nothing names now. Objects of the current epoch that were never named belong to their writer. Objects of other jobs,
 * and what this project did not write, are never touched.
 */
public final class Sweep {
    private static final Duration MIN_QUIET = Duration.ofMinutes(10);

    private final JobLog log;
    private final DataObjects objects;
    private final NamedObjects named;
    private final Scheduler scheduler;
    private final Duration grace;
    /** What was kept when this was opened; null once that is marked. */
    private @Nullable LogState opened;

    /** When each was seen to be unnamed, in nanoseconds of the scheduler. */
    private final Map<String, Long> unnamed = new LinkedHashMap<>();

    private Sweep(JobLog log, JobFiles files, Retries retries, Scheduler scheduler, Duration grace) {
        this.log = log;
        this.objects = new DataObjects(files.store(), log.jobName(), retries);
        this.named = new NamedObjects(files);
        this.scheduler = scheduler;
        this.grace = grace;
        this.opened = log.state();
    }

    /**
     * Opened before the first commit of this process, so that it sees what the checkpoints before it name.
     *
     * @param log of the job
     * @param files of the same job, to read owners' records
     * @param grace how long an object stays after nothing names it any more, for readers that are still at it
     */
    public static Sweep open(JobLog log, JobFiles files, Retries retries, Scheduler scheduler, Duration grace) {
        if (grace.isNegative() || !log.jobName().equals(files.jobName())) {
            throw new Invalid("a sweep of job '" + log.jobName() + "' needs that job's files (not '" + files.jobName()
                    + "') and a grace that is not negative (" + grace + ")");
        }
        return new Sweep(log, files, retries, scheduler, grace);
    }

    /**
     * The cheap step, to be called after each commit: no listing, no request at all unless something became unnamed at
     * least a grace ago, 16 log records can be pruned, or an owner's record was made by another process.
     *
     * @throws Fenced when another process has taken the job over; nothing is deleted
     */
    public Swept afterCommit() {
        follow();
        return step(false);
    }

    /**
     * The full scan, by the process that has begun the newest epoch, at its start: lists the job's objects, finds the
     * unnamed ones of older epochs, and prunes the log. Does not wait: those whose grace has not passed are deleted by a
     * later {@link #afterCommit}.
     */
    public Swept scan() {
        if (log.epoch() == 0) {
            throw new Invalid("the sweep of job '" + log.jobName() + "' at its start needs an epoch of this process");
        }
        follow();
        findUnnamed(log.epoch());
        return step(true);
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
        LogState state = log.refresh();
        long epoch = force ? log.beginEpoch(state.checkpointInterval()) : state.epoch();
        follow();
        long newestMillis = Math.max(findUnnamed(epoch), log.newestMillis().orElse(0L));
        if (!force) {
            requireQuiet(wallMillis.getAsLong() - newestMillis, state.checkpointInterval());
        }
        if (!unnamed.isEmpty() && !grace.isZero()) {
            CompletableFuture<Void> passed = new CompletableFuture<>();
            scheduler.schedule(grace.toNanos(), () -> passed.complete(null));
            Await.get(passed, "wait before the sweep of job " + log.jobName());
        }
        return step(true);
    }

    /** Names of other jobs whose objects kept checkpoints of this one name: their pins are still needed. */
    public Set<String> jobsNamed() {
        follow();
        Set<String> jobs = new TreeSet<>();
        for (String object : named.all()) {
            String job = DataNames.job(object);
            if (!job.equals(log.jobName())) {
                jobs.add(job);
            }
        }
        return jobs;
    }

    private void follow() {
        if (opened != null) {
            named.follow(opened);
            opened = null;
        }
        named.follow(log.state()).forEach(this::dropped);
    }

    private void dropped(String object) {
        if (DataNames.epoch(log.jobName(), object).isPresent()) {
            unnamed.putIfAbsent(object, scheduler.nanoTime());
        }
    }

    /** Finds unnamed objects of epochs before {@code epoch}; returns when the newest object of the job was written. */
    private long findUnnamed(long epoch) {
        AtomicLong newestMillis = new AtomicLong();
        objects.forEach(each -> {
            newestMillis.accumulateAndGet(each.modifiedMillis(), Math::max);
            boolean old = DataNames.epoch(log.jobName(), each.name()).orElse(epoch) < epoch;
            if (old && !named.isNamed(each.name())) {
                dropped(each.name());
            }
        });
        return newestMillis.get();
    }

    private Swept step(boolean pruneAll) {
        long now = scheduler.nanoTime();
        boolean due = unnamed.values().stream().anyMatch(since -> now - since >= grace.toNanos());
        long deleted = 0;
        if (due) {
            log.refresh();
            follow();
            List<String> going = new ArrayList<>();
            unnamed.forEach((object, since) -> {
                if (now - since >= grace.toNanos() && !named.isNamed(object)) {
                    going.add(object);
                }
            });
            objects.delete(going);
            deleted = going.size();
            going.forEach(unnamed::remove);
        }
        unnamed.keySet().removeIf(named::isNamed);
        return new Swept(deleted, log.prune(pruneAll), unnamed.size());
    }

    private void requireQuiet(long ageMillis, Duration interval) {
        Duration quiet = interval.multipliedBy(2).compareTo(MIN_QUIET) > 0 ? interval.multipliedBy(2) : MIN_QUIET;
        if (ageMillis < quiet.toMillis()) {
            throw new Invalid("job '" + log.jobName() + "' wrote something " + ageMillis
                    + " ms ago and may be running; wait until it was quiet for " + quiet
                    + ", or force, which stops it");
        }
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
