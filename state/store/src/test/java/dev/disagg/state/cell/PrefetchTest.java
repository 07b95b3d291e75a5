// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.is;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a runner reads ahead: some cells of a row, an entry of a collection, the keys of the next timers. */
class PrefetchTest {
    private final Fixture fixture = new Fixture();

    @BeforeEach
    void fill() {
        // Known, so that no hold is written blindly: that would keep the row in memory.
        fixture.resident(fixture.row("key"));
        fixture.value("key").write("small");
        for (int i = 0; i < 50; i++) {
            fixture.bag("key").add("large".repeat(20));
        }
        fixture.hold("key").write(7);
        fixture.map("key").put(Fixture.bytes("a"), Fixture.bytes("b"));
        fixture.goCold();
        fixture.forgetCounts();
        fixture.store.delayed = true;
    }

    private int[] cells(String... names) {
        return java.util.Arrays.stream(names).mapToInt(fixture::cell).toArray();
    }

    @Test
    void someCellsOfARowAreReadByOnePointReadEach() {
        Row row = fixture.row("key");
        int[] wanted = cells("value", "hold");
        CompletableFuture<?> reading = row.fetch(wanted);
        assertThat(reading.isDone(), is(false));
        assertThat(fixture.store.gets, is(2));
        assertThat(fixture.store.scans, is(0));
        fixture.store.complete(true);
        assertThat(reading.isDone(), is(true));
        assertThat(row.isResident(wanted[0]), is(true));
        assertThat(row.isResident(wanted[1]), is(true));
        assertThat(row.isResident(fixture.cell("bag")), is(false));
        assertThat(row.resident(), is(false));
        assertThat(fixture.value("key").read(), is("small"));
        assertThat(fixture.hold("key").read(), is(7L));
        assertThat(row.fetch(wanted).isDone(), is(true));
        assertThat(fixture.reads(), is(2));
    }

    @Test
    void cellThatIsAskedForWhileItIsReadWaitsForThatRead() {
        fixture.row("key").fetch(cells("value"));
        ValueCell<String> value = fixture.value("key");
        assertThat(value.resident(), is(false));
        value.fetch();
        assertThat(fixture.reads(), is(1));
        fixture.store.complete(false);
        assertThat(value.resident(), is(true));
        assertThat(value.read(), is("small"));
    }

    @Test
    void cellWrittenWhileItIsReadKeepsWhatWasWritten() {
        fixture.row("key").fetch(cells("value", "bag"));
        fixture.value("key").write("new");
        fixture.bag("key").add("last");
        fixture.store.complete(false);
        assertThat(fixture.value("key").read(), is("new"));
        assertThat(fixture.resident(fixture.bag("key")).read().size(), is(51));
    }

    @Test
    void absentCellIsResidentOnceReadAlone() {
        fixture.value("other").write("makes the kind known");
        Row row = fixture.row("absent");
        int[] wanted = cells("value");
        row.fetch(wanted);
        fixture.store.complete(false);
        assertThat(row.isResident(wanted[0]), is(true));
        assertThat(fixture.value("absent").read() == null, is(true));
    }

    @Test
    void cellThatNobodyAskedForYetBringsItsWholeRow() {
        fixture.restore();
        fixture.store.delayed = true;
        Row row = fixture.row("key");
        row.fetch(cells("value"));
        assertThat(fixture.store.gets, is(0));
        fixture.store.complete(false);
        assertThat(row.resident(), is(true));
    }

    @Test
    void wholeRowAfterSomeOfItsCellsBringsTheRest() {
        Row row = fixture.row("key");
        row.fetch(cells("value"));
        fixture.store.complete(false);
        fixture.resident(row);
        assertThat(fixture.bag("key").read().size(), is(50));
        assertThat(fixture.value("key").read(), is("small"));
    }

    @Test
    void entryOfACollectionIsOneReadOnceItsRowIsThere() {
        fixture.resident(fixture.row("key"));
        fixture.forgetCounts();
        CompletableFuture<?> early = fixture.map("key").prefetch(Fixture.bytes("a"));
        assertThat(early.isDone(), is(false));
        CompletableFuture<byte[]> got = fixture.map("key").get(Fixture.bytes("a"));
        assertThat("the get waits for the same read", fixture.reads(), is(1));
        fixture.store.complete(false);
        assertThat(got.join(), is(Fixture.bytes("b")));
        assertThat(fixture.map("key").prefetch(Fixture.bytes("a")).isDone(), is(true));
        assertThat(fixture.reads(), is(1));
    }

    @Test
    void entryOfAColdCollectionIsReadAfterItsCell() {
        CollectionCell map = fixture.map("key");
        CompletableFuture<?> cell = map.prefetch(Fixture.bytes("a"));
        fixture.store.complete(false);
        assertThat(cell.isDone(), is(true));
        CompletableFuture<?> entry = map.prefetch(Fixture.bytes("a"));
        assertThat(entry.isDone(), is(false));
        fixture.store.complete(false);
        assertThat(map.getIfResident(Fixture.bytes("a")).value(), is(Fixture.bytes("b")));
    }

    private static List<String> names(List<DueKey> keys) {
        return keys.stream().map(key -> new String(key.key())).toList();
    }

    @Test
    void keysOfTheNextTimersAreKnownBeforeTheyAreTaken() {
        fixture.store.delayed = false;
        for (int i = 1; i <= 5; i++) {
            fixture.timers("k" + i).set(new Timer(new byte[0], TimerDomain.EVENT, i, i, new byte[0]));
        }
        DueScan scan = fixture.state.timers(TimerDomain.EVENT).due(5);
        assertThat(names(scan.upcoming(10)), contains("k1", "k2", "k3", "k4"));
        assertThat(names(scan.next(2).join()), contains("k1", "k2"));
        assertThat(names(scan.upcoming(1)), contains("k3"));
        assertThat(names(scan.next(10).join()), contains("k3", "k4"));
        assertThat("they wait for their turn, and came already", names(scan.upcoming(10)), empty());
        scan.close();
        assertThat(scan.upcoming(1), empty());
    }
}
