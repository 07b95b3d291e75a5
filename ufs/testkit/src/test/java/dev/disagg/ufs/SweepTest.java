// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.ufs.Sweep.Swept;
import dev.disagg.ufs.memory.MemoryStore;
import dev.disagg.ufs.testkit.VirtualTime;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SweepTest {
    private static final Duration GRACE = Duration.ofSeconds(30);
    private static final Duration INTERVAL = Duration.ofMinutes(7);
    private static final byte[] NONE = {};

    private long wallMillis = 1_000_000;
    private final MemoryStore memory = MemoryStore.create(() -> wallMillis);
    private final CountingStore store = new CountingStore(memory);
    private final VirtualTime time = VirtualTime.manual();

    /** One process of a job with one owner whose only file is replaced by each commit. */
    private final class Process {
        final JobLog log;
        final JobFiles files;
        final Sweep sweep;
        OwnerRecord owner;
        long id;

        Process(String job) {
            log = JobLog.open(store, job, Retries.none(), 1);
            long epoch = log.beginEpoch(INTERVAL);
            files = JobFiles.open(store, job, epoch, "p", Retries.none());
            sweep = Sweep.open(log, files, Retries.none(), time, GRACE);
            owner = files.emptyOwner();
            id = log.state().lastCheckpointId();
            log.state()
                    .newest()
                    .ifPresent(newest ->
                            owner = Await.get(files.readOwner(newest.owners().get("task")), "read"));
        }

        ObjectRange commit() {
            ObjectRange file = file(files);
            Pack pack = files.createPack();
            owner = owner.with(List.of(new Link("only", file, NONE)), List.of(), new byte[] {(byte) id}, pack);
            Await.get(pack.seal(), "seal");
            commitAgain();
            return file;
        }

        void commitAgain() {
            List<Long> live =
                    log.state().checkpoints().stream().map(Checkpoint::id).toList();
            log.checkpoint(new Checkpoint(++id, files.epoch(), false, Map.of("task", owner.parts()), NONE), live);
        }
    }

    private static ObjectRange file(JobFiles files) {
        try (UnifiedFileSystem.ObjectFile file = files.createFile()) {
            file.write(ByteBuffer.wrap(new byte[10]));
            return Await.get(file.finish(), "finish");
        }
    }

    private List<String> objects() {
        return Await.get(memory.list("", "", 1000), "list").stream()
                .map(ObjectStore.Listed::name)
                .filter(name -> name.contains("/data/"))
                .toList();
    }

    @Test
    void replacedFileGoesWhenItsGraceHasPassedAndNotBefore() {
        Process process = new Process("job");
        ObjectRange first = process.commit();
        process.sweep.afterCommit();
        ObjectRange second = process.commit();
        assertThat(process.sweep.afterCommit().waiting(), is(2L)); // the file, and the pack of the first base
        time.advance(GRACE.toNanos() - 1);
        assertThat(process.sweep.afterCommit().objectsDeleted(), is(0L));
        assertThat(objects(), hasItem(first.object()));
        time.advance(1);
        assertThat(process.sweep.afterCommit().objectsDeleted(), is(2L));
        assertThat(objects(), not(hasItem(first.object())));
        assertThat(objects(), hasItem(second.object()));
    }

    @Test
    void stepWithNothingToDoMakesNoRequest() {
        Process process = new Process("job");
        process.commit();
        process.sweep.afterCommit();
        process.commitAgain();
        RequestCounts before = store.counts();
        process.sweep.afterCommit();
        process.sweep.afterCommit();
        assertThat(store.counts().minus(before).total(), is(0L));
    }

    @Test
    void checkpointInWhichNothingChangedCostsOnePutInAll() {
        Process process = new Process("job");
        process.commit();
        process.sweep.afterCommit();
        RequestCounts before = store.counts();
        Pack pack = process.files.createPack();
        process.owner = process.owner.with(List.of(), List.of(), process.owner.header(), pack);
        Await.get(pack.seal(), "seal");
        process.commitAgain();
        process.sweep.afterCommit();
        assertThat(store.counts().minus(before).total(), is(1L));
    }

    @Test
    void thirtyNearlyIdleTasksCostTwoPutsACheckpoint() {
        Process process = new Process("job");
        Map<String, OwnerRecord> tasks = new TreeMap<>();
        for (int task = 0; task < 30; task++) {
            tasks.put("task-" + task, process.files.emptyOwner());
        }
        for (int checkpoint = 1; checkpoint <= 20; checkpoint++) {
            RequestCounts before = store.counts();
            Pack pack = process.files.createPack();
            Map<String, List<ObjectRange>> owners = new TreeMap<>();
            for (Map.Entry<String, OwnerRecord> task : tasks.entrySet()) {
                ObjectRange table = pack.append(List.of(ByteBuffer.wrap(new byte[50])));
                task.setValue(
                        task.getValue().with(List.of(new Link("t" + checkpoint, table, NONE)), List.of(), NONE, pack));
                owners.put(task.getKey(), task.getValue().parts());
            }
            Await.get(pack.seal(), "seal");
            process.log.checkpoint(
                    new Checkpoint(checkpoint, process.files.epoch(), false, owners, NONE), List.of(checkpoint - 1L));
            process.sweep.afterCommit();
            assertThat(store.counts().minus(before).writes(), is(2L));
            assertThat(store.counts().minus(before).reads(), is(0L));
        }
    }

    @Test
    void objectOfTheCurrentEpochThatWasNeverNamedBelongsToItsWriter() {
        Process process = new Process("job");
        ObjectRange pending = file(process.files);
        process.commit();
        process.commit();
        process.sweep.scan();
        time.advance(GRACE.toNanos());
        process.sweep.afterCommit();
        assertThat(objects(), hasItem(pending.object()));
    }

    @Test
    void unnamedObjectsOfOlderEpochsGoAfterTheScan() {
        Process first = new Process("job");
        ObjectRange named = first.commit();
        ObjectRange orphan = file(first.files);
        Process second = new Process("job");
        assertThat(second.sweep.scan().waiting(), is(1L));
        time.advance(GRACE.toNanos());
        assertThat(second.sweep.afterCommit().objectsDeleted(), is(1L));
        assertThat(objects(), not(hasItem(orphan.object())));
        assertThat(objects(), hasItem(named.object()));
    }

    @Test
    void checkpointOfAnEarlierProcessThatExpiresIsSweptWithoutAScan() {
        Process first = new Process("job");
        ObjectRange old = first.commit();
        Process second = new Process("job");
        second.commit();
        second.sweep.afterCommit();
        time.advance(GRACE.toNanos());
        second.sweep.afterCommit();
        assertThat(objects(), not(hasItem(old.object())));
    }

    @Test
    void pinnedCheckpointKeepsItsObjectsUntilUnpinned() {
        Process process = new Process("job");
        ObjectRange pinned = process.commit();
        JobLog other = JobLog.open(store, "job", Retries.none(), 2);
        other.pin("other", 1);
        process.commit();
        process.sweep.afterCommit();
        time.advance(GRACE.toNanos());
        process.sweep.afterCommit();
        assertThat(objects(), hasItem(pinned.object()));
        other.unpin("other", 1);
        process.commitAgain();
        process.sweep.afterCommit();
        time.advance(GRACE.toNanos());
        process.sweep.afterCommit();
        assertThat(objects(), not(hasItem(pinned.object())));
    }

    @Test
    void fencedProcessDeletesNothing() {
        Process first = new Process("job");
        ObjectRange old = first.commit();
        first.sweep.afterCommit();
        first.commit();
        first.sweep.afterCommit();
        new Process("job");
        time.advance(GRACE.toNanos());
        assertThrows(Fenced.class, first.sweep::afterCommit);
        assertThat(objects(), hasItem(old.object()));
    }

    @Test
    void objectsOfAnotherJobAreNeverDeletedAndTheJobIsNamed() {
        Process origin = new Process("origin");
        ObjectRange theirs = origin.commit();
        Process job = new Process("job");
        job.owner = Await.get(
                job.files.readOwner(
                        origin.log.state().newest().orElseThrow().owners().get("task")),
                "read");
        job.commitAgain();
        assertThat(job.sweep.jobsNamed(), contains("origin"));
        for (int i = 0; i < 20; i++) {
            job.commit();
            job.sweep.afterCommit();
        }
        time.advance(GRACE.toNanos());
        job.sweep.afterCommit();
        assertThat(job.sweep.jobsNamed().isEmpty(), is(true));
        assertThat(objects(), hasItem(theirs.object()));
    }

    @Test
    void whatThisProjectDidNotWriteStays() {
        Process process = new Process("job");
        for (String name : List.of("job/data/notes", "job/data/0-p-0", "job/other/1-p-0", "job/data/1-p-x")) {
            Await.get(memory.put(name, ByteBuffer.wrap(new byte[1])), "put");
        }
        new Process("job").sweep.scan();
        time.advance(GRACE.toNanos());
        Process third = new Process("job");
        third.sweep.scan();
        time.advance(GRACE.toNanos());
        third.sweep.afterCommit();
        assertThat(objects(), is(List.of("job/data/0-p-0", "job/data/1-p-x", "job/data/notes")));
        assertThat(process.files.epoch(), is(1L));
    }

    @Test
    void gcIsRefusedWhileTheJobMayRun() {
        Process process = new Process("job");
        process.commit();
        ObjectRange orphan = file(process.files);
        new Process("job");
        Sweep gc = outside();
        wallMillis += INTERVAL.multipliedBy(2).toMillis() - 1;
        Invalid error = assertThrows(Invalid.class, () -> gc.gc(() -> wallMillis, false));
        assertThat(error.getMessage(), containsString("force"));
        assertThat(objects(), hasItem(orphan.object()));
        wallMillis += 1;
        assertThat(outside().gc(() -> wallMillis, false).objectsDeleted(), is(1L));
        assertThat(objects(), not(hasItem(orphan.object())));
    }

    @Test
    void forcedGcFencesTheJobAndTakesWhatItLeft() {
        Process process = new Process("job");
        ObjectRange named = process.commit();
        ObjectRange orphan = file(process.files);
        Swept swept = outside().gc(() -> wallMillis, true);
        assertThat(swept.objectsDeleted(), is(1L));
        assertThat(objects(), not(hasItem(orphan.object())));
        assertThat(objects(), hasItem(named.object()));
        assertThrows(Fenced.class, process::commitAgain);
    }

    private Sweep outside() {
        JobLog log = JobLog.open(store, "job", Retries.none(), 99);
        return Sweep.open(
                log, JobFiles.reader(store, "job", Retries.none()), Retries.none(), VirtualTime.immediate(), GRACE);
    }

    @Test
    void logStaysShort() {
        Process process = new Process("job");
        for (int i = 0; i < 200; i++) {
            process.commitAgain();
            process.sweep.afterCommit();
        }
        int records = Await.get(memory.list("job/log/", "", 1000), "list").size();
        assertThat("records: " + records, records <= 20, is(true));
    }
}
