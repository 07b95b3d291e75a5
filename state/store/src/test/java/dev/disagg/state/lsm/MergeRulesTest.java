// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import static dev.disagg.state.lsm.TestStores.append;
import static dev.disagg.state.lsm.TestStores.delete;
import static dev.disagg.state.lsm.TestStores.get;
import static dev.disagg.state.lsm.TestStores.put;
import static dev.disagg.state.lsm.TestStores.stored;
import static dev.disagg.state.lsm.TestStores.values;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.ufs.OwnerRecord;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What becomes of puts, tails and deletes of one key across memtables, runs, compactions and ranges. */
class MergeRulesTest {
    private static final byte[] KEY = Keys.row(1, "bag");
    private static final KeyRange LOW = KeyRange.of(0, 2);
    private static final KeyRange HIGH = KeyRange.of(1, 2);

    private static byte[] rowIn(KeyRange range, String cell) {
        return Keys.row((long) range.firstGroup() << 49 | 77, "k", Long.MAX_VALUE, cell);
    }

    @Test
    void bagClearedThenAddedToNeverShowsTheOldBagAcrossRuns() {
        TestStores stores = TestStores.compactingAt(50);
        LsmStore store = stores.fresh();
        append(store, KEY, "old,");
        stores.checkpoint(store);
        delete(store, KEY);
        stores.checkpoint(store);
        append(store, KEY, "new,");
        OwnerRecord record = stores.checkpoint(store);
        assertThat(get(store, KEY), is("new,"));
        assertThat(values(store, Family.ROWS), contains("new,"));
        assertThat(stored(store), contains("L0 MERGE new,", "L0 DELETE ", "L0 PUT old,"));
        assertThat(get(stores.open(KeyRange.ALL, new ByteStore.Parent(KeyRange.ALL, record)), KEY), is("new,"));
    }

    @Test
    void bagClearedAndAddedToInOneMemtableIsOnePutOfTheTailsAlone() {
        TestStores stores = TestStores.compactingAt(50);
        LsmStore store = stores.fresh();
        append(store, KEY, "old,");
        stores.checkpoint(store);
        delete(store, KEY);
        append(store, KEY, "a,");
        append(store, KEY, "b,");
        stores.checkpoint(store);
        assertThat(stored(store), contains("L0 PUT a,b,", "L0 PUT old,"));
        assertThat(get(store, KEY), is("a,b,"));
    }

    @Test
    void tailsOverAnOlderPutStayTailsInTheirRunAndFoldInCompaction() {
        TestStores stores = TestStores.compactingAt(3);
        LsmStore store = stores.fresh();
        put(store, KEY, "a,");
        stores.checkpoint(store);
        append(store, KEY, "b,");
        stores.checkpoint(store);
        append(store, KEY, "c,");
        stores.checkpoint(store);
        assertThat(stored(store), contains("L0 MERGE c,", "L0 MERGE b,", "L0 PUT a,"));
        stores.compact(store);
        assertThat(stored(store), contains("L1 PUT a,b,c,"));
        assertThat(get(store, KEY), is("a,b,c,"));
    }

    @Test
    void clearThenAddAcrossRunsFoldsToTheTailsAlone() {
        TestStores stores = TestStores.compactingAt(3);
        LsmStore store = stores.fresh();
        put(store, KEY, "old,");
        stores.checkpoint(store);
        delete(store, KEY);
        stores.checkpoint(store);
        append(store, KEY, "new,");
        stores.checkpoint(store);
        stores.compact(store);
        assertThat(stored(store), contains("L1 PUT new,"));
    }

    @Test
    void deleteGoesWhenNothingOlderIsLeft() {
        TestStores stores = TestStores.compactingAt(2);
        LsmStore store = stores.fresh();
        put(store, KEY, "v");
        put(store, Keys.row(2, "other"), "stays");
        stores.checkpoint(store);
        delete(store, KEY);
        stores.checkpoint(store);
        stores.compact(store);
        assertThat(stored(store), contains("L1 PUT stays"));
    }

    @Test
    void deleteStaysWhileAnOlderRunThatIsNotMergedMayHoldTheKey() {
        TestStores stores = TestStores.compactingAt(2);
        LsmStore store = stores.fresh();
        put(store, KEY, "old");
        for (int i = 10; i < 200; i++) {
            put(store, Keys.row(i, "c"), Long.toString(Keys.hash(i), 36) + Long.toString(Keys.hash(-i), 36));
        }
        stores.checkpoint(store);
        put(store, Keys.row(3, "c"), "x");
        stores.checkpoint(store);
        stores.compact(store);
        assertThat("everything is in level 1", store.stats().flushedRuns(), is(0));
        delete(store, KEY);
        stores.checkpoint(store);
        put(store, Keys.row(4, "c"), "y");
        stores.checkpoint(store);
        stores.compact(store);
        assertThat(store.stats().flushedRuns(), is(1));
        List<String> top =
                stored(store).stream().filter(line -> line.startsWith("L0")).toList();
        assertThat("two small runs became one, above level 1", top.contains("L0 DELETE "), is(true));
        assertThat(get(store, KEY), is(nullValue()));
    }

    @Test
    void keysSetAndClearedInOneMemtableLeaveNothing() {
        TestStores stores = TestStores.compactingAt(50);
        LsmStore store = stores.fresh();
        for (int i = 0; i < 1000; i++) {
            put(store, Keys.row(i, "c"), "v");
            delete(store, Keys.row(i, "c"));
        }
        OwnerRecord record = stores.checkpoint(store);
        assertThat(record.links().keySet(), empty());
        assertThat(store.stats().tables(), is(0));
    }

    @Test
    void tombstoneUnderAClipIsNotKeptForKeysThatTheClipHides() {
        TestStores stores = TestStores.compactingAt(3);
        LsmStore parent = stores.fresh();
        put(parent, rowIn(LOW, "a"), "low");
        put(parent, rowIn(HIGH, "a"), "high");
        OwnerRecord record = stores.checkpoint(parent);
        LsmStore low = stores.open(LOW, new ByteStore.Parent(KeyRange.ALL, record));
        OlderKeys older = OlderKeys.of(Family.ROWS, low.version().layers(Family.ROWS));
        assertThat(older.mayHold(rowIn(LOW, "a")), is(true));
        assertThat("hidden by the clip", older.mayHold(rowIn(HIGH, "a")), is(false));
        delete(low, rowIn(LOW, "a"));
        OwnerRecord after = stores.checkpoint(low);
        assertThat(stored(low), contains("L0 DELETE ", "L0 PUT low"));
        LsmStore again = stores.open(LOW, new ByteStore.Parent(LOW, after));
        assertThat(values(again, Family.ROWS), empty());
        stores.compact(low);
        assertThat(stored(low), contains("L0 DELETE ", "L0 PUT low"));
        put(low, rowIn(LOW, "b"), "b");
        stores.checkpoint(low);
        stores.compact(low);
        assertThat("clipped and deleted data is gone", stored(low), contains("L1 PUT b"));
    }

    @Test
    void tailsWithoutABaseAfterASplitAreWholeInBothHalvesAndAfterAMerge() {
        TestStores stores = TestStores.compactingAt(50);
        LsmStore parent = stores.fresh();
        put(parent, rowIn(LOW, "a"), "1");
        append(parent, rowIn(HIGH, "a"), "1");
        stores.checkpoint(parent);
        append(parent, rowIn(LOW, "a"), "2");
        append(parent, rowIn(HIGH, "a"), "2");
        OwnerRecord record = stores.checkpoint(parent);
        LsmStore low = stores.open(LOW, new ByteStore.Parent(KeyRange.ALL, record));
        LsmStore high = stores.open(HIGH, new ByteStore.Parent(KeyRange.ALL, record));
        append(low, rowIn(LOW, "a"), "3");
        append(high, rowIn(HIGH, "a"), "4");
        append(high, rowIn(HIGH, "new"), "5");
        OwnerRecord lowRecord = stores.checkpoint(low);
        OwnerRecord highRecord = stores.checkpoint(high);
        assertThat(values(low, Family.ROWS), contains("123"));
        assertThat(values(high, Family.ROWS), contains("124", "5"));
        LsmStore merged =
                stores.open(KeyRange.ALL, new ByteStore.Parent(LOW, lowRecord), new ByteStore.Parent(HIGH, highRecord));
        assertThat(values(merged, Family.ROWS), contains("123", "124", "5"));
    }

    @Test
    void deleteInOneTreeDoesNotReachTheTreeBesideIt() {
        TestStores stores = TestStores.compactingAt(3);
        LsmStore parent = stores.fresh();
        byte[] low = Keys.timer(5, 1, "k");
        byte[] high = Keys.timer(5, Long.MIN_VALUE, "k");
        parent.put(Family.HOLDS, low, Keys.bytes("low"));
        parent.put(Family.HOLDS, high, Keys.bytes("high"));
        OwnerRecord record = stores.checkpoint(parent);
        LsmStore left = stores.open(LOW, new ByteStore.Parent(KeyRange.ALL, record));
        LsmStore right = stores.open(HIGH, new ByteStore.Parent(KeyRange.ALL, record));
        left.delete(Family.HOLDS, low);
        right.put(Family.HOLDS, Keys.timer(4, Long.MIN_VALUE, "k"), Keys.bytes("earlier"));
        LsmStore merged = stores.open(
                KeyRange.ALL,
                new ByteStore.Parent(LOW, stores.checkpoint(left)),
                new ByteStore.Parent(HIGH, stores.checkpoint(right)));
        assertThat(values(merged, Family.HOLDS), contains("earlier", "high"));
        merged.put(Family.HOLDS, low, Keys.bytes("again"));
        stores.checkpoint(merged);
        stores.compact(merged);
        assertThat(merged.stats().compactions(), is(1L));
        assertThat(values(merged, Family.HOLDS), contains("earlier", "again", "high"));
    }

    @Test
    void sourcesOfTwoParentsArePutTogether() {
        TestStores stores = TestStores.compactingAt(50);
        LsmStore low = stores.open(LOW);
        LsmStore high = stores.open(HIGH);
        low.put(Family.SOURCES, Keys.bytes("a"), Keys.bytes("1"));
        low.put(Family.SOURCES, Keys.bytes("gone"), Keys.bytes("x"));
        stores.checkpoint(low);
        low.delete(Family.SOURCES, Keys.bytes("gone"));
        high.put(Family.SOURCES, Keys.bytes("b"), Keys.bytes("2"));
        LsmStore merged = stores.open(
                KeyRange.ALL,
                new ByteStore.Parent(LOW, stores.checkpoint(low)),
                new ByteStore.Parent(HIGH, stores.checkpoint(high)));
        assertThat(values(merged, Family.SOURCES), contains("1", "2"));
        OwnerRecord record = stores.checkpoint(merged);
        assertThat(
                values(stores.open(KeyRange.ALL, new ByteStore.Parent(KeyRange.ALL, record)), Family.SOURCES),
                contains("1", "2"));
    }
}
