// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.engine;

import dev.disagg.async.AsyncOptions;
import dev.disagg.async.Watch;
import dev.disagg.async.WorkerThreads;
import dev.disagg.runner.graph.Head;
import dev.disagg.runner.graph.StageGraph;
import dev.disagg.runner.graph.StageGraph.Stage;
import dev.disagg.runner.task.DelaySource;
import dev.disagg.runner.task.KeyedTask;
import dev.disagg.runner.task.ScriptClock;
import dev.disagg.runner.task.ScriptedTask;
import dev.disagg.runner.task.SharedWork;
import dev.disagg.runner.task.SourceTask;
import dev.disagg.runner.task.Splits;
import dev.disagg.runner.task.StageTask;
import dev.disagg.runner.task.StraightTask;
import dev.disagg.runner.task.TaskHeader;
import dev.disagg.runner.task.TaskHost;
import dev.disagg.runner.task.TaskSpec;
import dev.disagg.state.ByteStore;
import dev.disagg.state.KeyRange;
import dev.disagg.state.ManifestHeader;
import dev.disagg.state.StateBackend;
import dev.disagg.state.cell.TaskState;
import dev.disagg.state.cell.TaskStateOptions;
import dev.disagg.ufs.OwnerRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.beam.sdk.metrics.MetricsContainer;
import org.apache.beam.sdk.metrics.MetricsEnvironment;
import org.jspecify.annotations.Nullable;

/** Makes the tasks of a plan, with their state opened, fresh or from a checkpoint. */
final class JobTasks {
    /** Share of the state memory that cached cells get; the rest is the backend's. */
    private static final int CELL_SHARE = 2;

    private static final WorkerThreads THREADS = WorkerThreads.virtualIfAvailable();

    private final StageGraph graph;
    private final JobSpec spec;
    private final TaskHost host;
    private final JobMetrics metrics;
    private final StateBackend backend;
    private final Map<String, OwnerRecord> owners;
    private final @Nullable DelaySource delays;
    private final @Nullable ScriptClock script;
    private final Topology topology;
    private final Watch watch;
    private final Map<String, List<byte[]>> splitsOfStage = new LinkedHashMap<>();
    private final Map<String, SharedWork> sharedWorkOfStage = new LinkedHashMap<>();

    /** @param owners of the checkpoint to start from; empty for a fresh start */
    JobTasks(
            StageGraph graph,
            JobSpec spec,
            TaskHost host,
            JobMetrics metrics,
            StateBackend backend,
            Map<String, OwnerRecord> owners,
            @Nullable DelaySource delays,
            @Nullable ScriptClock script) {
        this.graph = graph;
        this.spec = spec;
        this.host = host;
        this.metrics = metrics;
        this.backend = backend;
        this.owners = owners;
        this.delays = delays;
        this.script = script;
        this.watch = new Watch(THREADS, host::nanoTime);
        this.topology = new Topology(graph, spec.copyElements(), backend.sharedRuns(), spec.smallPaneBytes());
    }

    private record Slot(Stage stage, int index) {
        KeyRange range() {
            return KeyRange.of(index, stage.parallelism());
        }
    }

    /** All tasks, by stage and index. States are opened concurrently. */
    List<StageTask> make() {
        List<Slot> slots = new ArrayList<>();
        graph.stages().forEach(stage -> {
            for (int index = 0; index < stage.parallelism(); index++) {
                slots.add(new Slot(stage, index));
            }
        });
        Map<Slot, CompletableFuture<ByteStore.Opened>> opening = new LinkedHashMap<>();
        slots.stream()
                .filter(slot -> slot.stage().stateful())
                .forEach(slot -> opening.put(
                        slot,
                        backend.open(
                                Checkpoints.ownerName(slot.stage().id(), slot.index()), slot.range(), parents(slot))));
        TaskStateOptions cells = TaskStateOptions.DEFAULT.withCacheBytes(
                spec.stateMemoryBytes() / CELL_SHARE / Math.max(1, opening.size()));
        List<StageTask> tasks = new ArrayList<>();
        for (Slot slot : slots) {
            CompletableFuture<ByteStore.Opened> opened = opening.get(slot);
            tasks.add(make(slot, opened == null ? null : TaskState.open(Joined.get(opened), cells)));
        }
        return tasks;
    }

    /**
     * The predecessors of a task: those that owned some of its keys. Splits of a source are not bound to keys: after a
     * change of parallelism each task sees all of them, and keeps its own.
     */
    private List<ByteStore.Parent> parents(Slot slot) {
        List<ByteStore.Parent> ofStage = new ArrayList<>();
        owners.forEach((owner, record) -> {
            if (Checkpoints.isOwnerOf(owner, slot.stage().id())) {
                ofStage.add(
                        new ByteStore.Parent(ManifestHeader.of(owner, record).range(), record));
            }
        });
        KeyRange mine = slot.range();
        List<ByteStore.Parent> same =
                ofStage.stream().filter(parent -> parent.range().equals(mine)).toList();
        if (!same.isEmpty()) {
            return same;
        }
        return slot.stage().source()
                ? ofStage
                : ofStage.stream()
                        .filter(parent -> overlap(parent.range(), mine))
                        .toList();
    }

    private static boolean overlap(KeyRange a, KeyRange b) {
        return a.firstGroup() < b.endGroup() && b.firstGroup() < a.endGroup();
    }

    private StageTask make(Slot slot, @Nullable TaskState state) {
        Stage stage = slot.stage();
        String owner = Checkpoints.ownerName(stage.id(), slot.index());
        List<TaskHeader> restored = state == null
                ? List.of()
                : state.restoredHeaders().stream()
                        .map(header -> TaskHeader.decode(header, owner))
                        .toList();
        boolean handOver = stage.transforms().stream().noneMatch(spec.synchronous());
        TaskSpec task = new TaskSpec(
                stage,
                slot.index(),
                slot.range(),
                topology.inbound(stage.index(), slot.index()),
                topology.channelEdges(stage.index(), slot.index()),
                topology.outputs(stage.index(), slot.index()),
                state,
                restored,
                spec.maxBundleElements(),
                spec.maxBundleTime().toNanos(),
                handOver,
                sharedWork(stage),
                delays);
        AsyncOptions async = AsyncOptions.defaults(THREADS, host::nanoTime)
                .withMaxInFlight(handOver ? spec.maxInFlightComputations() : 1)
                .withMaxParked(spec.maxParkedComputations())
                .withHandOver(handOver)
                .withWatch(watch)
                .withMaxBody(spec.maxCallTime().toNanos())
                .withWatchdog(
                        spec.slowCallTime().toNanos(),
                        "run the transform with --synchronousTransforms="
                                + stage.transforms().get(0)
                                + "; for calls that rightly take so long, raise --slowCallTime and --maxCallTime");
        if (stage.keyed()) {
            return new KeyedTask(task, host, async);
        }
        if (stage.head() instanceof Head.Scripted && script != null) {
            return new ScriptedTask(task, host, async, script);
        }
        if (stage.head() instanceof Head.Source source) {
            boolean fresh = restored.isEmpty();
            return new SourceTask(task, host, async, fresh ? splits(stage, source) : null);
        }
        return new StraightTask(task, host, async);
    }

    private @Nullable SharedWork sharedWork(Stage stage) {
        boolean shares = stage.head() instanceof Head.Bounded || stage.head() instanceof Head.Splittable;
        return shares && stage.parallelism() > 1
                ? sharedWorkOfStage.computeIfAbsent(stage.id(), id -> new SharedWork(stage.parallelism()))
                : null;
    }

    private List<byte[]> splits(Stage stage, Head.Source source) {
        return splitsOfStage.computeIfAbsent(stage.id(), id -> {
            MetricsContainer before = MetricsEnvironment.setCurrentContainer(metrics.outsideTasks(source.name()));
            try {
                return Splits.of(source, stage.parallelism(), host.options());
            } finally {
                MetricsEnvironment.setCurrentContainer(before);
            }
        });
    }
}
