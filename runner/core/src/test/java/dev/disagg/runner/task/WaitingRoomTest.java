// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThan;
import static org.hamcrest.Matchers.lessThanOrEqualTo;

import dev.disagg.state.ByteStore;
import dev.disagg.state.KeyRange;
import dev.disagg.state.StateBackend;
import dev.disagg.state.heap.HeapBackend;
import dev.disagg.state.lsm.LsmBackend;
import dev.disagg.state.lsm.LsmOptions;
import dev.disagg.ufs.JobFiles;
import dev.disagg.ufs.ObjectStore;
import dev.disagg.ufs.ObjectStores;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.Pack;
import dev.disagg.ufs.Retries;
import dev.disagg.ufs.testkit.VirtualTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import org.apache.beam.sdk.transforms.View;
import org.apache.beam.sdk.values.KV;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Elements that wait for a side input: in order per key, held exactly, let in as there is room, in bounded memory. */
class WaitingRoomTest {
    private static final int MANY = 100_000;

    private final ObjectStore objects = ObjectStores.open("memory://waiting-room-" + System.identityHashCode(this));
    private final JobFiles files =
            JobFiles.open(objects, "job", 1, "p", Retries.standard(VirtualTime.immediate(), new Random(1)));
    private final StateBackend heap = new HeapBackend(files, Runnable::run);

    @AfterEach
    void end() {
        objects.close();
    }

    private DoorBench bench(ByteStore store) {
        return new DoorBench(store, View.asIterable(), 0);
    }

    /** The same with lists that are looked through from the front. */
    private static final class Model {
        record Element(String key, long number, long millis) {}

        final List<Element> waiting = new ArrayList<>();
        final Set<Long> ready = new HashSet<>();

        boolean goesIn(Element element, Set<String> behind) {
            return !behind.contains(element.key) && ready.contains(Math.floorDiv(element.millis, 10));
        }

        List<KV<String, Long>> takeReady() {
            List<KV<String, Long>> through = new ArrayList<>();
            Set<String> behind = new HashSet<>();
            waiting.removeIf(element -> {
                if (goesIn(element, behind)) {
                    through.add(KV.of(element.key, element.number));
                    return true;
                }
                behind.add(element.key);
                return false;
            });
            return through;
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void letsInWhatALookThroughAListWouldLetIn(long seed) {
        String on = "seed " + seed;
        Random random = new Random(seed);
        DoorBench bench = bench(DoorBench.store(heap));
        long memory = random.nextInt(3) * 2000L;
        SideInputDoor door = new SideInputDoor(bench.spec, () -> {}, memory);
        Model model = new Model();
        long number = 0;
        for (int step = 0; step < 400; step++) {
            if (random.nextInt(10) > 0) {
                for (int i = random.nextInt(8); i > 0; i--) {
                    long millis = random.nextInt(300);
                    Model.Element element = new Model.Element("k" + random.nextInt(20), number++, millis);
                    boolean waits = model.waiting.stream().anyMatch(each -> each.key.equals(element.key));
                    List<KV<String, Long>> through = new ArrayList<>();
                    bench.arrive(door, element.key, element.number, millis, through);
                    boolean straight = !waits && model.ready.contains(Math.floorDiv(millis, 10));
                    assertThat(on, through.size(), is(straight ? 1 : 0));
                    if (!straight) {
                        model.waiting.add(element);
                    }
                }
            } else {
                long window = random.nextInt(30);
                model.ready.add(window);
                door.pane(bench.pane(window * 10, 0, List.of()));
                List<KV<String, Long>> in = DoorBench.drain(door, 1 + random.nextInt(20));
                assertThat(on, perKey(in), equalTo(perKey(model.takeReady())));
            }
            assertThat(on, door.waitingCount(), is((long) model.waiting.size()));
            long hold = model.waiting.stream()
                    .mapToLong(Model.Element::millis)
                    .min()
                    .orElse(Long.MAX_VALUE);
            assertThat(on, door.holdMillis(), is(hold));
            if (random.nextInt(50) == 0) {
                door = new SideInputDoor(bench.spec, () -> {}, memory);
                door.restore();
                List<KV<String, Long>> in = DoorBench.drain(door, 7);
                assertThat(on + ": nothing has become ready by a restore", in, is(empty()));
            }
        }
        for (long window = 0; window < 30; window++) {
            door.pane(bench.pane(window * 10, 0, List.of()));
            model.ready.add(window);
        }
        assertThat(on, perKey(DoorBench.drain(door, 100)), equalTo(perKey(model.takeReady())));
        assertThat(on, door.waitingCount(), is(0L));
        assertThat(on, bench.state.inbox().all().next(1).join(), is(empty()));
    }

    private static Map<String, List<Long>> perKey(List<KV<String, Long>> elements) {
        Map<String, List<Long>> perKey = new HashMap<>();
        elements.forEach(each ->
                perKey.computeIfAbsent(each.getKey(), key -> new ArrayList<>()).add(each.getValue()));
        return perKey;
    }

    @Test
    void aHundredThousandElementsWaitInTheStoreAndGoInAsThereIsRoom() {
        StateBackend backend = new LsmBackend(files, LsmOptions.ofStateMemory(8 << 20), Runnable::run);
        DoorBench bench = bench(DoorBench.store(backend));
        long memory = 64 << 10;
        SideInputDoor door = new SideInputDoor(bench.spec, () -> {}, memory);
        List<KV<String, Long>> through = new ArrayList<>();
        for (long number = 0; number < MANY; number++) {
            bench.arrive(door, "key-" + number % 1000, number, number % 10, through);
        }
        assertThat(through, is(empty()));
        assertThat(door.waitingCount(), is((long) MANY));
        assertThat("decoded and kept", door.waitingInMemoryBytes(), is(lessThanOrEqualTo(memory)));
        assertThat(door.holdMillis(), is(0L));

        door.pane(bench.pane(0, 0, List.of()));
        Map<String, Long> last = new HashMap<>();
        long given = 0;
        while (!door.isQuiet()) {
            List<KV<String, Long>> turn = new ArrayList<>();
            door.poll(512, Long.MIN_VALUE, true, waiting -> turn.add(DoorBench.value(waiting)));
            assertThat("no flood", turn.size(), is(lessThanOrEqualTo(512)));
            for (KV<String, Long> each : turn) {
                Long before = last.put(each.getKey(), each.getValue());
                assertThat("in order", before == null ? -1L : before, is(lessThan(each.getValue())));
            }
            given += turn.size();
        }
        assertThat(given, is((long) MANY));
        assertThat(door.holdMillis(), is(Long.MAX_VALUE));
        assertThat(door.waitingInMemoryBytes(), is(0L));
    }

    @Test
    void whatIsReadBackLaterWakesTheTaskAndMeanwhileNothingOvertakes() {
        Queue<Runnable> onTheWay = new ArrayDeque<>();
        FarStore far = new FarStore(DoorBench.store(heap), onTheWay::add);
        DoorBench bench = bench(far);
        int[] wakes = new int[1];
        SideInputDoor door = new SideInputDoor(bench.spec, () -> wakes[0]++, 0);
        List<KV<String, Long>> in = new ArrayList<>();
        bench.arrive(door, "a", 1, 5, in);
        door.pane(bench.pane(5, 0, List.of()));
        assertThat(door.poll(10, Long.MIN_VALUE, true, waiting -> in.add(DoorBench.value(waiting))), is(0));
        assertThat("it is being read", door.isQuiet(), is(false));
        bench.arrive(door, "a", 2, 6, in);
        assertThat(in, is(empty()));
        while (!door.isQuiet()) {
            Runnable arrives = onTheWay.poll();
            if (arrives != null) {
                arrives.run();
            }
            door.poll(10, Long.MIN_VALUE, true, waiting -> in.add(DoorBench.value(waiting)));
        }
        assertThat(wakes[0], is(greaterThan(0)));
        assertThat(in, equalTo(List.of(KV.of("a", 1L), KV.of("a", 2L))));
        assertThat(door.waitingCount(), is(0L));
    }

    @Test
    void aCheckpointHasWhatWaitsAndTwoTasksShareIt() {
        DoorBench bench = bench(DoorBench.store(heap));
        SideInputDoor door = new SideInputDoor(bench.spec, () -> {}, 100);
        for (long number = 0; number < 500; number++) {
            bench.arrive(door, "key-" + number % 50, number, 10 + number % 10, new ArrayList<>());
        }
        ByteStore.Frozen frozen = bench.state.freeze(1, new byte[0]);
        Pack pack = files.createPack();
        OwnerRecord record = frozen.flush(pack).join();
        pack.seal().join();
        long restored = 0;
        for (int i = 0; i < 2; i++) {
            ByteStore half = heap.open("half", KeyRange.of(i, 2), List.of(new ByteStore.Parent(KeyRange.ALL, record)))
                    .join()
                    .store();
            DoorBench other = bench(half);
            SideInputDoor opened = new SideInputDoor(other.spec, () -> {}, 100);
            opened.restore();
            assertThat(opened.holdMillis(), is(10L));
            assertThat(opened.waitingCount(), is(greaterThan(0L)));
            restored += opened.waitingCount();
            opened.pane(other.pane(10, 0, List.of()));
            perKey(DoorBench.drain(opened, 64))
                    .values()
                    .forEach(numbers -> assertThat(
                            numbers, equalTo(numbers.stream().sorted().toList())));
        }
        assertThat(restored, is(500L));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void countsOfHashesAreThoseOfAMap(long seed) {
        Random random = new Random(seed);
        HashCounts counts = new HashCounts(1000);
        Map<Long, Integer> model = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            // Low bits that collide.
            long hash = (random.nextInt(300) << 4) | (long) random.nextInt(3) << 60;
            if (model.containsKey(hash) && random.nextBoolean()) {
                counts.remove(hash);
                model.merge(hash, -1, (a, b) -> a + b == 0 ? null : a + b);
            } else if (model.size() < 400) {
                counts.add(hash);
                model.merge(hash, 1, Integer::sum);
            }
            assertThat("seed " + seed, counts.contains(hash), is(model.containsKey(hash)));
        }
        assertThat(counts.isLost(), is(false));
        model.forEach((hash, count) -> assertThat("seed " + seed, counts.contains(hash), is(true)));
        model.forEach((hash, count) -> {
            for (int i = 0; i < count; i++) {
                counts.remove(hash);
            }
        });
        assertThat(counts.contains(0), is(false));
    }

    @Test
    void moreKeysThanAreCountedMakeItUnsureUntilNothingWaits() {
        HashCounts counts = new HashCounts(2);
        counts.add(1);
        counts.add(2);
        assertThat(counts.isLost(), is(false));
        counts.add(3);
        assertThat(counts.isLost(), is(true));
        counts.remove(1);
        counts.remove(2);
        assertThat(counts.isLost(), is(true));
        counts.remove(3);
        assertThat(counts.isLost(), is(false));
    }
}
