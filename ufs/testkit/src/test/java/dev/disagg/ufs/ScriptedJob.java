// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;

import dev.disagg.ufs.testkit.VirtualTime;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One process of a small job: tasks that each write a table per checkpoint and keep the last two, restored from the
 * newest checkpoint, with the sweep after each commit. Table contents follow from the seed of their name.
 */
final class ScriptedJob {
    static final String NAME = "job";
    private static final int TASKS = 3;
    private static final int KEPT_TABLES = 2;
    private static final int RETAINED = 2;

    final JobLog log;
    final JobFiles files;
    final Sweep sweep;
    private final Model model;
    private final TreeMap<String, OwnerRecord> tasks = new TreeMap<>();
    private long nextId;

    /** What is known from outside, across the processes of a job: which checkpoints were tried, and which confirmed. */
    static final class Model {
        /** Checkpoint's id and epoch to owner to names of links. */
        final Map<String, Map<String, Set<String>>> tried = new TreeMap<>();

        long confirmed;
        long tables;
    }

    ScriptedJob(ObjectStore store, Retries retries, Model model, String process) {
        this.model = model;
        this.log = JobLog.open(store, NAME, retries, process.hashCode());
        long epoch = log.beginEpoch(Duration.ofSeconds(10));
        this.files = JobFiles.open(store, NAME, epoch, process, retries);
        this.sweep = Sweep.open(log, files, retries, VirtualTime.immediate(), Duration.ZERO);
        log.state()
                .newest()
                .ifPresent(newest -> newest.owners()
                        .forEach((owner, parts) -> tasks.put(owner, Await.get(files.readOwner(parts), owner))));
        for (int task = 0; task < TASKS; task++) {
            tasks.putIfAbsent("task-" + task, files.emptyOwner());
        }
        nextId = log.state().lastCheckpointId() + 1;
        sweep.scan();
    }

    /** Writes and commits one checkpoint. The task whose number is the id's remainder changes nothing. */
    void checkpoint(boolean savepoint) {
        long id = nextId++;
        Pack pack = files.createPack();
        for (Map.Entry<String, OwnerRecord> task : tasks.entrySet()) {
            if (!task.getKey().equals("task-" + id % TASKS)) {
                task.setValue(advance(task.getKey(), task.getValue(), pack));
            }
        }
        Await.get(pack.seal(), "seal");
        Map<String, List<ObjectRange>> owners = new TreeMap<>();
        Map<String, Set<String>> names = new TreeMap<>();
        tasks.forEach((name, record) -> {
            owners.put(name, record.parts());
            names.put(name, Set.copyOf(record.links().keySet()));
        });
        model.tried.put(id + "@" + files.epoch(), names);
        List<Long> live = log.state().checkpoints().stream()
                .filter(each -> !each.savepoint())
                .map(Checkpoint::id)
                .toList();
        log.checkpoint(
                new Checkpoint(id, files.epoch(), savepoint, owners, new byte[] {(byte) id}),
                live.subList(0, Math.max(0, live.size() - RETAINED + 1)));
        model.confirmed = id;
        sweep.afterCommit();
    }

    private OwnerRecord advance(String task, OwnerRecord record, Pack pack) {
        String table = String.format("t%06d", model.tables++);
        byte[] bytes = contents(table);
        ObjectRange range;
        if (model.tables % 4 == 0) {
            try (UnifiedFileSystem.ObjectFile file = files.createFile()) {
                file.write(ByteBuffer.wrap(bytes));
                range = Await.get(file.finish(), "finish");
            }
        } else {
            range = pack.append(List.of(ByteBuffer.wrap(bytes)));
        }
        if (model.tables % 5 == 0) {
            try (UnifiedFileSystem.ObjectFile abandoned = files.createFile()) {
                abandoned.write(ByteBuffer.wrap(bytes));
                files.discard(Await.get(abandoned.finish(), "finish").object());
            }
        }
        List<String> tables = new ArrayList<>(record.links().keySet());
        List<String> gone = tables.subList(0, Math.max(0, tables.size() - KEPT_TABLES + 1));
        return record.with(List.of(new Link(table, range, task.getBytes())), gone, new byte[] {1}, pack);
    }

    static byte[] contents(String table) {
        byte[] bytes = new byte[40 + table.hashCode() % 17];
        new SplittableRandom(table.hashCode()).nextBytes(bytes);
        return bytes;
    }

    /** Every kept checkpoint was tried by someone and reads back whole; the newest is at least the last confirmed. */
    static void assertWhole(ObjectStore store, Model model) {
        JobLog log = JobLog.open(store, NAME, Retries.none(), 0);
        JobFiles files = JobFiles.reader(store, NAME, Retries.none());
        LogState state = log.state();
        if (model.confirmed > 0 && state.lastCheckpointId() < model.confirmed) {
            throw new AssertionError(
                    "checkpoint " + model.confirmed + " was confirmed, the log ends with " + state.lastCheckpointId());
        }
        List<Checkpoint> all = new ArrayList<>(state.checkpoints());
        all.addAll(state.pinned());
        for (Checkpoint checkpoint : all) {
            Map<String, Set<String>> names = new TreeMap<>();
            checkpoint.owners().forEach((owner, parts) -> {
                OwnerRecord record = Await.get(files.readOwner(parts), owner);
                names.put(owner, record.links().keySet());
                record.links().values().forEach(link -> assertContents(files, link));
            });
            assertThat(
                    "checkpoint " + checkpoint.id(),
                    names,
                    equalTo(model.tried.get(checkpoint.id() + "@" + checkpoint.epoch())));
        }
    }

    private static void assertContents(JobFiles files, Link link) {
        byte[] expected = contents(link.name());
        ByteBuffer stored = Await.get(files.read(link.range(), 0, expected.length), link.name());
        assertThat("table " + link.name(), stored, equalTo(ByteBuffer.wrap(expected)));
    }

    /** The data objects that the store has are exactly those that kept checkpoints name. */
    static void assertNothingUnnamed(ObjectStore store) {
        JobLog log = JobLog.open(store, NAME, Retries.none(), 0);
        JobFiles files = JobFiles.reader(store, NAME, Retries.none());
        Set<String> named = new TreeSet<>();
        List<Checkpoint> all = new ArrayList<>(log.state().checkpoints());
        all.addAll(log.state().pinned());
        all.forEach(checkpoint -> checkpoint
                .owners()
                .values()
                .forEach(parts -> named.addAll(Await.get(files.objectsOf(parts), "objects"))));
        Set<String> stored = new HashSet<>();
        Await.get(store.list(NAME + "/data/", "", 100_000), "list").forEach(each -> stored.add(each.name()));
        assertThat("objects stored", new TreeSet<>(stored), equalTo(named));
    }
}
