// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.async.AsyncMetrics;
import dev.disagg.async.AsyncOptions;
import dev.disagg.async.AsyncTask;
import dev.disagg.async.Duty;
import dev.disagg.async.Epoch;
import dev.disagg.async.Worker;
import dev.disagg.runner.graph.StageGraph.Stage;
import dev.disagg.runner.state.Reads;
import dev.disagg.state.cell.CellMetrics;
import dev.disagg.state.cell.TaskState;
import dev.disagg.ufs.Failed;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.ObjIntConsumer;
import org.apache.beam.runners.core.InMemoryBundleFinalizer;
import org.apache.beam.runners.core.SideInputReader;
import org.apache.beam.runners.core.metrics.MetricsContainerStepMap;
import org.apache.beam.sdk.metrics.MetricsContainer;
import org.apache.beam.sdk.options.PipelineOptions;
import org.jspecify.annotations.Nullable;

/**
 * One parallel instance of a stage: what is common to all kinds. It owns one leader thread at a time (see {@link
 * AsyncTask}); everything here is the leader's unless it says otherwise. Subclasses say what an element does and when a
 * watermark passes.
 *
 * <p>Input comes by {@link Inbound}; a barrier blocks its channel until all channels have brought it, then what is started
 * is finished, bundles are closed, state is frozen, the barrier goes on, and input opens again.
 */
public abstract class StageTask implements Duty, Services {
    /** Elements taken per turn, between looks at what else there is to do. */
    static final int TURN = 512;

    private final TaskSpec spec;
    private final TaskHost host;
    private final AsyncTask async;
    private final Inbound inbound;
    private final Outbound outbound;
    private final Reads reads;
    private final Chains chains;
    private final MetricsContainerStepMap metrics = new MetricsContainerStepMap();

    private final Batch batch;
    private final ObjIntConsumer<Object> elementTaken = (item, channel) -> element(channel, item);
    private final Alignment alignment;
    private final @Nullable Sharing sharing;
    private volatile boolean draining;
    private long lastSnapshot;
    /** Whether something waited for the last snapshot, and whether its checkpoint was given up. */
    private boolean snapshotWasNeeded;

    private boolean neededAgain;
    private boolean askedForCheckpoint;
    private boolean askedForLast;
    private int openChannels;
    private boolean ended;
    private volatile long outputWatermark;
    private volatile long processed;
    private volatile @Nullable String failingStep;
    /** Whether this task counts as active; it begins so, until it has been idle once. */
    private boolean active = true;

    StageTask(TaskSpec spec, TaskHost host, AsyncOptions asyncOptions) {
        this.spec = spec;
        this.host = host;
        this.async = new AsyncTask(spec.name(), this, asyncOptions);
        this.inbound = spec.inbound();
        this.outbound = new Outbound(spec.outputs(), async::wake);
        this.reads = spec.delayedReads() == null ? new TaskReads(async) : new DelayedReads(async, spec.delayedReads());
        spec.outputs().forEach(output -> output.waitBy(reads));
        this.batch = new Batch(inbound);
        this.chains = new Chains(spec, async::runOn, async::advance);
        this.alignment = new Alignment(inbound);
        this.sharing = spec.sharedWork() == null ? null : new Sharing(spec.sharedWork(), this);
        this.openChannels = inbound.channels();
        this.outputWatermark = spec.restoredOutputWatermark();
        inbound.onInput(async::wake, host.activity());
        host.activity().begin();
    }

    /** Begins to run. After a restore, says first what had been released: those who read have forgotten it. */
    public void start() {
        if (outputWatermark > Frontier.MIN) {
            async.execute(() -> outbound.watermark(outputWatermark));
        }
        async.start();
    }

    /** Ends without finishing what is started. Any thread. */
    public void cancel() {
        async.close();
    }

    /** Ends after {@link TaskHost#finished}. Any thread. */
    public void shutdown() {
        async.shutdown();
    }

    /** Completes when no thread of this task is left. Any thread. */
    public CompletableFuture<Void> terminated() {
        return async.terminated();
    }

    /** Runs {@code call} on the leader, between computations. Any thread. */
    public void execute(Runnable call) {
        async.execute(call);
    }

    public String name() {
        return spec.name();
    }

    public Stage stage() {
        return spec.stage();
    }

    public TaskSpec spec() {
        return spec;
    }

    /** What this task has counted. Any thread. */
    public MetricsContainerStepMap metrics() {
        return metrics;
    }

    /** Any thread. */
    public long releasedWatermarkMillis() {
        return outputWatermark;
    }

    /** Elements taken in so far. Any thread. */
    public long processedElements() {
        return processed;
    }

    /** Any thread. */
    public AsyncMetrics asyncMetrics() {
        return async.metrics();
    }

    /** Of its state in memory; empty when it keeps none. Any thread. */
    public Optional<CellMetrics> cellMetrics() {
        return Optional.ofNullable(spec.state()).map(TaskState::metrics);
    }

    final AsyncTask async() {
        return async;
    }

    final TaskHost host() {
        return host;
    }

    final Outbound outbound() {
        return outbound;
    }

    /** The chain of the current worker. */
    final Chain chain() {
        Chain chain = (Chain) async.currentWorker().attachment();
        if (chain == null) {
            throw new IllegalStateException("a worker of " + name() + " has no chain");
        }
        return chain;
    }

    final Chains chains() {
        return chains;
    }

    // ---- Duty

    @Override
    public int poll() {
        if (!outbound.canEmit()) {
            return 0;
        }
        int work = takeOwnWork();
        while (work < TURN && async.room() > 0 && barrierIsOpen()) {
            if (batch.isEmpty() && !nextMessage()) {
                break;
            }
            int taken = batch.take(Math.min(TURN, async.room()), elementTaken);
            processed += taken;
            work += taken + 1;
        }
        afterTurn();
        return work;
    }

    private boolean barrierIsOpen() {
        return !async.isDraining();
    }

    private boolean nextMessage() {
        Message message = inbound.poll();
        if (message == null) {
            return false;
        }
        takeOver();
        if (message instanceof Message.Elements elements) {
            batch.begin(elements);
        } else if (message instanceof Message.Watermark watermark) {
            channelWatermark(watermark.channel(), watermark.millis());
        } else if (message instanceof Message.BarrierAt at) {
            if (alignment.arrived(at.channel(), at.barrier())) {
                drainForSnapshot();
            }
        } else {
            openChannels--;
            channelWatermark(message.channel(), Frontier.MAX);
        }
        return true;
    }

    /** Takes part in a checkpoint, in the place of a barrier: for tasks without input. Any thread. */
    public final void inject(Barrier barrier) {
        call(() -> {
            alignment.now(barrier);
            drainForSnapshot();
        });
    }

    private void drainForSnapshot() {
        if (sharing == null) {
            async.requestDrain();
        } else {
            sharing.requestDrain();
        }
    }

    /** This task's part in what the tasks of its stage give to each other; null where they do not. */
    public final @Nullable Sharing sharing() {
        return sharing;
    }

    /** The last checkpoint for which a snapshot was taken, 0 for none. */
    final long lastSnapshot() {
        return lastSnapshot;
    }

    /**
     * Takes work over from another task of the stage.
     *
     * @param snapshot the giver's last one: with another one here, the work would be in no checkpoint, or in it twice
     * @return false when it does not
     */
    boolean takesOver(Object work, long snapshot) {
        return false;
    }

    /** Stops reading, and finishes what was read. Any thread. */
    public final void drain() {
        draining = true;
        call(this::drainBegun);
    }

    /** As {@link #drain}. Leader. */
    void drainBegun() {}

    /** Whether {@link #committed} is of interest. Any thread. */
    public boolean hearsOfCommits() {
        return gate() != null;
    }

    /** The checkpoint, and so all earlier ones, are durable. Any thread. */
    public final void committed(long checkpoint) {
        call(() -> whenCommitted(checkpoint));
    }

    /** The checkpoint was given up: who waits for it waits for the next one. Any thread. */
    public final void givenUp(long checkpoint) {
        call(() -> {
            if (checkpoint == lastSnapshot && snapshotWasNeeded) {
                neededAgain = true;
                askedForCheckpoint = false;
                askedForLast = false;
            }
        });
    }

    @Override
    public void drained() {
        Barrier at = alignment.barrier();
        if (at == null) {
            async.resumeInput();
            return;
        }
        chains.finishAll();
        chains.flush();
        outbound.flush();
        TaskState state = spec.state();
        snapshotWasNeeded = neededAgain || needsCheckpoint();
        neededAgain = false;
        beforeSnapshot(at.checkpoint());
        List<InMemoryBundleFinalizer.Finalization> withIt = chains.takeFinalizations();
        askedForCheckpoint = false;
        askedForLast = false;
        MetricsContainerStepMap counted = new MetricsContainerStepMap();
        counted.updateAll(metrics);
        host.snapshot(
                this,
                at,
                new Snapshot(
                        state == null ? null : state.freezeBriefly(at.checkpoint(), header().encode()),
                        counted,
                        withIt));
        outbound.barrier(at);
        alignment.done();
        lastSnapshot = at.checkpoint();
        async.resumeInput();
    }

    @Override
    public long idle() {
        if (chains.finishAll()) {
            afterTurn();
            return 0;
        }
        chains.flush();
        releaseWatermark();
        if (!watermarkIsNear()) {
            outbound.flush();
        }
        askForCheckpointIfNeeded(nothingMoreComes());
        if (active && isQuiet()) {
            becameIdle();
            active = false;
            host.activity().end();
        }
        // A checkpoint may wait for the state.
        return maintain() ? 0 : nextWakeNanos();
    }

    /** Whether nothing is left to do until something comes from outside. */
    boolean isQuiet() {
        Entrance waiting = entrance();
        return async.inFlight() == 0 && batch.isEmpty() && inbound.isEmpty() && (waiting == null || waiting.isQuiet());
    }

    /** The task is about to count as idle. */
    void becameIdle() {}

    /** The task takes over one count of activity that was begun for it. */
    final void takeOver() {
        if (active) {
            host.activity().end();
        } else {
            active = true;
        }
    }

    /** Looks for work that time has made due. Any thread. */
    final void timeAdvanced() {
        call(() -> {});
    }

    /** Has the leader run {@code call}, which counts as activity. Any thread. */
    final void call(Runnable call) {
        host.activity().begin();
        try {
            execute(() -> {
                takeOver();
                call.run();
            });
        } catch (java.util.concurrent.RejectedExecutionException e) {
            host.activity().end();
            throw e;
        }
    }

    private void askForCheckpointIfNeeded(boolean last) {
        if (!neededAgain && !needsCheckpoint()) {
            return;
        }
        if (!askedForCheckpoint || (last && !askedForLast)) {
            askedForCheckpoint = true;
            askedForLast = last;
            host.checkpointNeeded(last);
        }
    }

    @Override
    public Object workerStarted(Worker worker) {
        Chain chain = Chain.of(worker, spec.stage(), this);
        chains.add(chain);
        return chain;
    }

    @Override
    public void workerStopped(Worker worker, @Nullable Object attachment) {
        if (attachment instanceof Chain chain) {
            chains.remove(chain);
            chain.teardown();
        }
    }

    @Override
    public void failed(Throwable cause) {
        String step = failingStep;
        host.failed(
                this, step == null ? cause : new Failed("step '" + step + "' failed: " + cause.getMessage(), cause));
    }

    @Override
    public void stuck(String text) {
        host.stuck(this, text);
    }

    @Override
    public void failing(String step) {
        if (failingStep == null) {
            failingStep = step;
        }
    }

    @Override
    public void released(Epoch epoch) {}

    // ---- what subclasses say

    /** An element of a channel. */
    abstract void element(int channel, Object item);

    /** The watermark of a channel advanced. */
    abstract void channelWatermark(int channel, long millis);

    /** The input watermark whose effects are all released. */
    abstract long inputWatermarkMillis();

    /** The greatest watermark that may be released now, before bundles are looked at. */
    abstract long releasableMillis();

    /** Work that is not a message: reading, timers of processing time. Returns its amount. */
    int takeOwnWork() {
        return 0;
    }

    /** By which elements come in; null where they come from no other stage. */
    @Nullable
    Entrance entrance() {
        return null;
    }

    private @Nullable StableGate gate() {
        Entrance waiting = entrance();
        return waiting == null ? null : waiting.gate();
    }

    /** The event time that timers are to know of when a snapshot taken now is committed. */
    long stableMillis() {
        return Frontier.MIN;
    }

    /** The same of processing time, milliseconds since the epoch. */
    long stableTimeMillis() {
        return Long.MIN_VALUE;
    }

    /** Puts what is kept outside of state into it. */
    void beforeSnapshot(long checkpoint) {
        StableGate gate = gate();
        if (gate != null) {
            gate.snapshot(checkpoint, stableMillis(), stableTimeMillis());
        }
    }

    /** What the snapshot says besides its state. */
    TaskHeader header() {
        return header(inputWatermarkMillis());
    }

    final TaskHeader header(long inputMillis) {
        StableGate gate = gate();
        return new TaskHeader(spec.range(), inputMillis, outputWatermark, gate == null ? List.of() : gate.steps());
    }

    /** As {@link #committed}. Leader. */
    void whenCommitted(long checkpoint) {
        StableGate gate = gate();
        if (gate != null) {
            gate.committed(checkpoint);
        }
    }

    /** Whether something waits for a checkpoint. */
    boolean needsCheckpoint() {
        StableGate gate = gate();
        return chains.hasFinalizations() || (gate != null && gate.wantsSnapshot(stableMillis(), stableTimeMillis()));
    }

    /** Whether all input has ended. */
    boolean nothingMoreComes() {
        return openChannels == 0;
    }

    /** Nanoseconds until there may be own work. */
    long nextWakeNanos() {
        return Long.MAX_VALUE;
    }

    // ---- bundles and watermarks

    private void afterTurn() {
        chains.finishDue(host.nanoTime());
        releaseWatermark();
        if (!watermarkIsNear()) {
            outbound.flush();
        }
        askForCheckpointIfNeeded(false);
        maintain();
    }

    /** Whether the state has more to do at once. */
    private boolean maintain() {
        TaskState state = spec.state();
        return state != null && state.maintain();
    }

    /** Sends the output watermark on, if it can advance. */
    final void releaseWatermark() {
        long releasable = releasableMillis();
        releasable = Math.min(releasable, chains.holdMillis());
        if (releasable > outputWatermark) {
            chains.flush();
            outputWatermark = releasable;
            outbound.watermark(releasable);
        }
        if (outputWatermark >= Frontier.MAX && !ended && mayEnd()) {
            ended = true;
            outbound.end();
            host.finished(this);
        }
    }

    /** Whether a watermark is about to be released: what was output before it travels with it. */
    boolean watermarkIsNear() {
        return false;
    }

    /** Whether the end of the output may be announced once the watermark is at its maximum. */
    boolean mayEnd() {
        return openChannels == 0;
    }

    final void countProcessed(int count) {
        processed += count;
    }

    // ---- Services

    @Override
    public PipelineOptions options() {
        return host.options();
    }

    @Override
    public MetricsContainer metrics(String step) {
        return metrics.getContainer(step);
    }

    @Override
    public SideInputReader sideInputs() {
        Entrance from = entrance();
        SideInputReader reader = from == null ? null : from.sideInputs();
        return reader == null ? org.apache.beam.runners.core.NullSideInputReader.empty() : reader;
    }

    @Override
    public Reads reads() {
        return reads;
    }

    @Override
    public TaskState state() {
        TaskState state = spec.state();
        if (state == null) {
            throw new IllegalStateException(name() + " keeps no state");
        }
        return state;
    }

    @Override
    public void share(byte[] key, org.apache.beam.sdk.values.WindowedValue<?> value) {
        throw new IllegalStateException(name() + " has no restrictions");
    }

    @Override
    public final boolean draining() {
        return draining;
    }

    @Override
    public long nowMillis() {
        return host.nowMillis();
    }

    @Override
    public ScheduledExecutorService delayed() {
        return host.delayed();
    }

    @Override
    public long outputWatermarkMillis() {
        return outputWatermark;
    }

    @Override
    public List<Receiver> outputs(int collection) {
        return outbound.receivers(collection);
    }
}
