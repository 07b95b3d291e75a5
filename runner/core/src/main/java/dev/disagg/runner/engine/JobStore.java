// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.engine;

import dev.disagg.state.ManifestHeader;
import dev.disagg.state.StateBackendProvider;
import dev.disagg.ufs.Checkpoint;
import dev.disagg.ufs.CountingStore;
import dev.disagg.ufs.Invalid;
import dev.disagg.ufs.JobFiles;
import dev.disagg.ufs.JobLog;
import dev.disagg.ufs.LatencyStore;
import dev.disagg.ufs.LogState;
import dev.disagg.ufs.ObjectRange;
import dev.disagg.ufs.ObjectStore;
import dev.disagg.ufs.ObjectStores;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.RequestCounts;
import dev.disagg.ufs.Retries;
import dev.disagg.ufs.Scheduler;
import dev.disagg.ufs.Sweep;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One job's place on the object store, held by this process: its log, its files, and what it starts from. Opening it takes
 * the job over, which fences every earlier process.
 */
final class JobStore implements AutoCloseable {
    /** How long an unnamed object stays, for readers that are still at it. */
    private static final Duration SWEEP_GRACE = Duration.ofSeconds(2);

    private final CountingStore store;
    private final JobLog log;
    private final JobFiles files;
    private final Retries retries;
    private final Sweep sweep;
    private final @Nullable Checkpoint start;

    private JobStore(
            CountingStore store, JobLog log, JobFiles files, Retries retries, Sweep sweep, @Nullable Checkpoint start) {
        this.store = store;
        this.log = log;
        this.files = files;
        this.retries = retries;
        this.sweep = sweep;
        this.start = start;
    }

    /**
     * Opens, and takes over, the job's place.
     *
     * @throws Invalid when it is used and nothing says what to start from, or what to start from is not there
     */
    static JobStore open(JobSpec spec, Scheduler scheduler, StateBackendProvider backend) {
        ObjectStore root = ObjectStores.open(spec.stateUri());
        if (!spec.stateLatency().isZero()) {
            root = new LatencyStore(root, scheduler, spec.stateLatency(), 0);
        }
        CountingStore store = new CountingStore(root);
        try {
            return open(spec, scheduler, backend, store);
        } catch (RuntimeException | Error e) {
            store.close();
            throw e;
        }
    }

    private static JobStore open(JobSpec spec, Scheduler scheduler, StateBackendProvider backend, CountingStore store) {
        SecureRandom random = new SecureRandom();
        Retries retries = Retries.standard(scheduler, random);
        boolean used = JobLog.exists(store, spec.jobName());
        if (used && spec.restore().isEmpty()) {
            throw new Invalid(
                    "the state directory " + spec.stateUri() + "/" + spec.jobName()
                            + " is used: say --restore=auto to go on from its newest checkpoint, or choose another --jobName or --stateUri");
        }
        JobLog log = JobLog.open(store, spec.jobName(), retries, random.nextLong());
        Checkpoint start = spec.restore().isEmpty() ? null : choose(spec, log.state());
        if (start != null) {
            checkOpens(backend, start, JobFiles.reader(store, spec.jobName(), retries));
        }
        long epoch = log.beginEpoch(spec.checkpointInterval());
        String process = Long.toHexString(random.nextLong() & 0xffffffffL);
        JobFiles files = JobFiles.open(store, spec.jobName(), epoch, process, retries);
        Sweep sweep = Sweep.open(log, files, retries, scheduler, SWEEP_GRACE);
        return new JobStore(store, log, files, retries, sweep, start);
    }

    /** What the backend can not open is refused before the job is taken over: one task's record tells. */
    private static void checkOpens(StateBackendProvider backend, Checkpoint start, JobFiles reader) {
        for (Map.Entry<String, List<ObjectRange>> owner : start.owners().entrySet()) {
            if (!owner.getKey().equals(Identity.OWNER) && !owner.getKey().equals(JobMetrics.OWNER)) {
                OwnerRecord record = Joined.get(reader.readOwner(owner.getValue()));
                ManifestHeader.Format format =
                        ManifestHeader.of(owner.getKey(), record).format();
                if (!backend.opens(format)) {
                    throw new Invalid("checkpoint " + start.id() + " was written by --stateBackend="
                            + format.writers() + ", and --stateBackend=" + backend.name()
                            + " can not open it: restore with --stateBackend=" + format.writers());
                }
                return;
            }
        }
    }

    private static @Nullable Checkpoint choose(JobSpec spec, LogState state) {
        String wanted = spec.restore().orElse("auto");
        if (wanted.equals("auto")) {
            return state.newest().orElse(null);
        }
        Optional<Checkpoint> found;
        if (wanted.equals("latest")) {
            found = state.newest();
        } else if (wanted.matches("\\d{1,18}")) {
            found = state.checkpoint(Long.parseLong(wanted));
        } else {
            throw new Invalid("--restore=" + wanted + ": use auto, latest, or the number of a checkpoint of this job");
        }
        return found.orElseThrow(() ->
                new Invalid("--restore=" + wanted + ": " + spec.stateUri() + "/" + spec.jobName() + " has "
                        + (state.checkpoints().isEmpty()
                                ? "no checkpoint"
                                : "the checkpoints "
                                        + state.checkpoints().stream()
                                                .map(Checkpoint::id)
                                                .toList())));
    }

    /** The checkpoint that the job starts from; empty for a fresh start. */
    Optional<Checkpoint> start() {
        return Optional.ofNullable(start);
    }

    /** The records of all owners of the checkpoint to start from, read concurrently. */
    Map<String, OwnerRecord> startOwners() {
        Map<String, OwnerRecord> owners = new TreeMap<>();
        if (start != null) {
            Map<String, CompletableFuture<OwnerRecord>> reads = new TreeMap<>();
            start.owners().forEach((owner, parts) -> reads.put(owner, files.readOwner(parts)));
            reads.forEach((owner, read) -> owners.put(owner, Joined.get(read)));
        }
        return owners;
    }

    JobLog log() {
        return log;
    }

    JobFiles files() {
        return files;
    }

    Sweep sweep() {
        return sweep;
    }

    RequestCounts requests() {
        return store.counts();
    }

    /** The checkpoints to expire when one more is committed. */
    List<Long> expiring(int retained) {
        List<Long> live = new ArrayList<>(log.state().checkpoints().stream()
                .filter(checkpoint -> !checkpoint.savepoint())
                .map(Checkpoint::id)
                .toList());
        int surplus = live.size() + 1 - retained;
        return surplus <= 0 ? List.of() : List.copyOf(live.subList(0, Math.min(surplus, live.size())));
    }

    /** Removes all of the job's files. */
    void remove() {
        JobFiles.deleteJob(store, log, retries);
    }

    @Override
    public void close() {
        files.close();
        store.close();
    }
}
