// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThan;
import static org.hamcrest.Matchers.lessThanOrEqualTo;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.state.SharedRun;
import dev.disagg.state.SharedRuns;
import dev.disagg.state.StateBackend;
import dev.disagg.state.heap.HeapBackend;
import dev.disagg.state.table.BlockCache;
import dev.disagg.ufs.CountingStore;
import dev.disagg.ufs.JobFiles;
import dev.disagg.ufs.JobLog;
import dev.disagg.ufs.ObjectStores;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.Pack;
import dev.disagg.ufs.RequestCounts;
import dev.disagg.ufs.Retries;
import dev.disagg.ufs.Sweep;
import dev.disagg.ufs.testkit.VirtualTime;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One writer and linked readers of one run, over a job's real files. */
class SharedRunTest {
    private static final AtomicLong ROOTS = new AtomicLong();

    enum Kind {
        DISAGG,
        HEAP;

        StateBackend over(JobFiles files) {
            return this == HEAP
                    ? new HeapBackend(files, Runnable::run)
                    : new LsmBackend(files, LsmOptions.ofStateMemory(16 << 20), Runnable::run);
        }
    }

    private final CountingStore store =
            new CountingStore(ObjectStores.open("memory://shared-runs-" + ROOTS.incrementAndGet()));
    private final VirtualTime time = VirtualTime.immediate();
    private final Retries retries = Retries.standard(time, new Random(1));
    private JobLog log;
    private JobFiles files;
    private Sweep sweep;
    private StateBackend backend;

    private void begin(Kind kind) {
        log = JobLog.open(store, "job", retries, ROOTS.incrementAndGet());
        long epoch = log.beginEpoch(Duration.ofSeconds(1));
        files = JobFiles.open(store, "job", epoch, "p", retries);
        sweep = Sweep.open(log, files, retries, time, Duration.ZERO);
        backend = kind.over(files);
    }

    @AfterEach
    void end() {
        store.close();
    }

    private static byte[] row(String row) {
        return row.getBytes(StandardCharsets.UTF_8);
    }

    private static ByteStore.Entry entry(String row, long number, byte[] value) {
        byte[] name = row(row);
        return new ByteStore.Entry(
                ByteBuffer.allocate(name.length + 8).put(name).putLong(number).array(), value);
    }

    private SharedRun write(SharedRuns.Writer writer, List<ByteStore.Entry> entries) {
        try (writer) {
            writer.append(entries).join();
            return writer.finish().join();
        }
    }

    /** Rows "0000" to "9999", two entries of 100 bytes each, in this order. */
    private static List<ByteStore.Entry> tenThousandRows(Random order) {
        List<ByteStore.Entry> entries = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            String row = "%04d".formatted(i);
            byte[] value = new byte[100];
            order.nextBytes(value);
            entries.add(entry(row, 0, value));
            entries.add(entry(row, 1, value.clone()));
        }
        return entries;
    }

    private static List<ByteStore.Entry> all(ByteStore.Cursor cursor) {
        List<ByteStore.Entry> all = new ArrayList<>();
        CursorDrain.drain(cursor, all::add).join();
        return all;
    }

    private OwnerRecord commit(long checkpoint, Map<String, ByteStore> stores, long... expire) {
        Map<String, List<dev.disagg.ufs.ObjectRange>> owners = new TreeMap<>();
        Pack pack = files.createPack();
        List<ByteStore.Frozen> frozen = new ArrayList<>();
        OwnerRecord[] last = new OwnerRecord[1];
        stores.forEach((owner, of) -> {
            ByteStore.Frozen one = of.freeze(checkpoint, new byte[0]);
            last[0] = one.flush(pack).join();
            owners.put(owner, last[0].parts());
            frozen.add(one);
        });
        pack.seal().join();
        frozen.forEach(ByteStore.Frozen::sealed);
        List<Long> expired = new ArrayList<>();
        for (long id : expire) {
            expired.add(id);
        }
        log.checkpoint(new dev.disagg.ufs.Checkpoint(checkpoint, log.epoch(), false, owners, new byte[0]), expired);
        return last[0];
    }

    private ByteStore open(KeyRange range, ByteStore.Parent... parents) {
        return backend.open("reader", range, List.of(parents)).join().store();
    }

    private boolean exists(SharedRun run) {
        return store.size(run.name()).join().isPresent();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aRowOfTwentyThousandEntriesIsOneTailAndOneBlock(Kind kind) {
        begin(kind);
        SharedRun run = write(backend.sharedRuns().inOrder(), tenThousandRows(new Random(7)));
        RequestCounts before = store.counts();
        assertThat(all(run.row(row("5000"))).size(), is(2));
        RequestCounts cost = store.counts().minus(before);
        assertThat("the tail, and a block: " + cost, cost.reads(), is(lessThanOrEqualTo(3L)));
        assertThat(cost.toString(), cost.bytesRead(), is(lessThan(run.bytes() / 10)));
        RequestCounts again = store.counts();
        assertThat(all(run.row(row("5000"))).size(), is(2));
        assertThat(store.counts().minus(again).reads(), is(0L));
        int absentRead = 0;
        for (int i = 0; i < 1000; i++) {
            RequestCounts look = store.counts();
            assertThat(all(run.row(row("5000x" + i))), is(empty()));
            absentRead += store.counts().minus(look).reads() > 0 ? 1 : 0;
        }
        assertThat("absent rows are known by the filter", absentRead, is(lessThan(30)));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void sortingGivesWhatSortingInMemoryGives(long seed) {
        begin(Kind.DISAGG);
        Random random = new Random(seed);
        TreeMap<String, byte[]> expected = new TreeMap<>();
        List<ByteStore.Entry> given = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            ByteStore.Entry entry = entry("r" + random.nextInt(500), random.nextInt(4), new byte[random.nextInt(300)]);
            String key = new String(entry.key(), StandardCharsets.ISO_8859_1);
            byte[] same = expected.get(key);
            ByteStore.Entry sent = same == null ? entry : new ByteStore.Entry(entry.key(), same);
            expected.put(key, sent.value());
            given.add(sent);
        }
        StoredRuns runs =
                new StoredRuns(files, new TableReaders(files, new BlockCache(1 << 20, 1 << 20)), Runnable::run, 4096);
        SharedRun run = write(runs.sorting(), given);
        List<String> keys = new ArrayList<>();
        for (ByteStore.Entry entry : all(run.rows(new byte[0]))) {
            String key = new String(entry.key(), StandardCharsets.ISO_8859_1);
            keys.add(key);
            assertThat("seed " + seed, entry.value(), equalTo(expected.get(key)));
        }
        assertThat("seed " + seed, keys, equalTo(new ArrayList<>(expected.keySet())));
        List<String> left = new ArrayList<>();
        store.list("job/data/", "", 1000).join().forEach(listed -> left.add(listed.name()));
        assertThat("what was merged is deleted", left, contains(run.name()));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void threeReadersOpenedFromTwoLinkTheSameObjectAndCopyNothing(Kind kind) {
        begin(kind);
        SharedRun run = write(backend.sharedRuns().inOrder(), tenThousandRows(new Random(7)));
        Map<String, ByteStore> two = new TreeMap<>();
        for (int i = 0; i < 2; i++) {
            ByteStore reader = open(KeyRange.of(i, 2));
            run.retain();
            reader.link(run);
            reader.put(Family.SOURCES, row("pane"), row("x"));
            two.put("reader[" + i + "]", reader);
        }
        run.release();
        RequestCounts before = store.counts();
        commit(1, two);
        RequestCounts cost = store.counts().minus(before);
        assertThat("links alone: " + cost, cost.bytesWritten(), is(lessThan(8192L)));

        begin(kind);
        sweep.scan();
        dev.disagg.ufs.Checkpoint start = log.state().newest().orElseThrow();
        List<ByteStore.Parent> parents = new ArrayList<>();
        start.owners().forEach((owner, parts) -> {
            OwnerRecord record = files.readOwner(parts).join();
            parents.add(new ByteStore.Parent(Manifest.of(owner, record).range(), record));
        });
        before = store.counts();
        Map<String, ByteStore> three = new TreeMap<>();
        for (int i = 0; i < 3; i++) {
            ByteStore reader = open(KeyRange.of(i, 3), parents.toArray(ByteStore.Parent[]::new));
            assertThat(reader.linked().keySet(), contains(run.name()));
            assertThat(all(reader.linked().get(run.name()).row(row("0042"))).size(), is(2));
            three.put("reader[" + i + "]", reader);
        }
        commit(2, three, 1);
        sweep.afterCommit();
        cost = store.counts().minus(before);
        assertThat("no copy: " + cost, cost.bytesWritten(), is(lessThan(16384L)));
        assertThat(exists(run), is(true));

        three.values().forEach(reader -> reader.unlink(run.name()));
        commit(3, three);
        sweep.afterCommit();
        assertThat("checkpoint 2 still names it", exists(run), is(true));
        commit(4, three, 2);
        sweep.afterCommit();
        assertThat("nothing names it", exists(run), is(false));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void writtenAndNotNamedItStaysForItsReadersAndGoesAfterACrash(Kind kind) {
        begin(kind);
        SharedRun run = write(backend.sharedRuns().inOrder(), tenThousandRows(new Random(7)));
        ByteStore reader = open(KeyRange.ALL);
        commit(1, Map.of("reader", reader));
        sweep.afterCommit();
        assertThat("its message may be on its way", exists(run), is(true));

        begin(kind);
        sweep.scan();
        assertThat("nobody can be sent it any more", exists(run), is(false));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void neverNamedItGoesWithItsLastHolder(Kind kind) {
        begin(kind);
        SharedRun run = write(backend.sharedRuns().inOrder(), tenThousandRows(new Random(7)));
        run.retain();
        run.release();
        assertThat(exists(run), is(true));
        run.release();
        assertThat(exists(run), is(false));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void letGoOfBetweenFreezeAndFlushItStaysForTheManifest(Kind kind) {
        begin(kind);
        SharedRun run = write(backend.sharedRuns().inOrder(), tenThousandRows(new Random(7)));
        ByteStore reader = open(KeyRange.ALL);
        reader.link(run);
        ByteStore.Frozen frozen = reader.freeze(1, new byte[0]);
        reader.unlink(run.name());
        run.release();
        assertThat(exists(run), is(true));
        Pack pack = files.createPack();
        OwnerRecord record = frozen.flush(pack).join();
        pack.seal().join();
        assertThat(exists(run), is(true));
        assertThat(Manifest.of("reader", record).shared().size(), is(1));

        SharedRun other = write(backend.sharedRuns().inOrder(), tenThousandRows(new Random(8)));
        reader.link(other);
        ByteStore.Frozen givenUp = reader.freeze(2, new byte[0]);
        reader.unlink(other.name());
        other.release();
        givenUp.aborted();
        assertThat("given up before it was named", exists(other), is(false));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void givenUpHalfWayLeavesNothing(boolean sorting) {
        begin(Kind.DISAGG);
        StoredRuns runs =
                new StoredRuns(files, new TableReaders(files, new BlockCache(1 << 20, 1 << 20)), Runnable::run, 4096);
        SharedRuns.Writer writer = sorting ? runs.sorting() : runs.inOrder();
        writer.append(tenThousandRows(new Random(3))).join();
        writer.close();
        assertThat(store.list("job/data/", "", 1000).join(), is(empty()));
    }
}
