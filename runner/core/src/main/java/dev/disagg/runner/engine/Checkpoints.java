// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.engine;

import dev.disagg.runner.task.Barrier;
import dev.disagg.runner.task.Snapshot;
import dev.disagg.runner.task.StageTask;
import dev.disagg.state.ByteStore;
import dev.disagg.ufs.Checkpoint;
import dev.disagg.ufs.DisaggException;
import dev.disagg.ufs.Failed;
import dev.disagg.ufs.Fenced;
import dev.disagg.ufs.ObjectRange;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.Pack;
import dev.disagg.ufs.RequestCounts;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.apache.beam.runners.core.InMemoryBundleFinalizer;
import org.apache.beam.runners.core.metrics.MetricsContainerStepMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes checkpoints, one at a time: sends a barrier from the sources, gathers what the tasks froze, has it written into one
 * pack, and commits the whole by one record of the job's log. Only then are sources and user code told.
 *
 * <p>Thread-safe: {@link #snapshot} is called by tasks, all else by one coordinator thread.
 */
final class Checkpoints {
    private static final Logger LOG = LoggerFactory.getLogger(Checkpoints.class);
    private static final int MAX_FAILURES_IN_A_ROW = 3;
    /** Attribute of the checkpoints of a job that is being drained. */
    private static final byte[] DRAINED = {1};

    private final JobStore store;
    private final JobSpec spec;
    private final byte[] identity;
    private final List<StageTask> tasks;
    private final Executor coordinator;
    private final EngineTime time;
    private final Consumer<List<InMemoryBundleFinalizer.Finalization>> finalizers;
    /** Of checkpoints that were given up: those of the next one. */
    private final List<InMemoryBundleFinalizer.Finalization> carried = new ArrayList<>();

    private final Consumer<Throwable> fail;

    private final JobMetrics metrics;
    private OwnerRecord jobOwner;
    private OwnerRecord metricsOwner;
    private @Nullable Running running;
    private long lastId;
    private int failuresInARow;
    private boolean drained;
    private volatile Stats stats = new Stats(0, 0, 0, 0, 0);

    /**
     * What was done so far.
     *
     * @param committed number of checkpoints
     * @param lastId the newest, 0 for none
     * @param lastMillis how long it took from the barrier to the commit
     * @param lastBytes what it wrote
     * @param failed checkpoints that were given up
     */
    record Stats(long committed, long lastId, long lastMillis, long lastBytes, long failed) {}

    /** A checkpoint under way. */
    private static final class Running {
        final long id;
        final Pack pack;
        final long startNanos;
        final RequestCounts before;
        final boolean drained;
        final Map<StageTask, CompletableFuture<@Nullable OwnerRecord>> parts = new LinkedHashMap<>();
        final Map<StageTask, ByteStore.Frozen> frozen = new LinkedHashMap<>();
        final List<InMemoryBundleFinalizer.Finalization> finalizations = new ArrayList<>();
        final List<MetricsContainerStepMap> metrics = new ArrayList<>();
        final CompletableFuture<Void> done = new CompletableFuture<>();
        boolean over;

        Running(long id, Pack pack, long startNanos, RequestCounts before, boolean drained) {
            this.id = id;
            this.pack = pack;
            this.startNanos = startNanos;
            this.before = before;
            this.drained = drained;
        }
    }

    /**
     * @param finalizers calls what waits for a commit
     * @param fail ends the job
     */
    Checkpoints(
            JobStore store,
            JobSpec spec,
            byte[] identity,
            List<StageTask> tasks,
            JobMetrics metrics,
            Executor coordinator,
            EngineTime time,
            Consumer<List<InMemoryBundleFinalizer.Finalization>> finalizers,
            Consumer<Throwable> fail) {
        this.store = store;
        this.spec = spec;
        this.identity = identity;
        this.tasks = tasks;
        this.coordinator = coordinator;
        this.time = time;
        this.finalizers = finalizers;
        this.fail = fail;
        this.metrics = metrics;
        this.jobOwner = store.files().emptyOwner();
        this.metricsOwner = store.files().emptyOwner();
        this.lastId = store.log().state().lastCheckpointId();
    }

    Stats stats() {
        return stats;
    }

    /** From now on the job is being drained. Coordinator. */
    void drained() {
        drained = true;
    }

    /** Whether the job was being drained when this checkpoint was taken. */
    static boolean isDrained(Checkpoint checkpoint) {
        return java.util.Arrays.equals(checkpoint.attributes(), DRAINED);
    }

    /** The number of the checkpoint under way, 0 for none. Coordinator. */
    synchronized long runningId() {
        return running == null ? 0 : running.id;
    }

    /** Starts a checkpoint, unless one is under way: then that one's end is returned. Coordinator. */
    CompletableFuture<Void> trigger() {
        Running begun;
        synchronized (this) {
            if (running != null) {
                return running.done;
            }
            begun = new Running(++lastId, store.files().createPack(), time.nanoTime(), store.requests(), drained);
            running = begun;
            begun.finalizations.addAll(carried);
            carried.clear();
        }
        Barrier barrier = new Barrier(begun.id);
        for (StageTask task : tasks) {
            if (task.stage().source()) {
                task.inject(barrier);
            }
        }
        return begun.done;
    }

    /** A task is over with all before the barrier. Any leader. */
    void snapshot(StageTask task, Barrier barrier, Snapshot snapshot) {
        ByteStore.Frozen frozen = snapshot.state();
        Running of;
        boolean all;
        synchronized (this) {
            of = running;
            if (of == null || of.id != barrier.checkpoint() || of.over) {
                carried.addAll(snapshot.finalizations());
                if (frozen != null) {
                    frozen.aborted();
                }
                return;
            }
            of.finalizations.addAll(snapshot.finalizations());
            of.metrics.add(snapshot.metrics());
            if (frozen == null) {
                of.parts.put(task, CompletableFuture.completedFuture(null));
            } else {
                of.frozen.put(task, frozen);
                of.parts.put(task, frozen.flush(of.pack).thenApply(record -> record));
            }
            all = of.parts.size() == tasks.size();
        }
        if (all) {
            CompletableFuture.allOf(of.parts.values().toArray(new CompletableFuture<?>[0]))
                    .whenComplete((ignored, failure) -> coordinator.execute(() -> {
                        if (failure != null) {
                            giveUp(of, Joined.cause(failure));
                        } else {
                            commit(of);
                        }
                    }));
        }
    }

    private void commit(Running of) {
        synchronized (this) {
            if (of.over) {
                return;
            }
        }
        try {
            Map<String, List<ObjectRange>> owners = new TreeMap<>();
            OwnerRecord job = jobOwner.with(List.of(), List.of(), identity, of.pack);
            owners.put(Identity.OWNER, job.parts());
            MetricsContainerStepMap counted = metrics.total(of.metrics);
            OwnerRecord counts = metricsOwner.with(List.of(), List.of(), JobMetrics.encode(counted), of.pack);
            owners.put(JobMetrics.OWNER, counts.parts());
            of.parts.forEach((task, part) -> {
                OwnerRecord record = part.join();
                if (record != null) {
                    owners.put(ownerName(task.stage().id(), task.spec().index()), record.parts());
                }
            });
            Joined.get(of.pack.seal());
            jobOwner = job;
            metricsOwner = counts;
            of.frozen.forEach((task, frozen) -> tell(task, () -> task.execute(frozen::sealed)));
            Checkpoint checkpoint =
                    new Checkpoint(of.id, store.log().epoch(), false, owners, of.drained ? DRAINED : new byte[0]);
            store.log().checkpoint(checkpoint, store.expiring(spec.retainedCheckpoints()));
            metrics.committed(counted);
        } catch (RuntimeException e) {
            giveUp(of, e);
            return;
        }
        finish(of);
        failuresInARow = 0;
        long millis = (time.nanoTime() - of.startNanos) / 1_000_000;
        RequestCounts written = store.requests().minus(of.before);
        stats = new Stats(stats.committed() + 1, of.id, millis, written.bytesWritten(), stats.failed());
        LOG.debug("checkpoint {} is committed after {} ms", of.id, millis);
        for (StageTask task : tasks) {
            if (task.hearsOfCommits()) {
                tell(task, () -> task.committed(of.id));
            }
        }
        finalizers.accept(of.finalizations);
        of.done.complete(null);
        sweep();
    }

    private void sweep() {
        try {
            store.sweep().afterCommit();
        } catch (Fenced e) {
            fail.accept(e);
        } catch (DisaggException e) {
            LOG.warn("unneeded objects could not be removed; the next checkpoint tries again: {}", e.getMessage());
        }
    }

    private void finish(Running of) {
        synchronized (this) {
            of.over = true;
            if (running == of) {
                running = null;
            }
        }
    }

    /** Gives the running checkpoint up, if it is still the one that has this number. Coordinator. */
    void timeOut(long id) {
        Running of;
        synchronized (this) {
            of = running;
        }
        if (of != null && of.id == id) {
            List<String> missing = new ArrayList<>();
            synchronized (this) {
                tasks.stream().filter(task -> !of.parts.containsKey(task)).forEach(task -> missing.add(task.name()));
            }
            giveUp(
                    of,
                    new Failed("checkpoint " + id + " was not complete after " + spec.checkpointTimeout()
                            + (missing.isEmpty() ? ": writing is slow" : ": these tasks had not come to it: " + missing)
                            + "; raise --checkpointTimeout, or look at why they are slow"));
        }
    }

    private void giveUp(Running of, RuntimeException cause) {
        finish(of);
        synchronized (this) {
            carried.addAll(of.finalizations);
        }
        of.pack.abort();
        of.frozen.forEach((task, frozen) -> tell(task, () -> task.execute(frozen::aborted)));
        tasks.forEach(task -> tell(task, () -> task.givenUp(of.id)));
        stats = new Stats(stats.committed(), stats.lastId(), stats.lastMillis(), stats.lastBytes(), stats.failed() + 1);
        of.done.completeExceptionally(cause);
        failuresInARow++;
        if (cause instanceof Fenced || failuresInARow >= MAX_FAILURES_IN_A_ROW) {
            fail.accept(cause);
        } else {
            LOG.warn("checkpoint {} was given up, {} in a row: {}", of.id, failuresInARow, cause.toString(), cause);
        }
    }

    /** Tells a task of the end of its snapshot; one that has ended itself needs not hear of it. */
    private static void tell(StageTask task, Runnable call) {
        try {
            call.run();
        } catch (RejectedExecutionException e) {
            LOG.debug("{} has ended before the end of its snapshot", task.name());
        }
    }

    /** The owner's name of a task. */
    static String ownerName(String stageId, int index) {
        return stageId + "[" + index + "]";
    }

    /** Whether an owner's name is that of a task of this stage. */
    static boolean isOwnerOf(String owner, String stageId) {
        return owner.startsWith(stageId + "[") && owner.indexOf('[', stageId.length() + 1) < 0;
    }
}
