// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import static dev.disagg.state.lsm.TestStores.get;
import static dev.disagg.state.lsm.TestStores.put;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.instanceOf;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThanOrEqualTo;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.nullValue;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.ufs.Corrupt;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.testkit.MemoryUfs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reads while the tree changes under them, cold reads, and damaged tables. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReadTest {
    private static void runs(TestStores stores, LsmStore store, int runs, int rowsPerRun) {
        for (int run = 0; run < runs; run++) {
            for (int row = 0; row < rowsPerRun; row++) {
                put(store, Keys.row(run * rowsPerRun + row, "c"), "run " + run + " row " + row);
            }
            stores.checkpoint(store);
        }
    }

    private static List<String> rest(ByteStore.Cursor cursor) {
        List<String> values = new ArrayList<>();
        CursorDrain.drain(cursor, entry -> values.add(Keys.text(entry.value()))).join();
        return values;
    }

    @Test
    void readInFlightSeesItsTableWhileCompactionReplacesIt() {
        TestStores stores = new TestStores(LsmOptions.tiny(100 << 20, 1, 1 << 20, 2));
        LsmStore store = stores.fresh();
        put(store, Keys.row(1, "c"), "value");
        put(store, Keys.row(1, "e"), "another");
        store.freeze(1, new byte[0]);
        stores.background.runAll();
        put(store, Keys.row(2, "c"), "value");
        store.freeze(2, new byte[0]);
        stores.background.runAll();
        CompletableFuture<Void> gate = new CompletableFuture<>();
        assertThat("the tail is in memory now", get(store, Keys.row(1, "d")), is(nullValue()));
        stores.ufs.readGate = gate;
        CompletableFuture<byte[]> reading = store.get(Family.ROWS, Keys.row(1, "c"));
        assertThat(reading.isDone(), is(false));
        stores.ufs.readGate = CompletableFuture.completedFuture(null);
        stores.compact(store);
        gate.complete(null);
        assertThat(Keys.text(reading.join()), is("value"));
    }

    @Test
    void objectThatNoManifestNamedIsDeletedWhenItsLastReaderIsDone() {
        TestStores stores = new TestStores(LsmOptions.tiny(2000, 1, 1 << 20, 2));
        LsmStore store = stores.fresh();
        ByteStore.Cursor[] cursor = {null};
        for (int i = 0; i < 200; i++) {
            put(store, Keys.row(i, "c"), "value");
            stores.background.runAll();
            if (i == 100) {
                cursor[0] = store.scan(Family.ROWS, new byte[0], null, null);
                cursor[0].next(1).join();
            }
        }
        stores.compact(store);
        int before = stores.ufs.discarded.size();
        int held = stores.ufs.objects.size();
        assertThat("compacted objects were deleted", before, greaterThan(0));
        assertThat(rest(cursor[0]).size(), is(100));
        assertThat("those that the cursor pinned are deleted now", stores.ufs.discarded.size(), greaterThan(before));
        assertThat(stores.ufs.objects.size(), is(held - (stores.ufs.discarded.size() - before)));
        assertThat(stores.ufs.objects.size(), is(store.stats().tables()));
    }

    @Test
    void cursorSeesTheMomentItWasOpened() {
        TestStores stores = TestStores.compactingAt(2);
        LsmStore store = stores.fresh();
        put(store, Keys.row(Long.MIN_VALUE, "a", 0, "c"), "a");
        stores.checkpoint(store);
        put(store, Keys.row(1, "b", 0, "c"), "b");
        ByteStore.Cursor cursor = store.scan(Family.ROWS, new byte[0], null, null);
        put(store, Keys.row(2, "between", 0, "c"), "later");
        put(store, Keys.row(1, "b", 0, "c"), "changed");
        TestStores.append(store, Keys.row(Long.MIN_VALUE, "a", 0, "c"), "+later");
        stores.checkpoint(store);
        TestStores.delete(store, Keys.row(1, "b", 0, "c"));
        stores.checkpoint(store);
        stores.compact(store);
        assertThat(rest(cursor), contains("b", "a"));
        assertThat(rest(store.scan(Family.ROWS, new byte[0], null, null)), contains("later", "a+later"));
    }

    @Test
    void coldRowIsOneRoundTripWhateverTheNumberOfRuns() {
        TestStores stores = TestStores.compactingAt(50);
        LsmStore store = stores.fresh();
        for (int run = 0; run < 5; run++) {
            put(store, Keys.row(7, "cell" + run), "v" + run);
            stores.checkpoint(store);
        }
        byte[] key = Keys.row(7, "cell0");
        byte[] prefix = Arrays.copyOf(key, ByteStore.rowPrefixLength(key));
        List<CompletableFuture<Void>> gates = new ArrayList<>();
        CompletableFuture<Void> gate = new CompletableFuture<>();
        stores.ufs.readGate = gate;
        ByteStore.Cursor cursor = store.scan(Family.ROWS, prefix, null, prefix);
        CompletableFuture<List<ByteStore.Entry>> page = cursor.next(1 << 20);
        assertThat("all tails are asked for at once", stores.ufs.reads, is(5));
        gates.add(gate);
        stores.ufs.readGate = CompletableFuture.completedFuture(null);
        gate.complete(null);
        assertThat(page.join().size(), is(5));
        int warm = stores.ufs.reads;
        assertThat(get(store, key), is("v0"));
        assertThat("the blocks are cached", stores.ufs.reads, is(warm));
        assertThat(store.get(Family.ROWS, key).isDone(), is(true));
    }

    @Test
    void absentRowIsAnsweredByFiltersWithoutReadingABlock() {
        TestStores stores = TestStores.compactingAt(50);
        LsmStore store = stores.fresh();
        runs(stores, store, 3, 200);
        assertThat("tails are read once", get(store, Keys.row(300, "x")), is(nullValue()));
        store.scan(Family.ROWS, new byte[0], null, null).close();
        byte[] known = Keys.row(5, "c");
        get(store, known);
        int before = stores.ufs.reads;
        int tails = 3;
        for (int i = 1000; i < 1100; i++) {
            byte[] key = Keys.row(i, "c");
            byte[] prefix = Arrays.copyOf(key, ByteStore.rowPrefixLength(key));
            byte[] end = Arrays.copyOf(prefix, prefix.length + 1);
            end[prefix.length] = (byte) 0xff;
            assertThat(rest(store.scan(Family.ROWS, prefix, end, prefix)), is(empty()));
        }
        assertThat("about one filter in a hundred errs", stores.ufs.reads - before, lessThanOrEqualTo(tails + 12));
    }

    @Test
    void compactionReadsDoNotFillTheBlockCache() {
        TestStores stores = TestStores.compactingAt(4);
        LsmStore store = stores.fresh();
        runs(stores, store, 4, 100);
        stores.compact(store);
        assertThat(store.stats().compactions(), is(1L));
        assertThat(stores.backend.cacheStats().dataBytes(), is(0L));
    }

    @Test
    void damagedTableIsNamedWithItsOwnerAndARemedy() {
        TestStores stores = TestStores.compactingAt(4);
        LsmStore store = stores.fresh();
        runs(stores, store, 1, 100);
        OwnerRecord record = stores.checkpoint(store, "h");
        ManifestTable table = Manifest.of("t", record).tables().get(0);
        byte[] object = stores.ufs.objects.get(table.range().object());
        for (long at : new long[] {
            table.range().offset() + 20, table.range().offset() + table.info().tailOffset() + 9
        }) {
            object[(int) at] ^= 1;
            LsmStore restored =
                    new TestStoresOver(stores.ufs).open(KeyRange.ALL, new ByteStore.Parent(KeyRange.ALL, record));
            CompletionException failed =
                    assertThrows(CompletionException.class, () -> TestStores.values(restored, Family.ROWS));
            assertThat(failed.getCause(), is(instanceOf(Corrupt.class)));
            String message = failed.getCause().getMessage();
            assertThat(message, containsString("stage-1/task-0"));
            assertThat(message, containsString(table.range().object()));
            assertThat(message, containsString("restore from a"));
            object[(int) at] ^= 1;
        }
        assertThat(TestStores.values(store, Family.ROWS), is(not(empty())));
    }

    /** A backend with caches of its own over the same objects. */
    private static final class TestStoresOver {
        private final LsmBackend backend;

        TestStoresOver(MemoryUfs ufs) {
            this.backend = new LsmBackend(ufs, LsmOptions.tiny(1 << 20, 1 << 20, 1 << 20, 4), Runnable::run);
        }

        LsmStore open(KeyRange range, ByteStore.Parent parent) {
            return (LsmStore) backend.open("stage-1/task-0", range, List.of(parent))
                    .join()
                    .store();
        }
    }
}
