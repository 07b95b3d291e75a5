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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.GlobalWindow;
import org.apache.beam.sdk.transforms.windowing.IntervalWindow;
import org.apache.beam.sdk.transforms.windowing.PaneInfo;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.WindowedValue;
import org.apache.beam.sdk.values.WindowedValues;
import org.joda.time.Instant;
import org.jspecify.annotations.Nullable;

/** Runs a program: feeds its tasks, ends and restores them at checkpoints, keeps what came out. */
final class JobRun {
    /** An element that came out. */
    record Out(String key, long value, long timestampMillis) {}

    /** A watermark that came out, and how much each key of the task had seen by then. */
    record Release(int tasks, int index, long millis, Map<String, Integer> seen) {}

    /** How much each key of a task had seen when its snapshot was taken. */
    record Snap(long checkpoint, Map<String, Integer> seen) {}

    /** What had come of a task when it was over with what is before a barrier. */
    private record Mark(Map<String, Integer> seen, int outs, int releases, OwnerRecord record) {}

    final JobProgram program;
    final Recorder recorder;
    final List<Release> releases = new ArrayList<>();
    final List<Out> outs = new ArrayList<>();
    final List<Snap> snaps = new ArrayList<>();
    private final World world;
    private final JobFiles files;
    private final HeapBackend backend;
    private @Nullable Throwable failure;
    private Generation generation;
    /** The checkpoint to restore, once it is complete. */
    private long failing;

    long handOvers;
    long reads;
    long restores;
    long swaps;

    JobRun(JobProgram program, World world) {
        this.program = program;
        this.world = world;
        files = JobFiles.open(MemoryStore.create(this::nowMillis), "job", 1, "p", Retries.none());
        backend = new HeapBackend(files, Runnable::run);
        recorder = new Recorder(program.seed, program.keys, this::nowMillis);
        generation = new Generation(0, 1, List.of());
    }

    private long nowMillis() {
        return TimeUnit.NANOSECONDS.toMillis(world.nanoTime());
    }

    /** Runs it to its end. */
    void run() {
        recorder.makeCurrent();
        generation.start();
        while (true) {
            world.until(() -> failure != null || failing > 0 || generation.ended());
            if (failure != null) {
                throw new AssertionError("a task failed", failure);
            }
            if (failing == 0) {
                break;
            }
            restore();
        }
        generation.shutdown();
        generation.collect();
    }

    private void restore() {
        restores++;
        long checkpoint = failing;
        Generation old = generation;
        old.abandon();
        recorder.bundlesOpen.set(0);
        // What was seen and said since is as if it had never been.
        List<ByteStore.Parent> parents = old.forget(checkpoint);
        Integer tasks = program.restores.get(checkpoint);
        generation = new Generation(checkpoint, tasks == null ? 1 : tasks, parents);
        failing = 0;
        generation.start();
    }

    private int owner(String key, int tasks) {
        return KeyRange.owner(KeyRange.group(KeyHash.of(key.getBytes(StandardCharsets.UTF_8))), tasks);
    }

    private final class Generation {
        private final long from;
        private final int size;
        private final List<Member> members = new ArrayList<>();
        private final List<JobProgram.Item> items;
        private int next;
        private boolean started;
        private boolean abandoned;
        private int finished;

        Generation(long from, int size, List<ByteStore.Parent> parents) {
            this.from = from;
            this.size = size;
            this.items = program.from(from);
            for (int index = 0; index < size; index++) {
                members.add(new Member(this, index, parents));
            }
        }

        void start() {
            started = true;
            // A task whose first thread is refused has failed.
            world.refuseThreads(0);
            members.forEach(member -> member.task.start());
            world.refuseThreads(program.refusePercent);
            feedLater();
        }

        boolean ended() {
            return finished == size;
        }

        private void feedLater() {
            world.after(1 + world.random().nextLong(program.maxGapNanos), this::feed);
        }

        private void feed() {
            if (abandoned || failure != null) {
                return;
            }
            for (int left = 1 + world.random().nextInt(program.chunk); left > 0 && next < items.size(); left--) {
                send(items.get(next++));
            }
            if (next < items.size()) {
                feedLater();
                return;
            }
            for (Member member : members) {
                for (int channel = 0; channel < program.channels; channel++) {
                    member.task.end(channel);
                }
            }
        }

        private void send(JobProgram.Item item) {
            if (item instanceof JobProgram.Element element) {
                members.get(owner(element.key(), size)).task.elements(item.channel(), List.of(windowed(element)));
                return;
            }
            for (Member member : members) {
                if (item instanceof JobProgram.Watermark watermark) {
                    member.task.watermark(item.channel(), watermark.millis());
                } else if (item instanceof JobProgram.Barrier barrier) {
                    member.task.barrier(item.channel(), barrier.checkpoint());
                }
            }
        }

        private WindowedValue<?> windowed(JobProgram.Element element) {
            return WindowedValues.of(
                    KV.of(element.key(), element.number()),
                    new Instant(element.timestampMillis()),
                    window(element.timestampMillis()),
                    PaneInfo.NO_FIRING);
        }

        private BoundedWindow window(long millis) {
            long length = program.variant.windowMillis;
            if (length == 0) {
                return GlobalWindow.INSTANCE;
            }
            long begin = millis - Math.floorMod(millis, length);
            return new IntervalWindow(new Instant(begin), new Instant(begin + length));
        }

        /** As by a failure of its machine. */
        void abandon() {
            abandoned = true;
            members.forEach(member -> member.task.cancel());
            awaitEnd();
        }

        void shutdown() {
            members.forEach(member -> member.task.shutdown());
            awaitEnd();
            if (recorder.bundlesOpen.get() != 0) {
                throw new AssertionError(recorder.bundlesOpen.get() + " bundles were not finished");
            }
            world.until(() -> members.stream().allMatch(member -> member.task.readsAreOver()));
            started = false;
            for (Member member : members) {
                int left = member.task.keysLeft();
                if (left > 0 && program.bounds.cells().cacheBytes() == 0) {
                    throw new AssertionError(left + " keys are still pinned");
                }
            }
            members.forEach(member -> member.task.close());
        }

        private void awaitEnd() {
            world.until(() ->
                    members.stream().allMatch(member -> member.task.terminated().isDone()));
            for (Member member : members) {
                handOvers += member.task.metrics().handOvers();
                swaps += member.task.metrics().swaps();
                reads += member.task.storeReads();
            }
        }

        List<ByteStore.Parent> forget(long checkpoint) {
            List<ByteStore.Parent> parents = new ArrayList<>();
            for (Member member : members) {
                Mark mark = member.marks.get(checkpoint);
                if (mark == null) {
                    throw new AssertionError("no snapshot of " + member.task);
                }
                outs.addAll(member.outs.subList(0, mark.outs));
                releases.addAll(member.releases.subList(0, mark.releases));
                member.snaps.stream()
                        .filter(snap -> snap.checkpoint <= checkpoint)
                        .forEach(snaps::add);
                mark.seen.forEach((key, size) -> {
                    List<Entry> log = recorder.log(key);
                    log.subList(size, log.size()).clear();
                });
                parents.add(new ByteStore.Parent(KeyRange.of(member.index, size), mark.record));
                member.task.close();
            }
            return parents;
        }

        void collect() {
            for (Member member : members) {
                snaps.addAll(member.snaps);
                outs.addAll(member.outs);
                releases.addAll(member.releases);
            }
        }
    }

    private final class Member implements SimulatedTask.Listener {
        final Generation of;
        final int index;
        final SimulatedTask task;
        final List<Out> outs = new ArrayList<>();
        final List<Release> releases = new ArrayList<>();
        final List<Snap> snaps = new ArrayList<>();
        final Map<Long, Mark> marks = new ConcurrentHashMap<>();
        private long released = JobProgram.MIN;

        Member(Generation of, int index, List<ByteStore.Parent> parents) {
            this.of = of;
            this.index = index;
            KeyRange range = KeyRange.of(index, of.size);
            List<ByteStore.Parent> mine = parents.stream()
                    .filter(parent -> parent.range().firstGroup() < range.endGroup()
                            && range.firstGroup() < parent.range().endGroup())
                    .toList();
            ByteStore.Opened opened =
                    backend.open("step[" + index + "]", range, mine).join();
            task = new SimulatedTask(
                    program.variant.graph,
                    program.variant.stage,
                    index,
                    range,
                    program.channels,
                    program.bounds,
                    new SimulatedTask.Place(
                            world.threads(), world::nanoTime, JobRun.this::nowMillis, opened, this::far),
                    this);
        }

        private void far(Runnable answer) {
            // What is read to restore a task is read before it runs.
            if (!of.started || world.random().nextInt(100) < program.residentPercent) {
                answer.run();
            } else {
                world.after(1 + world.random().nextLong(program.maxLatencyNanos), answer);
            }
        }

        private Map<String, Integer> seen() {
            Map<String, Integer> seen = recorder.sizes();
            seen.keySet().removeIf(key -> owner(key, of.size) != index);
            return seen;
        }

        @Override
        public void output(WindowedValue<?> value) {
            KV<?, ?> pair = (KV<?, ?>) value.getValue();
            long timestamp = value.getTimestamp().getMillis();
            Out out = new Out((String) pair.getKey(), (Long) pair.getValue(), timestamp);
            outs.add(out);
            if (timestamp < released) {
                failed(new AssertionError(out + " is late: the watermark " + released + " was released before"));
            }
        }

        @Override
        public void watermark(long millis) {
            if (millis < released) {
                failed(new AssertionError("the watermark went back from " + released + " to " + millis));
            }
            released = millis;
            releases.add(new Release(of.size, index, millis, seen()));
        }

        @Override
        public void snapshot(long checkpoint, ByteStore.Frozen state) {
            Map<String, Integer> seen = seen();
            snaps.add(new Snap(checkpoint, seen));
            int outsBefore = outs.size();
            int releasesBefore = releases.size();
            world.after(1 + world.random().nextLong(program.maxGapNanos), () -> {
                Pack pack = files.createPack();
                state.flush(pack).whenComplete((record, broken) -> {
                    if (broken != null) {
                        failed(broken);
                        return;
                    }
                    pack.seal().join();
                    stored(checkpoint, new Mark(seen, outsBefore, releasesBefore, record));
                });
            });
        }

        private void stored(long checkpoint, Mark mark) {
            marks.put(checkpoint, mark);
            if (of.members.stream().allMatch(member -> member.marks.containsKey(checkpoint))
                    && program.restores.containsKey(checkpoint)
                    && checkpoint > of.from) {
                world.after(1 + world.random().nextLong(4 * program.maxGapNanos), () -> fail(checkpoint));
            }
        }

        private void fail(long checkpoint) {
            if (!of.abandoned && !of.ended() && generation == of) {
                failing = Math.max(failing, checkpoint);
            }
        }

        @Override
        public void checkpointNeeded() {}

        @Override
        public void finished() {
            of.finished++;
        }

        @Override
        public void failed(Throwable cause) {
            if (failure == null && !of.abandoned) {
                failure = cause;
            }
        }
    }
}
