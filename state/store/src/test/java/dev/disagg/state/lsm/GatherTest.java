// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.instanceOf;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Small compactions happen in memory and are written with the next checkpoint. */
class GatherTest {
    private static final int RUNS = 3;

    private static TestStores stores() {
        return new TestStores(LsmOptions.tiny(100 << 20, 1 << 20, 1 << 20, RUNS).withGatherBytes(1 << 20));
    }

    private static byte[] row(int cell) {
        return Keys.row(0, "c" + (char) ('a' + cell));
    }

    @Test
    void smallRunsBecomeOneRunOfTheNextPack() {
        TestStores stores = stores();
        LsmStore store = stores.fresh();
        for (int run = 0; run < RUNS; run++) {
            TestStores.put(store, row(run), "value " + run);
            stores.checkpoint(store);
        }
        stores.compact(store);
        List<Layer> layers = store.version().layers(Family.ROWS);
        assertThat(layers.size(), is(1));
        assertThat(layers.get(0), is(instanceOf(MemLayer.class)));
        assertThat(TestStores.values(store, Family.ROWS), equalTo(List.of("value 0", "value 1", "value 2")));

        var record = stores.checkpoint(store);
        stores.compact(store);
        assertThat(TestStores.stored(store), equalTo(List.of("L0 PUT value 0", "L0 PUT value 1", "L0 PUT value 2")));
        assertThat(record.links().size(), is(1));
    }

    @Test
    void newerRunsStayAboveWhatWasGathered() {
        TestStores stores = stores();
        LsmStore store = stores.fresh();
        for (int run = 0; run < RUNS; run++) {
            TestStores.put(store, row(1), "old " + run);
            stores.checkpoint(store);
        }
        TestStores.put(store, row(1), "new");
        stores.checkpoint(store);
        stores.compact(store);
        assertThat(TestStores.get(store, row(1)), is("new"));
        var record = stores.checkpoint(store);
        stores.compact(store);
        assertThat(TestStores.get(store, row(1)), is("new"));
        LsmStore again = stores.open(KeyRange.ALL, new ByteStore.Parent(KeyRange.ALL, record));
        assertThat(TestStores.get(again, row(1)), is("new"));
    }

    @Test
    void deletesAndTailsAreSettledWithNothingBelow() {
        TestStores stores = stores();
        LsmStore store = stores.fresh();
        TestStores.put(store, row(1), "gone");
        TestStores.append(store, row(2), "a");
        stores.checkpoint(store);
        TestStores.delete(store, row(1));
        TestStores.append(store, row(2), "b");
        stores.checkpoint(store);
        TestStores.append(store, row(2), "c");
        stores.checkpoint(store);
        stores.compact(store);
        stores.checkpoint(store);
        assertThat(TestStores.stored(store), equalTo(List.of("L0 PUT abc")));
    }

    @Test
    void deletesAndTailsOverALowerLevelStay() {
        TestStores stores = new TestStores(
                LsmOptions.tiny(100 << 20, 1 << 20, 1 << 20, RUNS).withGatherBytes(20_000));
        LsmStore store = stores.fresh();
        Random random = new Random(1);
        for (int run = 0; run < RUNS; run++) {
            for (int key = 0; key < 1000; key++) {
                TestStores.put(store, Keys.row(key, "c"), Long.toHexString(random.nextLong()));
            }
            TestStores.put(store, row(1), "below");
            TestStores.put(store, row(2), "below,");
            stores.checkpoint(store);
        }
        stores.compact(store);
        assertThat(((RunLayer) store.version().layers(Family.ROWS).get(0)).level(), is(1));

        TestStores.delete(store, row(1));
        stores.checkpoint(store);
        TestStores.append(store, row(2), "above");
        stores.checkpoint(store);
        TestStores.put(store, row(3), "other");
        stores.checkpoint(store);
        stores.compact(store);
        assertThat(store.version().layers(Family.ROWS).get(0), is(instanceOf(MemLayer.class)));
        stores.checkpoint(store);
        stores.compact(store);
        assertThat(store.version().layers(Family.ROWS).get(0), is(instanceOf(RunLayer.class)));
        assertThat(TestStores.get(store, row(1)), is(nullValue()));
        assertThat(TestStores.get(store, row(2)), is("below,above"));
    }

    /** Without checkpoints what was gathered would stay in memory, and no compaction could pass it. */
    @Test
    void memoryPressureWritesWhatWasGathered() {
        TestStores stores =
                new TestStores(LsmOptions.tiny(200_000, 1 << 20, 1 << 20, RUNS).withGatherBytes(10_000));
        LsmStore store = stores.fresh();
        for (int run = 0; run < RUNS; run++) {
            TestStores.put(store, row(run), "value " + run);
            stores.checkpoint(store);
        }
        stores.compact(store);
        assertThat(store.version().layers(Family.ROWS).get(0), is(instanceOf(MemLayer.class)));
        for (int i = 0; i < 2000; i++) {
            TestStores.put(store, row(10 + i), "x".repeat(100));
        }
        stores.compact(store);
        assertThat(store.version().frozen().size(), is(0));
        assertThat(TestStores.get(store, row(2)), is("value 2"));
    }
}
