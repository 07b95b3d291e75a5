// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import static dev.disagg.state.cell.Fixture.bytes;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThan;
import static org.hamcrest.Matchers.lessThanOrEqualTo;
import static org.hamcrest.Matchers.nullValue;
import static org.hamcrest.Matchers.sameInstance;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.state.Family;
import dev.disagg.ufs.Corrupt;
import dev.disagg.ufs.Invalid;
import dev.disagg.ufs.Unavailable;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CellTest {
    private final Fixture task = new Fixture();

    @Test
    void valueOfAnImmutableTypeIsSharedAndEncodedOnlyWhenItLeavesMemory() {
        TestCodecs.Strings codec = new TestCodecs.Strings();
        ValueCell<String> value = task.row("k").value(task.cell("value"), codec);
        String written = new String("text");
        value.write("before");
        value.write(written);
        assertThat(value.read(), sameInstance(written));
        assertThat(codec.encodes, is(0));

        task.goCold();
        assertThat(codec.encodes, is(1));
        assertThat(task.resident(task.value("k")).read(), equalTo("text"));
    }

    @Test
    void changingAValueInPlaceDoesNotChangeState() {
        ValueCell<List<Integer>> value = task.row("k").value(task.cell("value"), TestCodecs.LIST);
        List<Integer> mine = new ArrayList<>(List.of(1));
        value.write(mine);
        mine.add(2);
        value.read().add(3);
        assertThat(value.read(), contains(1));
        task.goCold();
        value = task.resident(task.row("k").value(task.cell("value"), TestCodecs.LIST));
        value.read().add(4);
        assertThat(value.read(), contains(1));
    }

    @Test
    void changingAnAccumulatorInPlaceDoesNotChangeState() {
        AccumulatorCell<List<Integer>> all = task.resident(task.row("k"))
                .accumulator(task.cell("all"), TestCodecs.LIST, TestCodecs::concat, ArrayList::new);
        List<Integer> mine = new ArrayList<>(List.of(1));
        all.add(mine);
        mine.add(2);
        all.read().add(3);
        all.write(mine);
        mine.add(4);
        assertThat(all.read(), contains(1, 2));
    }

    @Test
    void bagThatWasReadDoesNotChangeWithLaterAdds() {
        BagCell<String> bag = task.resident(task.bag("k"));
        bag.add("a");
        List<String> before = bag.read();
        bag.add("b");
        assertThat(before, contains("a"));
        List<String> both = bag.read();
        bag.clear();
        bag.add("c");
        assertThat(before, contains("a"));
        assertThat(both, contains("a", "b"));
        assertThat(bag.read(), contains("c"));
        assertThrows(UnsupportedOperationException.class, () -> bag.read().add("d"));
    }

    @Test
    void blindWritesReadNothing() {
        task.bag("k").add("old");
        task.map("k").put(bytes("s"), bytes("old"));
        task.hold("k").write(5);
        task.sum("k").add(1L);
        task.value("k").write("old");
        task.restore();
        task.forgetCounts();

        task.value("k").write("new");
        task.value("k").clear();
        task.bag("k").add("new");
        task.sum("k").add(2L);
        task.map("k").put(bytes("s"), bytes("new"));
        task.map("k").delete(bytes("t"));
        task.hold("k").write(6);
        task.goCold();
        assertThat(task.reads(), is(0));

        assertThat(task.resident(task.value("k")).read(), nullValue());
        assertThat(task.resident(task.bag("k")).read(), contains("old", "new"));
        assertThat(task.resident(task.sum("k")).read(), is(3L));
        CollectionCell map = task.resident(task.map("k"));
        assertThat(map.get(bytes("s")).join(), equalTo(bytes("new")));
        assertThat(task.resident(task.hold("k")).read(), is(6L));
    }

    @Test
    void valueThatArrivesLateDoesNotReplaceWhatWasWritten() {
        task.value("k").write("old");
        task.goCold();
        task.store.delayed = true;
        Row row = task.row("k");
        row.fetch();
        task.value("k").write("new");
        task.store.complete(false);
        assertThat(row.resident(), is(true));
        assertThat(task.value("k").read(), equalTo("new"));
    }

    @Test
    void whatArrivesLateGoesInFrontOfWhatWasAdded() {
        task.bag("k").add("a");
        task.sum("k").add(1L);
        task.goCold();
        task.store.delayed = true;
        task.row("k").fetch();
        task.bag("k").add("b");
        task.sum("k").add(2L);
        task.store.complete(false);
        assertThat(task.bag("k").resident(), is(true));
        assertThat(task.bag("k").read(), contains("a", "b"));
        assertThat(task.sum("k").read(), is(3L));
    }

    @Test
    void readThatIsOlderThanAnAppendIsNotTakenForTheWhole() {
        task.bag("k").add("a");
        task.goCold();
        task.store.delayed = true;
        Row row = task.row("k");
        row.fetch();
        task.bag("k").add("b");
        task.state.freeze(2, new byte[0]);
        task.store.complete(false);
        assertThat(row.resident(), is(true));
        assertThat(task.bag("k").resident(), is(false));
        assertThat(task.resident(task.bag("k")).read(), contains("a", "b"));
    }

    @Test
    void clearThenAddNeverBringsOldBack() {
        task.bag("k").add("old");
        task.sum("k").add(100L);
        task.map("k").put(bytes("s"), bytes("old"));
        task.goCold();
        task.store.delayed = true;
        task.row("k").fetch();
        task.bag("k").clear();
        task.bag("k").add("new");
        task.sum("k").clear();
        task.sum("k").add(1L);
        task.map("k").clear();
        task.map("k").put(bytes("t"), bytes("new"));
        task.store.complete(false);
        task.row("k").resident();
        task.store.delayed = false;
        task.goCold();
        assertThat(task.resident(task.bag("k")).read(), contains("new"));
        assertThat(task.resident(task.sum("k")).read(), is(1L));
        CollectionCell map = task.resident(task.map("k"));
        assertThat(map.get(bytes("s")).join(), nullValue());
        assertThat(task.all(map.scan(new byte[0], null)).size(), is(1));
    }

    @Test
    void coldAccumulatorAppendsOneOperandAndAKnownOneIsPut() {
        task.sum("k").add(1L);
        task.goCold();
        task.forgetCounts();
        for (int i = 0; i < 10; i++) {
            task.sum("k").add(1L);
        }
        task.goCold();
        assertThat(task.store.appends, is(1));
        assertThat(task.store.puts, is(0));

        task.resident(task.sum("k")).add(1L);
        task.goCold();
        assertThat(task.store.appends, is(1));
        assertThat(task.store.puts, is(1));
        assertThat(task.resident(task.sum("k")).read(), is(12L));
    }

    @Test
    void whatIsWrittenAndClearedInMemoryCostsNoStoreWrite() {
        task.resident(task.row("k"));
        task.value("k").write("x");
        task.bag("k").add("x");
        task.sum("k").add(1L);
        task.hold("k").write(5);
        task.map("k").put(bytes("s"), bytes("x"));
        task.row("k").clearAll();
        task.state.freeze(1, new byte[0]);
        assertThat(task.writes(), is(0));
    }

    @Test
    void oneScanMakesEveryCellOfARowResident() {
        task.resident(task.row("k"));
        task.value("k").write("v");
        task.bag("k").add("b");
        task.map("k").put(bytes("s"), new byte[50_000]);
        task.goCold();
        task.forgetCounts();
        task.resident(task.row("k"));
        assertThat(task.value("k").read(), equalTo("v"));
        assertThat(task.bag("k").read(), contains("b"));
        assertThat("a cell that was never written", task.sum("k").read(), is(0L));
        assertThat("a collection's generation", task.map("k").resident(), is(true));
        assertThat("a collection's entries are not dragged in", task.map("k").getIfResident(bytes("s")), nullValue());
        assertThat(task.reads(), is(1));
    }

    @Test
    void cellsBeyondThePrefetchAreReadOneByOne() {
        for (int i = 0; i < 10; i++) {
            task.row("k").value(task.cell("value" + i), TestCodecs.LIST).write(java.util.Collections.nCopies(5_000, i));
        }
        task.goCold();
        Row row = task.resident(task.row("k"));
        int cold = 0;
        for (int i = 0; i < 10; i++) {
            ValueCell<List<Integer>> value = row.value(task.cell("value" + i), TestCodecs.LIST);
            cold += value.resident() ? 0 : 1;
            assertThat(task.resident(value).read().get(0), is(i));
        }
        assertThat("20 kB each, 64 KiB fetched", cold, is(6));
    }

    @Test
    void readsOfOneRowShareAFutureWhileOneIsOut() {
        task.store.delayed = true;
        task.value("k").write("v");
        task.goCold();
        Row row = task.row("k");
        assertThat(row.fetch() == row.fetch(), is(true));
        assertThat(task.bag("k").fetch() == row.fetch(), is(true));
        task.store.complete(false);
        assertThat(task.value("k").resident(), is(true));
    }

    @Test
    void pinnedKeysStayAndOthersGo() {
        Fixture small = new Fixture(TaskStateOptions.DEFAULT.withCacheBytes(0));
        KeyEntry pinned = small.key("pinned");
        pinned.attachment = "mine";
        pinned.pin();
        ValueCell<String> value = small.value("pinned");
        value.write("v");
        ValueCell<String> other = small.value("other");
        other.write("w");
        for (int i = 0; i < 10; i++) {
            small.state.maintain();
        }
        assertThat(value.read(), equalTo("v"));
        assertThat(small.key("pinned"), sameInstance(pinned));
        assertThat(small.key("pinned").attachment, equalTo("mine"));
        assertThrows(IllegalStateException.class, other::read);
        assertThrows(IllegalStateException.class, () -> other.write("lost"));
        assertThat(small.resident(small.value("other")).read(), equalTo("w"));
        pinned.unpin();
        assertThrows(IllegalStateException.class, pinned::unpin);
    }

    @Test
    void memoryStaysWithinItsBounds() {
        long cacheBytes = 200_000;
        long dirtyBytes = 20_000;
        Fixture small = new Fixture(new TaskStateOptions(cacheBytes, dirtyBytes, 100));
        for (int i = 0; i < 20_000; i++) {
            small.value("key" + i).write("value" + i);
            small.bag("key" + i).add("x");
            assertThat(small.state.metrics().dirtyBytes(), lessThanOrEqualTo(dirtyBytes));
            small.state.maintain();
            assertThat(small.state.metrics().cachedBytes(), lessThanOrEqualTo(cacheBytes + cacheBytes / 10));
        }
        assertThat(small.state.metrics().evictions(), greaterThan(19_000L));
        for (int i = 0; i < 20_000; i += 997) {
            assertThat(small.resident(small.value("key" + i)).read(), equalTo("value" + i));
        }
    }

    @Test
    void oneCollectionDoesNotFillTheCache() {
        Fixture small = new Fixture(new TaskStateOptions(100_000, 1_000_000, 100));
        CollectionCell map = small.map("k");
        small.resident(map);
        for (int i = 0; i < 5_000; i++) {
            map.put(bytes("sub" + i), bytes("value" + i));
            assertThat(small.state.metrics().cachedBytes(), lessThan(70_000L));
        }
        assertThat(new String(map.get(bytes("sub17")).join()), equalTo("value17"));
        assertThat(map.get(bytes("sub")).join(), nullValue());
        assertThat(small.all(map.scan(new byte[0], null)).size(), is(5_000));
    }

    @Test
    void hotMapEntryNeedsNoRead() {
        task.map("k").put(bytes("s"), bytes("v"));
        task.goCold();
        CollectionCell map = task.resident(task.map("k"));
        map.get(bytes("s")).join();
        map.get(bytes("absent")).join();
        task.forgetCounts();
        assertThat(map.get(bytes("s")).join(), equalTo(bytes("v")));
        assertThat(map.get(bytes("absent")).join(), nullValue());
        assertThat(map.getIfResident(bytes("absent")).value(), nullValue());
        assertThat(task.reads(), is(0));
    }

    @Test
    void clearingACollectionTouchesNoEntryAndSweepsThemLater() {
        CollectionCell map = task.resident(task.map("k"));
        for (int i = 0; i < 1_000; i++) {
            map.put(bytes("sub" + i), new byte[100]);
        }
        task.goCold();
        task.forgetCounts();
        task.resident(task.map("k")).clear();
        task.state.freeze(2, new byte[0]);
        assertThat(task.writes(), is(1));
        assertThat(task.store.map(Family.ROWS).size(), is(1_001));
        assertThat(task.all(task.map("k").scan(new byte[0], null)), empty());
        for (int i = 0; i < 100; i++) {
            task.state.maintain();
        }
        task.state.freeze(3, new byte[0]);
        assertThat(task.store.live(), is(0));
    }

    @Test
    void generationIsNeverUsedTwice() {
        task.resident(task.map("k")).put(bytes("s"), bytes("old"));
        task.goCold();
        task.map("k").clear();
        task.restore();
        task.resident(task.map("k")).put(bytes("t"), bytes("new"));
        assertThat(task.map("k").get(bytes("s")).join(), nullValue());
        task.goCold();
        assertThat(
                task.all(task.resident(task.map("k")).scan(new byte[0], null)).size(), is(1));
    }

    @Test
    void readThatFailedIsThrownAndCanBeRepeated() {
        task.value("k").write("v");
        task.goCold();
        task.store.failure = new Unavailable("store is away");
        assertThrows(Unavailable.class, () -> task.row("k").fetch());
        assertThat(task.resident(task.row("k")).resident(), is(true));
        assertThat(task.value("k").read(), equalTo("v"));
        task.goCold();
        task.store.failure = new Unavailable("store is away");
        assertThrows(Unavailable.class, () -> task.value("k").fetch());
        assertThat(task.resident(task.value("k")).read(), equalTo("v"));
    }

    @Test
    void cellKeepsItsKind() {
        int cell = task.cell("value");
        task.value("k").write("v");
        String message =
                assertThrows(Invalid.class, () -> task.row("k").hold(cell)).getMessage();
        assertThat(message, containsString("'value' of 'step'"));
        task.goCold();
        task.resident(task.row("k"));
        assertThrows(Invalid.class, () -> task.row("k").collection(cell));
        task.goCold();
        task.row("k").hold(cell);
        assertThrows(Invalid.class, () -> task.row("k").fetch());
    }

    @Test
    void windowThatIsTooLongIsRefused() {
        assertThrows(Invalid.class, () -> task.key("k").row(1, new byte[65_536]));
        task.key("k")
                .row(1, new byte[65_535])
                .value(task.cell("value"), TestCodecs.LONG)
                .write(1L);
        task.goCold();
        assertThat(
                task.resident(task.key("k").row(1, new byte[65_535]).value(task.cell("value"), TestCodecs.LONG))
                        .read(),
                is(1L));
    }

    @Test
    void keyOfManyWindowsFindsEachRow() {
        KeyEntry key = task.key("k");
        key.pin();
        for (int i = 0; i < 1_000; i++) {
            key.row(i / 2, new byte[] {(byte) i})
                    .value(task.cell("value"), TestCodecs.LONG)
                    .write((long) i);
        }
        for (int i = 0; i < 1_000; i++) {
            assertThat(
                    key.row(i / 2, new byte[] {(byte) i})
                            .value(task.cell("value"), TestCodecs.LONG)
                            .read(),
                    is((long) i));
        }
    }

    @Test
    void brokenOperandsAreCorrupt() {
        task.bag("k").add("value");
        task.goCold();
        task.store.map(Family.ROWS).replaceAll((key, value) -> new byte[] {9, 1});
        assertThrows(Corrupt.class, () -> task.resident(task.bag("k")).read());
    }
}
