// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.engine;

import dev.disagg.async.AsyncMetrics;
import dev.disagg.runner.graph.Head;
import dev.disagg.runner.graph.StageGraph;
import dev.disagg.runner.task.Activity;
import dev.disagg.runner.task.Barrier;
import dev.disagg.runner.task.DelaySource;
import dev.disagg.runner.task.ScriptClock;
import dev.disagg.runner.task.Snapshot;
import dev.disagg.runner.task.StageTask;
import dev.disagg.runner.task.TaskHost;
import dev.disagg.state.BackendContext;
import dev.disagg.state.StateBackend;
import dev.disagg.state.StateBackendProvider;
import dev.disagg.state.StateBackends;
import dev.disagg.ufs.Checkpoint;
import dev.disagg.ufs.DisaggException;
import dev.disagg.ufs.Failed;
import dev.disagg.ufs.Fenced;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.RequestCounts;
import dev.disagg.ufs.Scheduler;
import dev.disagg.ufs.SystemThreads;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.beam.runners.core.InMemoryBundleFinalizer;
import org.apache.beam.runners.core.metrics.MetricsContainerStepMap;
import org.apache.beam.sdk.options.PipelineOptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A job running in this process. One coordinator thread owns its life: start, checkpoints, end. Thread-safe.
 */
public final class EmbeddedJob implements TaskHost {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedJob.class);
    private static final int BACKGROUND_THREADS = 4;
    private static final int COMPACTION_THREADS = 2;
    private static final int QUEUE = 1 << 20;
    /** One part of so many of the state memory is the backend's; the rest is for cached cells. */
    private static final int BACKEND_SHARE = 2;

    private static final long STOP_MILLIS = 10_000;

    private final JobSpec spec;
    private final PipelineOptions options;
    private final EngineTime time;
    private final Scheduler scheduler;
    private final ExecutorService coordinator;
    private final ExecutorService background;
    private final ExecutorService compaction;
    private final ScheduledExecutorService delayed;
    private final JobStore store;
    private final StateBackend backend;
    private final List<StageTask> tasks;
    private final Checkpoints checkpoints;
    private final CheckpointClock clock;
    private final JobMetrics metrics;
    private final Set<StageTask> unfinished = new HashSet<>();
    private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    private final @Nullable DelaySource delays;
    private final Activity activity;
    private final @Nullable ScriptClock script;
    private boolean ending;

    /** How a job ended: done, cancelled, or failed with a cause. */
    public record Outcome(Kind kind, @Nullable Throwable cause) {
        public enum Kind {
            DONE,
            CANCELLED,
            FAILED
        }
    }

    private EmbeddedJob(JobSpec spec, PipelineOptions options, StageGraph graph, EngineTime time) {
        this.spec = spec;
        this.options = options;
        this.time = time;
        this.scheduler = SystemThreads.scheduler("disagg-timer");
        this.coordinator = SystemThreads.pool("disagg-coordinator", 1, QUEUE);
        this.background = SystemThreads.pool("disagg-background", BACKGROUND_THREADS, QUEUE);
        this.delayed = SystemThreads.delayed("disagg-split");
        this.compaction = SystemThreads.pool("disagg-compaction", COMPACTION_THREADS, QUEUE);
        this.delays = spec.delayedReads()
                .map(seed -> new DelaySource(new SplittableRandom(seed), SystemThreads.pool("disagg-delay", 1, QUEUE)))
                .orElse(null);
        boolean scripted = graph.stages().stream().anyMatch(stage -> stage.head() instanceof Head.Scripted);
        this.activity = new Activity(scripted);
        this.script = scripted ? new ScriptClock() : null;
        StateBackendProvider provider = StateBackends.named(spec.stateBackend());
        this.store = JobStore.open(spec, scheduler, provider);
        StateBackend opened = null;
        try {
            opened = provider.open(new BackendContext(
                    store.files(),
                    background,
                    compaction,
                    spec.stateMemoryBytes() / BACKEND_SHARE,
                    spec.localDirectory()));
            this.backend = opened;
            Optional<Checkpoint> start = store.start();
            RequestCounts before = store.requests();
            Map<String, OwnerRecord> owners = store.startOwners();
            start.ifPresent(checkpoint -> {
                OwnerRecord job = owners.get(Identity.OWNER);
                if (job != null) {
                    Identity.check(checkpoint.id(), job, graph);
                }
            });
            OwnerRecord counted = owners.get(JobMetrics.OWNER);
            this.metrics = new JobMetrics(counted == null ? null : counted.header());
            this.tasks = new JobTasks(graph, spec, this, metrics, backend, owners, delays, script).make();
            if (script != null) {
                tasks.forEach(script::watch);
            }
            start.ifPresent(checkpoint -> {
                RequestCounts took = store.requests().minus(before);
                LOG.info(
                        "restored checkpoint {} with {} requests, {} bytes read",
                        checkpoint.id(),
                        took.total(),
                        took.bytesRead());
            });
            this.unfinished.addAll(tasks);
            this.checkpoints = new Checkpoints(
                    store,
                    spec,
                    Identity.encode(graph),
                    tasks,
                    metrics,
                    this::submit,
                    time,
                    EmbeddedJob::call,
                    this::fail);
            this.clock = new CheckpointClock(checkpoints, scheduler, this::submit, activity, spec, () -> ending);
        } catch (RuntimeException | Error e) {
            if (opened != null) {
                opened.close();
            }
            store.close();
            coordinator.shutdown();
            background.shutdown();
            compaction.shutdown();
            delayed.shutdown();
            throw e;
        }
    }

    /** Makes the job and starts it; what can not work is thrown here, before anything runs. */
    public static EmbeddedJob start(JobSpec spec, PipelineOptions options, StageGraph graph, EngineTime time) {
        EmbeddedJob job = new EmbeddedJob(spec, options, graph, time);
        job.submit(job::begin);
        return job;
    }

    private void begin() {
        if (tasks.isEmpty()) {
            end(new Outcome(Outcome.Kind.DONE, null));
            return;
        }
        if (spec.restore().isPresent() && !spec.checkpointing()) {
            LOG.warn(
                    "job {} takes no checkpoints: if it is stopped before it is done, it begins again from where it began now;"
                            + " --checkpointInterval=10s changes that",
                    spec.jobName());
        }
        if (spec.restore().isPresent()) {
            removeUnneeded();
        }
        tasks.forEach(StageTask::start);
        if (store.start().filter(Checkpoints::isDrained).isPresent()) {
            drain();
        }
        clock.start();
    }

    private void removeUnneeded() {
        try {
            store.sweep().scan();
        } catch (Fenced e) {
            throw e;
        } catch (DisaggException e) {
            LOG.warn("unneeded objects could not be removed; the next start tries again: {}", e.getMessage());
        }
    }

    /** As {@link dev.disagg.runner.DisaggPipelineResult#drain}. Any thread. */
    public CompletableFuture<Void> drain() {
        CompletableFuture<Void> durable = new CompletableFuture<>();
        outcome.thenRun(() -> durable.complete(null));
        submit(() -> {
            if (ending) {
                return;
            }
            LOG.info("job {} is drained: it reads no more and ends when what was read is finished", spec.jobName());
            checkpoints.drained();
            // Sources last: what their end brings about, all others know to come from the drain.
            for (int i = tasks.size() - 1; i >= 0; i--) {
                tasks.get(i).drain();
            }
            if (spec.checkpointing()) {
                Joined.pass(clock.take(), durable);
            } else {
                durable.complete(null);
            }
        });
        return durable;
    }

    /** Takes a checkpoint that contains all that has happened before this call. */
    public CompletableFuture<Void> checkpoint() {
        CompletableFuture<Void> result = new CompletableFuture<>();
        submit(() -> Joined.pass(clock.take(), result));
        return result;
    }

    private void submit(Runnable call) {
        if (!coordinator.isShutdown()) {
            coordinator.execute(() -> {
                try {
                    call.run();
                } catch (RuntimeException | Error e) {
                    end(new Outcome(Outcome.Kind.FAILED, e));
                }
            });
        }
    }

    // ---- TaskHost

    @Override
    public long nowMillis() {
        return script == null ? time.nowMillis() : script.nowMillis();
    }

    @Override
    public long nanoTime() {
        return time.nanoTime();
    }

    @Override
    public ScheduledExecutorService delayed() {
        return delayed;
    }

    @Override
    public Activity activity() {
        return activity;
    }

    @Override
    public PipelineOptions options() {
        return options;
    }

    @Override
    public void checkpointNeeded(boolean last) {
        clock.need(last);
    }

    @Override
    public void snapshot(StageTask task, Barrier barrier, Snapshot snapshot) {
        checkpoints.snapshot(task, barrier, snapshot);
    }

    private static void call(List<InMemoryBundleFinalizer.Finalization> due) {
        for (InMemoryBundleFinalizer.Finalization finalization : due) {
            try {
                finalization.getCallback().onBundleSuccess();
            } catch (VirtualMachineError e) {
                throw e;
            } catch (Exception | Error e) {
                LOG.warn("a bundle finalizer failed; it is not called again: {}", e.toString(), e);
            }
        }
    }

    @Override
    public void finished(StageTask task) {
        submit(() -> {
            unfinished.remove(task);
            if (unfinished.isEmpty()) {
                if (spec.checkpointing() || clock.everNeeded()) {
                    // What finalizers and sources wait for must be durable before the job is done.
                    clock.take()
                            .whenComplete((done, failure) -> submit(() -> end(
                                    failure == null
                                            ? new Outcome(Outcome.Kind.DONE, null)
                                            : new Outcome(Outcome.Kind.FAILED, Joined.cause(failure)))));
                } else {
                    end(new Outcome(Outcome.Kind.DONE, null));
                }
            }
        });
    }

    @Override
    public void stuck(StageTask task, String text) {
        LOG.warn("{}: {}", task.name(), text);
    }

    @Override
    public void failed(StageTask task, Throwable cause) {
        fail(cause);
    }

    private void fail(Throwable cause) {
        submit(() -> end(new Outcome(Outcome.Kind.FAILED, cause)));
    }

    // ---- the end

    /** Stops without finishing what is started. */
    public void cancel() {
        submit(() -> end(new Outcome(Outcome.Kind.CANCELLED, null)));
    }

    /**
     * Takes a last checkpoint and stops: what a process that is told to end does. Waits for at most twice {@code limit}; a
     * checkpoint that is not complete by then is given up, and the one before it stays the newest.
     */
    public void stopWithCheckpoint(Duration limit) {
        if (outcome.isDone()) {
            return;
        }
        LOG.info("job {} is told to end: a final checkpoint is taken", spec.jobName());
        try {
            CompletableFuture.anyOf(checkpoint(), outcome).get(limit.toMillis(), TimeUnit.MILLISECONDS);
            cancel();
            outcome.get(limit.toMillis(), TimeUnit.MILLISECONDS);
            LOG.info(
                    "job {} has stopped; checkpoint {} is its newest",
                    spec.jobName(),
                    checkpoints.stats().lastId());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (java.util.concurrent.TimeoutException | java.util.concurrent.ExecutionException e) {
            LOG.warn(
                    "job {} ends without a final checkpoint; --restore=auto goes on from checkpoint {}: {}",
                    spec.jobName(),
                    checkpoints.stats().lastId(),
                    e.toString());
        }
    }

    private void end(Outcome how) {
        if (ending) {
            return;
        }
        ending = true;
        tasks.forEach(how.kind() == Outcome.Kind.DONE ? StageTask::shutdown : StageTask::cancel);
        CompletableFuture<?>[] ends = tasks.stream().map(StageTask::terminated).toArray(CompletableFuture<?>[]::new);
        Throwable problem = how.cause();
        try {
            CompletableFuture.allOf(ends).get(STOP_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (java.util.concurrent.TimeoutException e) {
            LOG.warn("some tasks did not stop within {} ms; their threads are left behind", STOP_MILLIS);
        } catch (java.util.concurrent.ExecutionException e) {
            if (problem == null) {
                problem = e.getCause();
            }
        }
        problem = closeAll(how, problem);
        Outcome last = problem != null && how.kind() == Outcome.Kind.DONE
                ? new Outcome(Outcome.Kind.FAILED, problem)
                : new Outcome(how.kind(), problem);
        coordinator.shutdown();
        background.shutdown();
        compaction.shutdown();
        delayed.shutdown();
        outcome.complete(last);
    }

    private @Nullable Throwable closeAll(Outcome how, @Nullable Throwable cause) {
        Throwable problem = cause;
        try {
            tasks.forEach(task -> {
                if (task.spec().state() != null) {
                    task.spec().state().close();
                }
            });
            backend.close();
            if (how.kind() == Outcome.Kind.DONE && spec.removeWhenDone()) {
                store.remove();
            }
            store.close();
        } catch (RuntimeException e) {
            if (problem == null) {
                problem = e;
            } else {
                problem.addSuppressed(e);
            }
        }
        return problem;
    }

    /** Completes, always normally, when the job has ended and its threads and files are closed. */
    public CompletableFuture<Outcome> outcome() {
        return outcome.copy();
    }

    // ---- what others may ask

    /** What was counted so far, before a restore too. */
    public MetricsContainerStepMap attemptedMetrics() {
        return metrics.total(tasks.stream().map(StageTask::metrics).toList());
    }

    /** What the newest checkpoint contains of it; all of it once the job is done; empty when there is no checkpoint. */
    public Optional<MetricsContainerStepMap> committedMetrics() {
        boolean done = outcome.isDone() && outcome.join().kind() == Outcome.Kind.DONE;
        return done ? Optional.of(attemptedMetrics()) : Optional.ofNullable(metrics.committed());
    }

    /** Requests made to the object store so far. */
    public RequestCounts requests() {
        return store.requests();
    }

    /** Where the job's files are, unless they go when it is done and it is. */
    public Optional<String> keptState() {
        boolean removed =
                spec.removeWhenDone() && outcome.isDone() && outcome.join().kind() == Outcome.Kind.DONE;
        String root = spec.stateUri();
        return removed ? Optional.empty() : Optional.of(root + (root.endsWith("/") ? "" : "/") + spec.jobName());
    }

    /** How the tasks are doing, by stage and index. */
    public List<TaskFigures> taskFigures() {
        return tasks.stream()
                .map(task -> new TaskFigures(
                        task.stage().id(),
                        task.spec().index(),
                        task.processedElements(),
                        task.releasedWatermarkMillis(),
                        task.asyncMetrics(),
                        task.cellMetrics()))
                .toList();
    }

    /** What a progress line says. */
    public Progress progress() {
        long records = 0;
        long inFlight = 0;
        long waiting = 0;
        long parked = 0;
        long blocked = 0;
        long watermark = Long.MAX_VALUE;
        for (StageTask task : tasks) {
            if (task.stage().source()) {
                records += task.processedElements();
            }
            AsyncMetrics async = task.asyncMetrics();
            inFlight += async.inFlight();
            waiting += async.fetching();
            parked += async.parked();
            blocked += async.blocked();
            watermark = Math.min(watermark, task.releasedWatermarkMillis());
        }
        Checkpoints.Stats done = checkpoints.stats();
        return new Progress(
                records,
                watermark,
                inFlight,
                waiting,
                parked,
                blocked,
                done.committed(),
                done.lastId(),
                done.lastMillis(),
                done.lastBytes(),
                done.failed());
    }

    /** Reads, delayed reads and hand-overs of a run with delayed reads. */
    public DelayCounts delayCounts() {
        long handOvers = tasks.stream()
                .mapToLong(task -> task.asyncMetrics().handOvers())
                .sum();
        return delays == null
                ? new DelayCounts(0, 0, handOvers)
                : new DelayCounts(delays.reads(), delays.delayedReads(), handOvers);
    }

    /** Counts of the delayed-read test mode. */
    public record DelayCounts(long reads, long delayedReads, long handOvers) {}

    /**
     * How a job is doing.
     *
     * @param records taken from sources
     * @param watermarkMillis least released watermark of all tasks
     * @param inFlight computations admitted and not finished
     * @param waiting of these, for state that is read before their body
     * @param parked of these, for state that is read in the middle of their body
     * @param blocked of these, behind another of their key
     * @param checkpoints committed
     */
    public record Progress(
            long records,
            long watermarkMillis,
            long inFlight,
            long waiting,
            long parked,
            long blocked,
            long checkpoints,
            long lastCheckpoint,
            long lastCheckpointMillis,
            long lastCheckpointBytes,
            long failedCheckpoints) {}

    /** Calls {@code each} at this interval while the job runs. */
    public void everyInterval(Duration interval, Runnable each) {
        scheduler.schedule(interval.toNanos(), () -> {
            if (!outcome.isDone()) {
                each.run();
                everyInterval(interval, each);
            }
        });
    }

    /** The job's failure as an exception of this project. */
    public static RuntimeException asException(Throwable cause) {
        return cause instanceof RuntimeException known ? known : new Failed(String.valueOf(cause.getMessage()), cause);
    }
}
