// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import static dev.disagg.state.lsm.TestStores.put;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThan;
import static org.hamcrest.Matchers.not;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.ufs.Failed;
import dev.disagg.ufs.Invalid;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.Unavailable;
import dev.disagg.ufs.testkit.ManualExecutor;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Flush, compaction, memory, back-pressure, and what becomes of their failures. */
class BackgroundTest {
    private static void fill(ByteStore store, int rows) {
        for (int i = 0; i < rows; i++) {
            put(store, Keys.row(i, "c"), "value-" + i);
        }
    }

    @Test
    void memtablePastItsShareIsFlushedIntoAnObjectOfItsOwn() {
        TestStores stores = new TestStores(LsmOptions.tiny(20_000, 1 << 20, 1 << 20, 50));
        LsmStore store = stores.fresh();
        fill(store, 500);
        assertThat(stores.ufs.objects.keySet(), is(empty()));
        stores.background.runAll();
        fill(store, 1);
        assertThat(store.stats().flushes(), is(greaterThan(0L)));
        assertThat(stores.ufs.objects.size(), is(store.stats().tables()));
        assertThat(stores.backend.memtableBytes(), is(lessThan(20_000L)));
    }

    @Test
    void largestMemtableOfTheProcessIsFlushedFirst() {
        TestStores stores = new TestStores(LsmOptions.tiny(100_000, 1 << 20, 1 << 20, 50));
        LsmStore large = stores.fresh();
        LsmStore small = stores.fresh();
        fill(large, 200);
        assertThat("not full yet", large.stats().flushes(), is(0L));
        for (int i = 0; i < 100; i++) {
            put(small, Keys.row(i, "c"), "v");
        }
        stores.background.runAll();
        fill(large, 1);
        stores.background.runAll();
        fill(large, 1);
        assertThat(large.stats().flushes(), is(1L));
        assertThat(small.stats().flushes(), is(0L));
    }

    @Test
    void closedStoreGivesItsMemoryBack() {
        TestStores stores = new TestStores(LsmOptions.tiny(40_000, 1 << 20, 1 << 20, 50));
        LsmStore store = stores.fresh();
        fill(store, 300);
        assertThat(stores.backend.memtableBytes(), is(greaterThan(0L)));
        store.close();
        store.close();
        assertThat(stores.backend.memtableBytes(), is(0L));
        assertThrows(Invalid.class, () -> put(store, Keys.row(1, "c"), "v"));
        stores.background.runAll();
        assertThat("a flush that ends after the close leaves nothing", stores.ufs.objects.keySet(), is(empty()));
    }

    @Test
    void failedFlushIsThrownByTheNextCall() {
        TestStores stores = new TestStores(LsmOptions.tiny(20_000, 1 << 20, 1 << 20, 50));
        LsmStore store = stores.fresh();
        fill(store, 200);
        stores.ufs.beforeCall = call -> {
            throw new Unavailable("the store does not answer " + call);
        };
        stores.background.runAll();
        Unavailable thrown = assertThrows(Unavailable.class, () -> store.get(Family.ROWS, Keys.row(1, "c")));
        assertThat(thrown.getMessage(), containsString("stage-1/task-0"));
        assertThrows(Unavailable.class, () -> store.freeze(1, new byte[0]));
    }

    @Test
    void compactionThatGetsNoAnswerIsTriedAgainAfterTheNextFlush() {
        TestStores stores = TestStores.compactingAt(3);
        LsmStore store = stores.fresh();
        for (int i = 0; i < 3; i++) {
            put(store, Keys.row(i, "c"), "v");
            if (i < 2) {
                stores.checkpoint(store);
            }
        }
        stores.checkpoint(store);
        stores.ufs.beforeCall = call -> {
            throw new Unavailable("the store does not answer " + call);
        };
        stores.compact(store);
        assertThat(store.stats().compactions(), is(0L));
        stores.ufs.beforeCall = call -> {};
        put(store, Keys.row(9, "c"), "v");
        stores.checkpoint(store);
        stores.compact(store);
        assertThat(store.stats().compactions(), is(1L));
        assertThat(store.stats().flushedRuns(), is(0));
    }

    @Test
    void compactionThatIsGivenUpLeavesNoObject() {
        TestStores stores = TestStores.compactingAt(2);
        LsmStore store = stores.fresh();
        fill(store, 50);
        stores.checkpoint(store);
        fill(store, 50);
        OwnerRecord record = stores.checkpoint(store);
        var named = stores.ufs.objects.keySet().toArray(String[]::new);
        store.close();
        stores.background.runAll();
        assertThat(stores.ufs.objects.keySet(), containsInAnyOrder(named));
        LsmStore again = stores.open(KeyRange.ALL, new ByteStore.Parent(KeyRange.ALL, record));
        assertThat(TestStores.values(again, Family.ROWS).size(), is(50));
    }

    @Test
    void compactionFailureThatIsNoOutageIsThrownByTheNextCall() {
        TestStores stores = TestStores.compactingAt(2);
        LsmStore store = stores.fresh();
        fill(store, 5);
        stores.checkpoint(store);
        fill(store, 5);
        stores.checkpoint(store);
        stores.ufs.beforeCall = call -> {
            throw new Failed("disk is on fire");
        };
        stores.background.runAll();
        assertThrows(Failed.class, () -> fill(store, 1));
    }

    @Test
    void writesWaitABoundedTimeWhenCompactionIsBehindAndFreezeDoesNot() {
        TestStores stores = new TestStores(LsmOptions.tiny(4000, 1 << 20, 1 << 20, 2));
        LsmStore store = stores.fresh();
        ManualExecutor never = stores.background;
        for (int i = 0; i < 40; i++) {
            fill(store, 20);
        }
        long waits = store.stats().stalls();
        assertThat(waits, is(greaterThan(0L)));
        assertThat(store.stats().stallTimeouts(), is(waits));
        store.freeze(1, new byte[0]);
        assertThat(store.stats().stalls(), is(waits));
        never.runAll();
        assertThat(TestStores.values(store, Family.ROWS).size(), is(20));
    }

    @Test
    void rowsWhoseWindowEndedAreDroppedByCompactionAndOthersStay() {
        TestStores stores = TestStores.compactingAt(2);
        LsmStore store = stores.fresh();
        put(store, Keys.row(1, "k", 1000, "c"), "old window");
        put(store, Keys.row(1, "k", 2000, "c"), "new window");
        put(store, Keys.row(1, "k", -5, "c"), "before 1970");
        put(store, Keys.row(1, "k", Long.MAX_VALUE, "c"), "key-global");
        stores.checkpoint(store);
        TestStores.append(store, Keys.row(1, "k", 1000, "c"), "+");
        put(store, Keys.row(1, "k", Long.MAX_VALUE, "d"), "key-global too");
        store.dropRowsBelow(2000);
        store.dropRowsBelow(500);
        stores.checkpoint(store);
        stores.compact(store);
        assertThat(
                TestStores.values(store, Family.ROWS),
                containsInAnyOrder("new window", "key-global", "key-global too"));
    }

    @Test
    void expiredRowDoesNotUncoverWhatAnOlderRunHoldsOfIt() {
        OlderKeys older = new OlderKeys(Family.ROWS, true, java.util.List.of());
        TestStores stores = TestStores.compactingAt(50);
        LsmStore store = stores.fresh();
        put(store, Keys.row(1, "k", 1000, "c"), "v");
        ManifestTable table =
                Manifest.of("t", stores.checkpoint(store)).tables().get(0);
        CompactionJob job = new CompactionJob(
                "t",
                Family.ROWS,
                KeyRange.ALL,
                java.util.List.of(java.util.List.of(table)),
                0,
                9,
                older,
                2000,
                1 << 20,
                dev.disagg.state.table.TableOptions.DEFAULTS);
        var service = new LocalCompaction(stores.ufs, new dev.disagg.state.table.BlockCache(0, 1 << 20), Runnable::run);
        var out = service.submit(job).join().tables();
        assertThat(out.get(0).info().deletes(), is(1L));
        assertThat(out, is(not(empty())));
    }

    @Test
    void keyOfAForeignGroupOrTooShortIsRefused() {
        TestStores stores = TestStores.compactingAt(4);
        LsmStore store = stores.open(KeyRange.of(0, 2));
        Invalid foreign = assertThrows(Invalid.class, () -> put(store, Keys.row(Long.MIN_VALUE, "k", 0, "c"), "v"));
        assertThat(foreign.getMessage(), containsString("group"));
        assertThrows(Invalid.class, () -> store.put(Family.HOLDS, new byte[9], new byte[0]));
        byte[] cutShort = Arrays.copyOf(Keys.row(Keys.hash(1) >>> 1, "a long key", 0, ""), 24);
        assertThrows(Invalid.class, () -> store.put(Family.ROWS, cutShort, new byte[0]));
    }
}
