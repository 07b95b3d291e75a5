// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

import dev.disagg.runner.task.SimulatedTask;
import dev.disagg.state.ByteStore;
import dev.disagg.state.KeyRange;
import dev.disagg.state.cell.KeyHash;
import dev.disagg.state.heap.HeapBackend;
import dev.disagg.ufs.JobFiles;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.Pack;
import dev.disagg.ufs.Retries;
import dev.disagg.ufs.memory.MemoryStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.LongFunction;
import java.util.function.UnaryOperator;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.WindowedValue;
import org.jspecify.annotations.Nullable;

/** Runs a {@link Plan} in a simulation: feeds its tasks, ends and restores them at checkpoints, keeps what came out. */
final class FeedRun<T> {
    /** Checkpoints that tasks may ask for; more are a task that goes in circles. */
    private static final int MOST_CHECKPOINTS = 200;

    /** What had come of a task when it was over with what is before a barrier. */
    private record Mark(Map<String, Integer> seen, int outs, OwnerRecord record) {}

    private final Plan plan;
    private final World world;
    private final HeapBackend backend;
    private final JobFiles files;
    /** What the DoFns have seen; what came after a checkpoint that is restored is taken back. */
    final Trace<T> trace;
    /** Of failures: all that a key had seen. */
    final Map<String, List<List<T>>> lost = new TreeMap<>();

    final List<WindowedValue<?>> outs = new ArrayList<>();
    /** Told of each watermark that a task releases, and of how much its keys have seen by then. */
    private BiConsumer<Map<String, Integer>, Long> onRelease = (seen, millis) -> {};
    /** Makes what is fed out of what is planned, as a source does that gives other elements after a failure. */
    private LongFunction<UnaryOperator<Fed>> feeding = attempt -> item -> item;

    /** Whether outputs may be behind the watermark. */
    private boolean late;

    private @Nullable Throwable failure;
    private Generation generation;
    private long failing;
    private long told;
    long restores;
    long handOvers;
    long checkpoints;

    FeedRun(Plan plan, List<String> keys, World world) {
        this.plan = plan;
        this.world = world;
        files = JobFiles.open(MemoryStore.create(this::nowMillis), "job", 1, "p", Retries.none());
        backend = new HeapBackend(files, Runnable::run);
        trace = new Trace<>(keys, () -> told);
        generation = new Generation(0, 1, List.of());
    }

    FeedRun<T> onRelease(BiConsumer<Map<String, Integer>, Long> listener) {
        onRelease = listener;
        return this;
    }

    FeedRun<T> feeding(LongFunction<UnaryOperator<Fed>> byAttempt) {
        feeding = byAttempt;
        return this;
    }

    FeedRun<T> late(boolean allowed) {
        late = allowed;
        return this;
    }

    private long nowMillis() {
        return TimeUnit.NANOSECONDS.toMillis(world.nanoTime());
    }

    void run() {
        trace.makeCurrent();
        generation.start();
        while (true) {
            world.until(() -> failure != null || failing > 0 || generation.finished == generation.size);
            if (failure != null) {
                throw new AssertionError("a task failed", failure);
            }
            if (failing == 0) {
                break;
            }
            restore();
        }
        generation.end(true);
        generation.members.forEach(member -> outs.addAll(member.outs));
    }

    private void restore() {
        restores++;
        Generation old = generation;
        old.end(false);
        // Never one before that of which a task has heard.
        long checkpoint = Math.max(failing, told);
        failing = 0;
        told = checkpoint;
        int size = plan.restores().getOrDefault(checkpoint, 1);
        generation = new Generation(checkpoint, size, old.forget(checkpoint));
        generation.start();
    }

    private static int owner(String key, int tasks) {
        return KeyRange.owner(KeyRange.group(KeyHash.of(key.getBytes(StandardCharsets.UTF_8))), tasks);
    }

    private final class Generation {
        final long from;
        final int size;
        final List<Member> members = new ArrayList<>();
        private final List<Fed> items;
        private final UnaryOperator<Fed> source;
        private int next;
        private boolean started;
        private boolean over;
        private boolean fedAll;
        private boolean asked;
        /** The newest checkpoint that was begun, and the newest that is durable. */
        private long last;

        private long stored;
        private int finished;
        private Fed.@Nullable Mark awaited;

        Generation(long from, int size, List<ByteStore.Parent> parents) {
            this.from = from;
            this.size = size;
            last = from;
            stored = from;
            items = plan.from(from);
            source = feeding.apply(restores);
            for (int index = 0; index < size; index++) {
                members.add(new Member(this, index, parents));
            }
        }

        void start() {
            started = true;
            // A task whose first thread is refused has failed.
            world.refuseThreads(0);
            members.forEach(member -> member.task.start());
            world.refuseThreads(plan.setting().refusePercent());
            feedLater();
        }

        private void feedLater() {
            world.after(1 + world.random().nextLong(plan.setting().maxGapNanos()), this::feed);
        }

        private void feed() {
            if (over || failure != null) {
                return;
            }
            int left = 1 + world.random().nextInt(plan.setting().chunk());
            while (left-- > 0 && next < items.size() && isActedOn()) {
                send(source.apply(items.get(next++)));
            }
            if (next < items.size() || !isActedOn()) {
                feedLater();
                return;
            }
            for (Member member : members) {
                for (int channel = 0; channel < plan.channels(); channel++) {
                    member.task.end(channel);
                }
            }
            fedAll = true;
            checkpointIfAsked();
        }

        /** Whether nothing stands in the way of the next item. */
        private boolean isActedOn() {
            Fed.Mark mark = awaited;
            if (mark != null && members.stream().allMatch(member -> member.task.hasTaken(mark.millis()))) {
                awaited = null;
            }
            return awaited == null;
        }

        private void send(Fed item) {
            if (item instanceof Fed.Give give) {
                members.get(owner(give.key(), size)).task.elements(0, List.of(give.value()));
            }
            for (Member member : members) {
                if (item instanceof Fed.Pane pane) {
                    member.task.pane(1, pane.window(), pane.number(), pane.elements());
                } else if (item instanceof Fed.BarrierAt at) {
                    last = at.checkpoint();
                    member.task.barrier(at.channel(), at.checkpoint());
                } else if (item instanceof Fed.Mark mark) {
                    member.task.watermark(mark.channel(), mark.millis());
                    awaited = mark.alone() ? mark : null;
                }
            }
        }

        /** Once all has been fed, tasks get the checkpoints that they need; before, those of the plan. */
        private void checkpointIfAsked() {
            // One at a time.
            if (!asked || !fedAll || stored < last) {
                return;
            }
            asked = false;
            world.after(1 + world.random().nextLong(plan.setting().maxGapNanos()), () -> {
                if (over || failure != null) {
                    return;
                }
                if (++checkpoints > MOST_CHECKPOINTS) {
                    failure = new AssertionError(checkpoints + " checkpoints and no end");
                    return;
                }
                last++;
                for (Member member : members) {
                    for (int channel = 0; channel < plan.channels(); channel++) {
                        member.task.barrier(channel, last);
                    }
                }
            });
        }

        void end(boolean well) {
            over = true;
            members.forEach(member -> {
                if (well) {
                    member.task.shutdown();
                } else {
                    member.task.cancel();
                }
            });
            world.until(() ->
                    members.stream().allMatch(member -> member.task.terminated().isDone()));
            members.forEach(member -> handOvers += member.task.metrics().handOvers());
            if (well) {
                world.until(() -> members.stream().allMatch(member -> member.task.readsAreOver()));
                started = false;
                members.forEach(member -> member.task.close());
            }
        }

        List<ByteStore.Parent> forget(long checkpoint) {
            List<ByteStore.Parent> parents = new ArrayList<>();
            trace.sizes()
                    .keySet()
                    .forEach(key ->
                            lost.computeIfAbsent(key, each -> new ArrayList<>()).add(new ArrayList<>(trace.log(key))));
            for (Member member : members) {
                Mark mark = member.marks.get(checkpoint);
                if (mark == null) {
                    throw new AssertionError("no snapshot of " + member.task);
                }
                outs.addAll(member.outs.subList(0, mark.outs));
                mark.seen.forEach((key, seen) -> {
                    List<T> log = trace.log(key);
                    log.subList(seen, log.size()).clear();
                });
                parents.add(new ByteStore.Parent(KeyRange.of(member.index, size), mark.record));
                member.task.close();
            }
            return parents;
        }

        private void stored(long checkpoint) {
            if (!members.stream().allMatch(member -> member.marks.containsKey(checkpoint))) {
                return;
            }
            stored = Math.max(stored, checkpoint);
            for (Member member : members) {
                world.after(1 + world.random().nextLong(2 * plan.setting().maxGapNanos()), () -> {
                    if (!over) {
                        told = Math.max(told, checkpoint);
                        tell(member, checkpoint);
                    }
                });
            }
            if (plan.restores().containsKey(checkpoint) && checkpoint > from) {
                world.after(1 + world.random().nextLong(6 * plan.setting().maxGapNanos()), () -> {
                    if (!over && finished < size && generation == this) {
                        failing = Math.max(failing, checkpoint);
                    }
                });
            }
            checkpointIfAsked();
        }
    }

    private void tell(Member member, long checkpoint) {
        try {
            member.task.committed(checkpoint);
        } catch (RejectedExecutionException e) {
            if (!member.of.over) {
                throw e;
            }
        }
    }

    private final class Member implements SimulatedTask.Listener {
        private final Generation of;
        private final int index;
        private final SimulatedTask task;
        private final List<WindowedValue<?>> outs = new ArrayList<>();
        private final Map<Long, Mark> marks = new ConcurrentHashMap<>();
        private long released = JobProgram.MIN;

        Member(Generation of, int index, List<ByteStore.Parent> parents) {
            this.of = of;
            this.index = index;
            KeyRange range = KeyRange.of(index, of.size);
            List<ByteStore.Parent> mine = parents.stream()
                    .filter(parent -> parent.range().firstGroup() < range.endGroup()
                            && range.firstGroup() < parent.range().endGroup())
                    .toList();
            task = new SimulatedTask(
                    plan.graph(),
                    plan.stage(),
                    index,
                    range,
                    1,
                    plan.setting().bounds(),
                    new SimulatedTask.Place(
                            world.threads(),
                            world::nanoTime,
                            FeedRun.this::nowMillis,
                            backend.open("step[" + index + "]", range, mine).join(),
                            this::far),
                    this);
        }

        private void far(Runnable answer) {
            // What is read to restore a task is read before it runs.
            if (!of.started || world.random().nextInt(100) < plan.setting().residentPercent()) {
                answer.run();
            } else {
                world.after(1 + world.random().nextLong(plan.setting().maxLatencyNanos()), answer);
            }
        }

        private Map<String, Integer> seen() {
            Map<String, Integer> seen = trace.sizes();
            seen.keySet().removeIf(key -> owner(key, of.size) != index);
            return seen;
        }

        @Override
        public void output(WindowedValue<?> value) {
            outs.add(value);
            if (!late && value.getTimestamp().getMillis() < released) {
                failed(new AssertionError(value + " is late: the watermark " + released + " was released before"));
            }
        }

        @Override
        public void watermark(long millis) {
            if (millis < released) {
                failed(new AssertionError("the watermark went back from " + released + " to " + millis));
            }
            released = millis;
            onRelease.accept(seen(), millis);
        }

        @Override
        public void snapshot(long checkpoint, ByteStore.Frozen state) {
            Map<String, Integer> seen = seen();
            int outsBefore = outs.size();
            world.after(1 + world.random().nextLong(plan.setting().maxGapNanos()), () -> {
                Pack pack = files.createPack();
                state.flush(pack).whenComplete((record, broken) -> {
                    if (broken != null) {
                        failed(broken);
                        return;
                    }
                    pack.seal().join();
                    marks.put(checkpoint, new Mark(seen, outsBefore, record));
                    of.stored(checkpoint);
                });
            });
        }

        @Override
        public void checkpointNeeded() {
            of.asked = true;
            of.checkpointIfAsked();
        }

        @Override
        public void finished() {
            of.finished++;
        }

        @Override
        public void failed(Throwable cause) {
            if (failure == null && !of.over) {
                failure = cause;
            }
        }
    }

    static String key(WindowedValue<?> out) {
        return (String) ((KV<?, ?>) out.getValue()).getKey();
    }
}
