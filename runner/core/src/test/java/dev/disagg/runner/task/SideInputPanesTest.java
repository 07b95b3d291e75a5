// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.anEmptyMap;
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.instanceOf;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThan;
import static org.hamcrest.Matchers.lessThanOrEqualTo;
import static org.hamcrest.Matchers.notNullValue;
import static org.hamcrest.Matchers.nullValue;

import dev.disagg.state.ByteStore;
import dev.disagg.state.KeyRange;
import dev.disagg.state.SharedRun;
import dev.disagg.state.StateBackend;
import dev.disagg.state.lsm.LsmBackend;
import dev.disagg.state.lsm.LsmOptions;
import dev.disagg.ufs.CountingStore;
import dev.disagg.ufs.JobFiles;
import dev.disagg.ufs.ObjectStores;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.Pack;
import dev.disagg.ufs.RequestCounts;
import dev.disagg.ufs.Retries;
import dev.disagg.ufs.testkit.VirtualTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.beam.sdk.transforms.View;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.GlobalWindow;
import org.apache.beam.sdk.transforms.windowing.GlobalWindows;
import org.apache.beam.sdk.values.KV;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Panes of side inputs: by value or in a shared run, replaced by later ones, forgotten when nothing can read them. */
class SideInputPanesTest {
    private final CountingStore objects =
            new CountingStore(ObjectStores.open("memory://side-input-panes-" + System.identityHashCode(this)));
    private final JobFiles files =
            JobFiles.open(objects, "job", 1, "p", Retries.standard(VirtualTime.immediate(), new Random(1)));
    private final StateBackend backend = new LsmBackend(files, LsmOptions.ofStateMemory(16 << 20), Runnable::run);
    private final ByteStore store = DoorBench.store(backend);

    @AfterEach
    void end() {
        objects.close();
    }

    private static List<KV<String, Long>> pairs(int keys, int perKey) {
        List<KV<String, Long>> pairs = new ArrayList<>();
        for (int value = 0; value < perKey; value++) {
            for (int key = 0; key < keys; key++) {
                pairs.add(KV.of("key-" + key, (long) key * perKey + value));
            }
        }
        return pairs;
    }

    private ViewPane large(DoorBench bench, BoundedWindow window, long pane, Iterable<?> elements) {
        ViewPane.Content content =
                new PaneWriter(bench.view, backend.sharedRuns(), 100).write(elements, false, DoorBench.JOINED);
        assertThat(content, instanceOf(ViewPane.Large.class));
        return new ViewPane(0, window, pane, content);
    }

    private static SharedRun run(ViewPane pane) {
        return ((ViewPane.Large) pane.content()).run();
    }

    private boolean exists(ViewPane pane) {
        return objects.size(run(pane).name()).join().isPresent();
    }

    @SuppressWarnings("unchecked")
    private static <T> T get(DoorBench bench, SideInputDoor door, BoundedWindow window) {
        return (T) door.reader(DoorBench.JOINED).get(bench.view.view(), window);
    }

    @Test
    void anIterableIsReadPageByPage() {
        DoorBench bench = new DoorBench(store, View.asIterable(), 0);
        SideInputDoor door = new SideInputDoor(bench.spec, () -> {});
        List<KV<String, Long>> pairs = pairs(1000, 40);
        door.pane(large(bench, DoorBench.window(0), 0, pairs));
        Iterable<KV<String, Long>> read = get(bench, door, DoorBench.window(0));
        RequestCounts before = objects.counts();
        read.iterator().next();
        assertThat("the first page", objects.counts().minus(before).reads(), is(lessThanOrEqualTo(8L)));
        List<KV<String, Long>> all = new ArrayList<>();
        read.forEach(all::add);
        assertThat("in order", all, equalTo(pairs));
        List<KV<String, Long>> again = new ArrayList<>();
        read.forEach(again::add);
        assertThat("as often as one likes", again, equalTo(pairs));
    }

    @Test
    void aMultimapReadsTheBlocksOfItsKey() {
        DoorBench bench = new DoorBench(store, View.<String, Long>asMultimap(), 0);
        SideInputDoor door = new SideInputDoor(bench.spec, () -> {});
        door.pane(large(bench, DoorBench.window(0), 0, pairs(20_000, 5)));
        Map<String, Iterable<Long>> map = get(bench, door, DoorBench.window(0));
        assertThat(map.get("key-1"), containsInAnyOrder(5L, 6L, 7L, 8L, 9L));
        RequestCounts before = objects.counts();
        assertThat(map.get("key-7777"), containsInAnyOrder(38885L, 38886L, 38887L, 38888L, 38889L));
        assertThat("the block of the key", objects.counts().minus(before).reads(), is(lessThanOrEqualTo(2L)));
        before = objects.counts();
        for (int i = 0; i < 100; i++) {
            assertThat(map.get("none-" + i), is(nullValue()));
        }
        assertThat("the filter knows", objects.counts().minus(before).reads(), is(lessThan(10L)));
        assertThat(map.size(), is(20_000));
        assertThat(map.containsKey("key-19999"), is(true));
        assertThat(map.containsKey("key-20000"), is(false));
    }

    @Test
    void aMapHasEachOfItsKeysOnceWhateverTheirLength() {
        DoorBench bench = new DoorBench(store, View.<String, Long>asMap(), 0);
        SideInputDoor door = new SideInputDoor(bench.spec, () -> {});
        Map<String, Long> expected = new HashMap<>();
        List<KV<String, Long>> given = new ArrayList<>();
        for (long i = 0; i < 300; i++) {
            String key = "k".repeat((int) (i * 7 % 2500)) + i;
            expected.put(key, i);
            given.add(KV.of(key, i));
        }
        door.pane(large(bench, DoorBench.window(0), 0, given));
        Map<String, Long> map = get(bench, door, DoorBench.window(0));
        assertThat(new HashMap<>(map), equalTo(expected));
        expected.forEach((key, value) -> assertThat(map.get(key), is(value)));
        assertThat(map.get("k".repeat(2000)), is(nullValue()));
    }

    @Test
    void anIterableIsAListBelowALookAtAnyIndexIsOneBlock() {
        DoorBench bench = new DoorBench(store, View.asIterable(), 0);
        List<KV<String, Long>> pairs = pairs(5000, 4);
        SharedRun run = run(large(bench, DoorBench.window(0), 0, pairs));
        List<KV<String, Long>> list = (List<KV<String, Long>>) new LargePane("view", run, DoorBench.JOINED)
                .iterable(DoorBench.ELEMENTS)
                .get();
        assertThat(list.size(), is(20_000));
        assertThat(list.get(12_345), equalTo(pairs.get(12_345)));
        RequestCounts before = objects.counts();
        assertThat(list.get(17), equalTo(pairs.get(17)));
        assertThat("one block", objects.counts().minus(before).reads(), is(lessThanOrEqualTo(2L)));
        assertThat(new ArrayList<>(list), equalTo(pairs));
    }

    @Test
    void aLaterPaneReplacesAnEarlierOneAndItsRunGoesWhenNothingRuns() {
        DoorBench bench = new DoorBench(store, View.asIterable(), 0);
        SideInputDoor door = new SideInputDoor(bench.spec, () -> {});
        ViewPane first = large(bench, DoorBench.window(0), 0, pairs(50, 1));
        ViewPane second = large(bench, DoorBench.window(0), 1, pairs(60, 1));
        ViewPane third = bench.pane(0, 2, pairs(2, 1));
        door.pane(first);
        assertThat(bench.state.linked().keySet(), containsInAnyOrder(run(first).name()));
        door.pane(second);
        door.pane(new ViewPane(
                0,
                DoorBench.window(0),
                0,
                large(bench, DoorBench.window(0), 0, pairs(70, 1)).content()));
        Iterable<KV<String, Long>> read = get(bench, door, DoorBench.window(0));
        List<KV<String, Long>> all = new ArrayList<>();
        read.forEach(all::add);
        assertThat("an earlier one that comes later is not taken", all, equalTo(pairs(60, 1)));
        assertThat(bench.state.linked().keySet(), containsInAnyOrder(run(second).name()));
        door.poll(1, Long.MIN_VALUE, false, waiting -> {});
        assertThat("a computation may be in the middle of it", exists(first), is(true));
        door.poll(1, Long.MIN_VALUE, true, waiting -> {});
        assertThat(exists(first), is(false));
        assertThat(exists(second), is(true));
        door.pane(third);
        door.poll(1, Long.MIN_VALUE, true, waiting -> {});
        assertThat(exists(second), is(false));
        assertThat(bench.state.linked(), is(anEmptyMap()));
    }

    @Test
    void aPaneIsForgottenWhenNoElementThatIsNotTooLateCanReadIt() {
        DoorBench bench = new DoorBench(store, View.asIterable(), 100);
        SideInputDoor door = new SideInputDoor(bench.spec, () -> {});
        ViewPane early = large(bench, DoorBench.window(0), 0, pairs(50, 1));
        door.pane(early);
        door.pane(bench.pane(10, 0, List.of(KV.of("a", 1L))));
        assertThat(door.paneCount(), is(2));
        door.poll(1, 109, true, waiting -> {});
        assertThat("an element at 9 may still come", door.paneCount(), is(2));
        assertThat(tooLate(door, 9), is(false));
        door.poll(1, 110, true, waiting -> {});
        assertThat(door.paneCount(), is(1));
        assertThat(exists(early), is(false));
        assertThat(bench.state.linked(), is(anEmptyMap()));
        assertThat(tooLate(door, 9), is(true));
        assertThat(tooLate(door, 10), is(false));
        door.pane(bench.pane(0, 1, List.of(KV.of("a", 1L))));
        assertThat("a pane that comes too late is not taken", door.paneCount(), is(1));
        door.poll(1, Long.MAX_VALUE, true, waiting -> {});
        assertThat(door.paneCount(), is(0));
        assertThat(bench.state.sources().all().next(1).join(), is(empty()));
    }

    private static boolean tooLate(SideInputDoor door, long millis) {
        return door.isTooLate(DoorBench.element("k", 1, millis));
    }

    @Test
    void theGlobalWindowIsNeverForgotten() {
        DoorBench bench = new DoorBench(store, View.asIterable(), new GlobalWindows(), 0);
        SideInputDoor door = new SideInputDoor(bench.spec, () -> {});
        door.pane(large(bench, GlobalWindow.INSTANCE, 0, pairs(50, 1)));
        door.poll(1, Long.MAX_VALUE, true, waiting -> {});
        assertThat(door.paneCount(), is(1));
        assertThat(tooLate(door, -1_000_000), is(false));
    }

    @Test
    void aCheckpointLinksWhatIsReadAndEachTaskOfAnotherParallelismReadsIt() {
        DoorBench bench = new DoorBench(store, View.<String, Long>asMultimap(), 0);
        SideInputDoor door = new SideInputDoor(bench.spec, () -> {});
        ViewPane pane = large(bench, DoorBench.window(0), 3, pairs(5000, 4));
        door.pane(pane);
        door.pane(bench.pane(10, 0, List.of(KV.of("a", 1L))));
        RequestCounts before = objects.counts();
        ByteStore.Frozen frozen = bench.state.freeze(1, new byte[0]);
        Pack pack = files.createPack();
        OwnerRecord record = frozen.flush(pack).join();
        pack.seal().join();
        RequestCounts cost = objects.counts().minus(before);
        assertThat(
                "no copy: " + cost, cost.bytesWritten(), is(lessThan(run(pane).bytes() / 10)));
        for (int i = 0; i < 3; i++) {
            ByteStore third = backend.open(
                            "third", KeyRange.of(i, 3), List.of(new ByteStore.Parent(KeyRange.ALL, record)))
                    .join()
                    .store();
            DoorBench other = new DoorBench(third, View.<String, Long>asMultimap(), 0);
            SideInputDoor restored = new SideInputDoor(other.spec, () -> {});
            restored.restore();
            assertThat(restored.paneCount(), is(2));
            Map<String, Iterable<Long>> map = get(other, restored, DoorBench.window(0));
            assertThat(map.get("key-4321"), notNullValue());
            assertThat(map.get("key-4321"), containsInAnyOrder(17284L, 17285L, 17286L, 17287L));
            assertThat(
                    other.state.linked().keySet(), containsInAnyOrder(run(pane).name()));
        }
    }
}
