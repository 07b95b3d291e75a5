// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import static dev.disagg.state.lsm.TestStores.get;
import static dev.disagg.state.lsm.TestStores.put;
import static dev.disagg.state.lsm.TestStores.values;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.sameInstance;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.state.heap.HeapBackend;
import dev.disagg.ufs.Invalid;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.Pack;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.SstFileReader;

/** What a checkpoint writes, links and hands back. */
class SnapshotTest {
    private static final ByteStore.Parent[] NONE = {};

    private static ByteStore.Parent whole(OwnerRecord record) {
        return new ByteStore.Parent(KeyRange.ALL, record);
    }

    private static void fill(ByteStore store, int from, int to) {
        for (int i = from; i < to; i++) {
            put(store, Keys.row(i, "c"), "value-" + i);
        }
    }

    @Test
    void secondSnapshotOfAnUnchangedStoreWritesNothing() {
        TestStores stores = TestStores.compactingAt(4);
        LsmStore store = stores.fresh();
        fill(store, 0, 100);
        OwnerRecord first = stores.checkpoint(store, "h");
        Set<String> objects = Set.copyOf(stores.ufs.objects.keySet());
        assertThat(stores.checkpoint(store, "h"), is(sameInstance(first)));
        assertThat(stores.ufs.objects.keySet(), is(objects));
    }

    @Test
    void firstSnapshotAfterARestoreWritesNothing() {
        TestStores stores = TestStores.compactingAt(4);
        LsmStore store = stores.fresh();
        fill(store, 0, 100);
        OwnerRecord first = stores.checkpoint(store, "h");
        Set<String> objects = Set.copyOf(stores.ufs.objects.keySet());
        LsmStore restored = stores.open(KeyRange.ALL, whole(first));
        assertThat(stores.checkpoint(restored, "h"), is(sameInstance(first)));
        assertThat(stores.ufs.objects.keySet(), is(objects));
    }

    @Test
    void snapshotAfterASplitLinksTheParentsTables() {
        TestStores stores = TestStores.compactingAt(4);
        LsmStore store = stores.fresh();
        fill(store, 0, 100);
        OwnerRecord first = stores.checkpoint(store);
        KeyRange half = KeyRange.of(0, 2);
        OwnerRecord ofHalf = stores.checkpoint(stores.open(half, whole(first)));
        assertThat(
                ofHalf.links().values().stream().map(link -> link.range()).toList(),
                is(first.links().values().stream().map(link -> link.range()).toList()));
        ManifestTable table = Manifest.of("t", ofHalf).tables().get(0);
        assertThat(table.clip(), is(half));
        assertThat(table.written(), is(KeyRange.ALL));
    }

    @Test
    void headerAloneIsADelta() {
        TestStores stores = TestStores.compactingAt(4);
        LsmStore store = stores.fresh();
        fill(store, 0, 100);
        OwnerRecord first = stores.checkpoint(store, "one");
        OwnerRecord second = stores.checkpoint(store, "two");
        assertThat(second.links(), is(first.links()));
        var opened = stores.backend
                .open("t", KeyRange.ALL, java.util.List.of(whole(second)))
                .join();
        assertThat(Keys.text(opened.headers().get(0)), is("two"));
    }

    @Test
    void snapshotHoldsTheMomentOfItsFreeze() {
        TestStores stores = TestStores.compactingAt(4);
        LsmStore store = stores.fresh();
        put(store, Keys.row(1, "c"), "before");
        ByteStore.Frozen frozen = store.freeze(1, new byte[0]);
        put(store, Keys.row(1, "c"), "after");
        Pack pack = stores.ufs.createPack();
        var flushing = frozen.flush(pack);
        stores.background.runAll();
        pack.seal().join();
        frozen.sealed();
        assertThat(get(store, Keys.row(1, "c")), is("after"));
        assertThat(get(stores.open(KeyRange.ALL, whole(flushing.join())), Keys.row(1, "c")), is("before"));
    }

    @Test
    void changesOfAnAbortedCheckpointAreInTheNextOne() {
        TestStores stores = TestStores.compactingAt(4);
        LsmStore store = stores.fresh();
        put(store, Keys.row(1, "c"), "first");
        ByteStore.Frozen frozen = store.freeze(1, new byte[0]);
        Pack pack = stores.ufs.createPack();
        frozen.flush(pack);
        stores.background.runAll();
        pack.abort();
        frozen.aborted();
        assertThat(get(store, Keys.row(1, "c")), is("first"));
        put(store, Keys.row(2, "c"), "second");
        OwnerRecord record = stores.checkpoint(store);
        assertThat(
                new HashSet<>(values(stores.open(KeyRange.ALL, whole(record)), Family.ROWS)),
                is(Set.of("first", "second")));
    }

    @Test
    void largeMemtableIsWrittenToAnObjectOfItsOwnAndLinked() {
        TestStores stores = new TestStores(LsmOptions.tiny(100 << 20, 1000, 1 << 20, 4));
        LsmStore store = stores.fresh();
        fill(store, 0, 100);
        OwnerRecord record = stores.checkpoint(store);
        ManifestTable table = Manifest.of("t", record).tables().get(0);
        assertThat(table.range().offset(), is(0L));
        assertThat(table.range().length(), is((long)
                stores.ufs.objects.get(table.range().object()).length));
        assertThat(record.parts().get(0).object(), is(not(table.range().object())));
    }

    @Test
    void eachBackendOpensTheOthersCheckpoints() {
        TestStores stores = TestStores.compactingAt(2);
        HeapBackend heap = new HeapBackend(stores.ufs, Runnable::run);
        LsmStore lsm = stores.fresh();
        fill(lsm, 0, 50);
        stores.checkpoint(lsm);
        TestStores.delete(lsm, Keys.row(1, "c"));
        TestStores.append(lsm, Keys.row(2, "c"), "+tail");
        ByteStore inHeap = stores.open(heap, KeyRange.ALL, whole(stores.checkpoint(lsm)));
        assertThat(values(inHeap, Family.ROWS), is(values(lsm, Family.ROWS)));
        put(inHeap, Keys.row(3, "c"), "from heap");
        LsmStore back = stores.open(KeyRange.ALL, whole(stores.checkpoint(inHeap)));
        assertThat(values(back, Family.ROWS), is(values(inHeap, Family.ROWS)));
        assertThat(values(back, Family.ROWS), hasItem("from heap"));
    }

    @Test
    void unchangedHeapStoreKeepsTheLinksOfADisaggCheckpoint() {
        TestStores stores = TestStores.compactingAt(2);
        LsmStore lsm = stores.fresh();
        fill(lsm, 0, 50);
        OwnerRecord record = stores.checkpoint(lsm, "h");
        HeapBackend heap = new HeapBackend(stores.ufs, Runnable::run);
        ByteStore inHeap = stores.open(heap, KeyRange.ALL, whole(record));
        assertThat(stores.checkpoint(inHeap, "h"), is(sameInstance(record)));
    }

    @Test
    void manifestsThatOverlapOrLieAboutTheirRangeAreRefused() {
        TestStores stores = TestStores.compactingAt(4);
        LsmStore store = stores.fresh();
        fill(store, 0, 10);
        OwnerRecord record = stores.checkpoint(store);
        var twice = stores.backend.open("t", KeyRange.ALL, java.util.List.of(whole(record), whole(record)));
        var overlap = assertThrows(java.util.concurrent.CompletionException.class, twice::join);
        assertThat(overlap.getCause().getClass(), is((Object) Invalid.class));
        var wrong = stores.backend.open(
                "t", KeyRange.ALL, java.util.List.of(new ByteStore.Parent(KeyRange.of(0, 2), record)));
        var lie = assertThrows(java.util.concurrent.CompletionException.class, wrong::join);
        assertThat(lie.getCause().getClass(), is((Object) Invalid.class));
    }

    @Test
    void everyTableOfAManifestIsAcceptedByStockRocksDb(@TempDir Path directory) throws Exception {
        RocksDB.loadLibrary();
        TestStores stores = new TestStores(LsmOptions.tiny(100 << 20, 1 << 20, 6000, 3));
        LsmStore store = stores.fresh();
        for (int round = 0; round < 5; round++) {
            fill(store, round * 100, round * 100 + 300);
            TestStores.append(store, Keys.row(round, "bag"), "x");
            TestStores.delete(store, Keys.row(round * 7, "c"));
            store.put(Family.EVENT_TIMERS, Keys.timer(round, Keys.hash(round), "k"), Keys.bytes("t"));
            stores.checkpoint(store);
            if (round == 3) {
                stores.compact(store);
            }
        }
        OwnerRecord record = stores.checkpoint(store, "end");
        Manifest manifest = Manifest.of("t", record);
        assertThat(manifest.tables().stream().map(ManifestTable::level).toList(), hasItem(1));
        assertThat(manifest.tables().stream().map(ManifestTable::level).toList(), hasItem(0));
        for (ManifestTable table : manifest.tables()) {
            byte[] object = stores.ufs.objects.get(table.range().object());
            int from = (int) table.range().offset();
            Path file = directory.resolve(table.name() + ".sst");
            Files.write(
                    file,
                    Arrays.copyOfRange(object, from, from + (int) table.range().length()));
            try (Options options = new Options();
                    SstFileReader reader = new SstFileReader(options)) {
                reader.open(file.toString());
                reader.verifyChecksum();
                assertThat(
                        reader.getTableProperties().getNumEntries(),
                        is(table.info().entries()));
            }
        }
    }
}
