// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThan;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.ufs.LogState.Pin;
import dev.disagg.ufs.memory.MemoryStore;
import dev.disagg.ufs.testkit.FaultyStore;
import dev.disagg.ufs.testkit.ForwardingStore;
import dev.disagg.ufs.testkit.VirtualTime;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class JobLogTest {
    private static final Duration INTERVAL = Duration.ofSeconds(10);

    private final MemoryStore store = MemoryStore.create(() -> 5_000L);

    private JobLog open(ObjectStore on, long writer) {
        return JobLog.open(on, "job", Retries.none(), writer);
    }

    private static Checkpoint checkpoint(long id, long epoch) {
        return new Checkpoint(
                id,
                epoch,
                false,
                Map.of("task", List.of(new ObjectRange("job/data/" + epoch + "-p-" + id, 0, 10))),
                new byte[] {(byte) id});
    }

    private static List<Long> ids(List<Checkpoint> checkpoints) {
        return checkpoints.stream().map(Checkpoint::id).toList();
    }

    @Test
    void absentLogIsEmptyAndReadingItWritesNothing() {
        LogState state = open(store, 1).state();
        assertThat(state.epoch(), is(0L));
        assertThat(state.next(), is(1L));
        assertThat(state.newest().isPresent(), is(false));
        assertThat(JobLog.exists(store, "job"), is(false));
    }

    @Test
    void checkpointsAreReadBackInOrderWithAllTheyCarry() {
        JobLog log = open(store, 1);
        long epoch = log.beginEpoch(INTERVAL);
        log.checkpoint(checkpoint(1, epoch));
        log.checkpoint(new Checkpoint(2, epoch, true, Map.of(), new byte[0]));
        log.checkpoint(checkpoint(7, epoch), List.of(1L));
        LogState read = open(store, 2).state();
        assertThat(ids(read.checkpoints()), contains(2L, 7L));
        assertThat(read.checkpoint(2).orElseThrow().savepoint(), is(true));
        Checkpoint newest = read.newest().orElseThrow();
        assertThat(newest.owners(), is(checkpoint(7, epoch).owners()));
        assertThat(newest.attributes(), is(new byte[] {7}));
        assertThat(read.checkpointInterval(), is(INTERVAL));
        assertThat(read.lastCheckpointId(), is(7L));
        assertThat(JobLog.exists(store, "job"), is(true));
    }

    @Test
    void ofTwoProcessesTheEarlierIsFencedWithinOneCommit() {
        JobLog first = open(store, 1);
        long one = first.beginEpoch(INTERVAL);
        first.checkpoint(checkpoint(1, one));
        JobLog second = open(store, 2);
        long two = second.beginEpoch(INTERVAL);
        Fenced fenced = assertThrows(Fenced.class, () -> first.checkpoint(checkpoint(2, one)));
        assertThat(fenced.getMessage(), allOf(containsString("'job'"), containsString("epoch " + two)));
        assertThrows(Fenced.class, () -> first.expire(List.of(1L)));
        assertThrows(Fenced.class, first::refresh);
        second.checkpoint(checkpoint(2, two));
        assertThat(ids(open(store, 3).state().checkpoints()), contains(1L, 2L));
    }

    @Test
    void processThatLosesTheEpochItWantedIsFenced() {
        JobLog first = open(store, 1);
        JobLog second = open(store, 2);
        first.beginEpoch(INTERVAL);
        assertThrows(Fenced.class, () -> second.beginEpoch(INTERVAL));
    }

    @Test
    void newcomerThatLosesItsNumberToASmallerEpochTakesTheNextOne() {
        JobLog first = open(store, 1);
        long one = first.beginEpoch(INTERVAL);
        JobLog second = open(store, 2);
        first.checkpoint(checkpoint(1, one));
        assertThat(second.beginEpoch(INTERVAL), is(2L));
        assertThat(ids(second.state().checkpoints()), contains(1L));
    }

    @Test
    void fencedProcessMakesNoFurtherRequests() {
        FaultyStore counted = FaultyStore.crashing(store);
        JobLog first = open(counted, 1);
        long one = first.beginEpoch(INTERVAL);
        open(store, 2).beginEpoch(INTERVAL);
        assertThrows(Fenced.class, () -> first.checkpoint(checkpoint(1, one)));
        int calls = counted.recorder().size();
        assertThrows(Fenced.class, () -> first.checkpoint(checkpoint(2, one)));
        assertThat(counted.recorder().size(), is(calls));
    }

    @Test
    void secondCheckpointCostsOnePut() {
        CountingStore counted = new CountingStore(store);
        JobLog log = open(counted, 1);
        long epoch = log.beginEpoch(INTERVAL);
        log.checkpoint(checkpoint(1, epoch));
        RequestCounts before = counted.counts();
        log.checkpoint(checkpoint(2, epoch), List.of(1L));
        RequestCounts cost = counted.counts().minus(before);
        assertThat(cost.total(), is(1L));
        assertThat(cost.conditionalPuts(), is(1L));
    }

    @Test
    void openingALongLogTakesAFewRequests() {
        JobLog log = open(store, 1);
        long epoch = log.beginEpoch(INTERVAL);
        for (int id = 1; id <= 100; id++) {
            log.checkpoint(checkpoint(id, epoch), List.of(id - 1L));
        }
        CountingStore counted = new CountingStore(store);
        open(counted, 2);
        assertThat(counted.counts().total(), lessThan(4L));
    }

    @Test
    void lostAnswerOfACommitIsRecognisedByItsBytes() {
        for (boolean afterEffect : new boolean[] {true, false}) {
            MemoryStore fresh = MemoryStore.create(() -> 0L);
            UnsureStore unsure = new UnsureStore(fresh);
            Retries retries = new Retries(VirtualTime.immediate(), () -> 0L, 3, Duration.ZERO, Duration.ZERO);
            JobLog log = JobLog.open(unsure, "job", retries, 1);
            long epoch = log.beginEpoch(INTERVAL);
            unsure.failNextPuts(1, afterEffect);
            log.checkpoint(checkpoint(1, epoch));
            log.checkpoint(checkpoint(2, epoch), List.of(1L));
            assertThat(ids(open(fresh, 2).state().checkpoints()), contains(2L));
            assertThat(log.state().next(), is(4L));
        }
    }

    @Test
    void unknownOutcomeIsFoundOutByTheNextAppend() {
        UnsureStore unsure = new UnsureStore(store);
        JobLog log = open(unsure, 1);
        long epoch = log.beginEpoch(INTERVAL);
        unsure.failNextPuts(1, true);
        assertThrows(Unavailable.class, () -> log.checkpoint(checkpoint(1, epoch)));
        unsure.failNextPuts(1, false);
        assertThrows(Unavailable.class, () -> log.checkpoint(checkpoint(2, epoch)));
        log.checkpoint(checkpoint(3, epoch));
        assertThat(ids(log.state().checkpoints()), contains(1L, 3L));
        assertThat(ids(open(store, 2).state().checkpoints()), contains(1L, 3L));
    }

    @Test
    void lostAnswerOfAnEpochIsRecognised() {
        UnsureStore unsure = new UnsureStore(store);
        JobLog log = open(unsure, 1);
        unsure.failNextPuts(1, true);
        assertThrows(Unavailable.class, () -> log.beginEpoch(INTERVAL));
        assertThat(log.beginEpoch(INTERVAL), is(1L));
        log.checkpoint(checkpoint(1, 1));
    }

    /** Loses the answer of chosen conditional puts. */
    private static final class UnsureStore extends ForwardingStore {
        private int failing;
        private boolean afterEffect;

        UnsureStore(ObjectStore below) {
            super(below);
        }

        void failNextPuts(int count, boolean effect) {
            failing = count;
            afterEffect = effect;
        }

        @Override
        public CompletableFuture<PutResult> putIfAbsent(String name, ByteBuffer bytes) {
            if (failing == 0) {
                return super.putIfAbsent(name, bytes);
            }
            failing--;
            if (afterEffect) {
                super.putIfAbsent(name, bytes);
            }
            return CompletableFuture.failedFuture(new Unavailable("reset"));
        }
    }

    @Test
    void checkpointIdsOnlyGrow() {
        JobLog log = open(store, 1);
        long epoch = log.beginEpoch(INTERVAL);
        log.checkpoint(checkpoint(5, epoch));
        assertThrows(Invalid.class, () -> log.checkpoint(checkpoint(5, epoch)));
        assertThrows(Invalid.class, () -> log.checkpoint(checkpoint(4, epoch)));
        assertThrows(Invalid.class, () -> log.checkpoint(checkpoint(6, epoch + 1)));
    }

    @Test
    void commitWithoutAnEpochIsInvalid() {
        assertThrows(Invalid.class, () -> open(store, 1).checkpoint(checkpoint(1, 1)));
    }

    @Test
    void expiredCheckpointsAreGoneAndTheirIdsAreNotUsedAgain() {
        JobLog log = open(store, 1);
        long epoch = log.beginEpoch(INTERVAL);
        log.checkpoint(checkpoint(1, epoch));
        log.expire(List.of(1L, 99L));
        LogState read = open(store, 2).state();
        assertThat(read.checkpoints(), is(empty()));
        assertThat(read.lastCheckpointId(), is(1L));
    }

    @Test
    void expiringNothingWritesNothing() {
        JobLog log = open(store, 1);
        log.beginEpoch(INTERVAL);
        long next = log.state().next();
        log.expire(List.of(3L));
        assertThat(log.state().next(), is(next));
    }

    @Test
    void pinnedCheckpointOutlivesItsExpiryUntilUnpinned() {
        JobLog log = open(store, 1);
        long epoch = log.beginEpoch(INTERVAL);
        log.checkpoint(checkpoint(1, epoch));
        open(store, 2).pin("other", 1);
        log.checkpoint(checkpoint(2, epoch), List.of(1L));
        for (LogState state : List.of(log.state(), open(store, 3).state())) {
            assertThat(ids(state.checkpoints()), contains(2L));
            assertThat(ids(state.pinned()), contains(1L));
            assertThat(state.pins(), contains(new Pin("other", 1)));
        }
        open(store, 4).unpin("other", 1);
        assertThat(log.refresh().pinned(), is(empty()));
        assertThat(open(store, 5).state().pins(), is(empty()));
    }

    @Test
    void twoPinsOfOneCheckpointMustBothEnd() {
        JobLog log = open(store, 1);
        long epoch = log.beginEpoch(INTERVAL);
        log.checkpoint(checkpoint(1, epoch));
        open(store, 2).pin("a", 1);
        open(store, 3).pin("b", 1);
        log.expire(List.of(1L));
        assertThat(ids(log.state().pinned()), contains(1L));
        log.unpin("a", 1);
        assertThat(ids(log.state().pinned()), contains(1L));
        log.unpin("b", 1);
        assertThat(log.state().pinned(), is(empty()));
    }

    @Test
    void expiredCheckpointCannotBePinned() {
        JobLog log = open(store, 1);
        long epoch = log.beginEpoch(INTERVAL);
        log.checkpoint(checkpoint(1, epoch));
        log.checkpoint(checkpoint(2, epoch), List.of(1L));
        Invalid error = assertThrows(Invalid.class, () -> open(store, 2).pin("other", 1));
        assertThat(error.getMessage(), containsString("[2]"));
    }

    @Test
    void pinThatLosesToTheExpiryOfItsCheckpointIsRefused() {
        JobLog log = open(store, 1);
        long epoch = log.beginEpoch(INTERVAL);
        log.checkpoint(checkpoint(1, epoch));
        FaultyStore watched = FaultyStore.crashing(store);
        JobLog other = open(watched, 2);
        // open: a list, two reads, a size; pin: a size, then the put
        watched.beforeCall(watched.recorder().size() + 1, () -> log.expire(List.of(1L)));
        assertThrows(Invalid.class, () -> other.pin("other", 1));
        assertThat(log.refresh().pins(), is(empty()));
    }

    @Test
    void pinningAJobThatWasTakenOverFencesAProcessOfThatJob() {
        JobLog first = open(store, 1);
        long one = first.beginEpoch(INTERVAL);
        first.checkpoint(checkpoint(1, one));
        open(store, 2).beginEpoch(INTERVAL);
        assertThrows(Fenced.class, () -> first.pin("other", 1));
    }

    @Test
    void prunedLogStillTellsEverything() {
        JobLog log = open(store, 1);
        long one = log.beginEpoch(INTERVAL);
        log.checkpoint(new Checkpoint(1, one, true, checkpoint(1, one).owners(), new byte[0]));
        for (int id = 2; id <= 20; id++) {
            log.checkpoint(
                    checkpoint(id, one),
                    List.of(id - 1L).stream().filter(each -> each > 1).toList());
        }
        open(store, 2).pin("other", 20);
        JobLog next = open(store, 3);
        long two = next.beginEpoch(INTERVAL);
        for (int id = 21; id <= 40; id++) {
            next.checkpoint(
                    checkpoint(id, two),
                    List.of(id - 1L).stream().filter(each -> each > 1).toList());
        }
        int pruned = next.prune(true);
        // Left: two EPOCH, the savepoint, the pinned checkpoint 20 and the pin before the second EPOCH, and the newest.
        assertThat(next.prune(true), is(0));
        List<String> left = new ArrayList<>();
        Await.get(store.list("job/log/", "", 1000), "list")
                .forEach(each -> left.add(each.name().substring(26)));
        assertThat(left, contains("01", "02", "21", "22", "23", "43"));
        assertThat(pruned, is(43 - 6));
        LogState read = open(store, 4).state();
        assertThat(ids(read.checkpoints()), contains(1L, 40L));
        assertThat(ids(read.pinned()), contains(20L));
        assertThat(read.epoch(), is(two));
    }

    @Test
    void newcomerWhoseListingIsStaleDoesNotBeginInAPrunedGap() {
        JobLog log = open(store, 1);
        long one = log.beginEpoch(INTERVAL);
        log.checkpoint(checkpoint(1, one));
        JobLog late = open(store, 2);
        for (int id = 2; id <= 30; id++) {
            log.checkpoint(checkpoint(id, one), List.of(id - 1L));
        }
        log.prune(true);
        long two = late.beginEpoch(INTERVAL);
        assertThat(late.state().newest().orElseThrow().id(), is(30L));
        assertThrows(Fenced.class, () -> log.checkpoint(checkpoint(31, one)));
        late.checkpoint(checkpoint(31, two));
        assertThat(ids(open(store, 3).state().checkpoints()), contains(30L, 31L));
    }

    @Test
    void pinWhoseListingIsStaleDoesNotFallIntoAPrunedGap() {
        JobLog log = open(store, 1);
        long one = log.beginEpoch(INTERVAL);
        log.checkpoint(new Checkpoint(1, one, true, Map.of(), new byte[0]));
        JobLog late = open(store, 2);
        for (int id = 2; id <= 30; id++) {
            log.checkpoint(checkpoint(id, one), id == 2 ? List.of() : List.of(id - 1L));
        }
        log.prune(true);
        late.pin("other", 1);
        assertThat(log.refresh().pins(), contains(new Pin("other", 1)));
    }

    @Test
    void missingRecordIsCorruptAndNamed() {
        JobLog log = open(store, 1);
        long epoch = log.beginEpoch(INTERVAL);
        log.checkpoint(checkpoint(1, epoch));
        log.checkpoint(checkpoint(2, epoch));
        Await.get(store.delete(List.of("job/log/00000000000000000002")), "delete");
        Corrupt error = assertThrows(Corrupt.class, () -> open(store, 2));
        assertThat(error.getMessage(), allOf(containsString("00000000000000000002"), containsString("restore")));
    }

    @Test
    void damagedRecordIsCorruptAndNamed() {
        JobLog log = open(store, 1);
        long epoch = log.beginEpoch(INTERVAL);
        log.checkpoint(checkpoint(1, epoch));
        String name = "job/log/00000000000000000002";
        int size = (int) Await.get(store.size(name), "size").orElseThrow();
        byte[] bytes = new byte[size];
        Await.get(store.read(name, 0, size), "read").get(bytes);
        bytes[size / 2] ^= 1;
        Await.get(store.delete(List.of(name)), "delete");
        Await.get(store.put(name, ByteBuffer.wrap(bytes)), "put");
        Corrupt error = assertThrows(Corrupt.class, () -> open(store, 2));
        assertThat(error.getMessage(), allOf(containsString(name), containsString("checksum")));
    }

    @Test
    void filesOfOthersInTheLogsFolderAreIgnored() {
        JobLog log = open(store, 1);
        long epoch = log.beginEpoch(INTERVAL);
        log.checkpoint(checkpoint(1, epoch));
        for (String name : List.of("job/log/README", "job/log/99999999999999999999", "job/log/0000000000000000000a")) {
            Await.get(store.put(name, ByteBuffer.wrap(new byte[1])), "put");
        }
        assertThat(ids(open(store, 2).state().checkpoints()), contains(1L));
    }

    @Test
    void removedJobLeavesNothingButWhatOthersPutThere() {
        ScriptedJob job = new ScriptedJob(store, Retries.none(), new ScriptedJob.Model(), "p");
        job.checkpoint(false);
        job.checkpoint(true);
        Await.get(store.put("job/data/notes.txt", ByteBuffer.wrap(new byte[1])), "put");
        Await.get(store.put("job2/data/1-p-0", ByteBuffer.wrap(new byte[1])), "put");
        JobFiles.deleteJob(store, job.log, Retries.none());
        List<String> left = new ArrayList<>();
        Await.get(store.list("", "", 100), "list").forEach(each -> left.add(each.name()));
        assertThat(left, contains("job/data/notes.txt", "job2/data/1-p-0"));
    }

    @Test
    void pinnedJobIsNotRemoved() {
        ScriptedJob job = new ScriptedJob(store, Retries.none(), new ScriptedJob.Model(), "p");
        job.checkpoint(false);
        open(store, 2).pin("other", 1);
        Invalid error = assertThrows(Invalid.class, () -> JobFiles.deleteJob(store, job.log, Retries.none()));
        assertThat(error.getMessage(), containsString("other"));
    }

    @Test
    void removalThatDiesAtAnyCallLeavesAJobThatIsGoneOrEmptyAndCanBeRepeated() {
        for (int at = 0; ; at++) {
            MemoryStore fresh = MemoryStore.create(() -> 0L);
            ScriptedJob job = new ScriptedJob(fresh, Retries.none(), new ScriptedJob.Model(), "p");
            job.checkpoint(false);
            job.checkpoint(true);
            FaultyStore dying = FaultyStore.crashing(fresh);
            JobLog log = open(dying, 5);
            log.beginEpoch(INTERVAL);
            dying.crashAt(dying.recorder().size() + at, at % 2 == 0);
            try {
                JobFiles.deleteJob(dying, log, Retries.none());
                break;
            } catch (Failed e) {
                JobLog again = open(fresh, 6);
                assertThat(
                        again.state().checkpoints().size() == 2
                                || again.state().checkpoints().isEmpty(),
                        is(true));
                again.beginEpoch(INTERVAL);
                JobFiles.deleteJob(fresh, again, Retries.none());
                assertThat(Await.get(fresh.list("", "", 10), "list"), is(empty()));
            }
        }
    }

    @Test
    void thirtyIdleTasksWithFullDeltasFitIntoASmallRecord() {
        JobLog log = open(store, 1);
        long epoch = log.beginEpoch(INTERVAL);
        Map<String, List<ObjectRange>> owners = new TreeMap<>();
        for (int task = 0; task < 30; task++) {
            List<ObjectRange> parts = new ArrayList<>();
            for (int part = 0; part <= OwnerRecord.MAX_DELTAS; part++) {
                parts.add(new ObjectRange("job/data/1-process-" + part, task * 1000L, 200));
            }
            owners.put("stage-" + task, parts);
        }
        log.checkpoint(new Checkpoint(1, epoch, false, owners, new byte[0]));
        long bytes =
                Await.get(store.size("job/log/00000000000000000002"), "size").orElseThrow();
        assertThat(bytes, lessThan(4_000L));
    }
}
