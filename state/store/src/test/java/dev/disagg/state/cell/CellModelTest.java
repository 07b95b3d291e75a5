// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThanOrEqualTo;

import dev.disagg.state.KeyRange;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random programs over tasks that evict, read late, freeze, split and merge, against plain maps. */
class CellModelTest {
    private static final int STEPS = 4000;

    static IntStream seeds() {
        Integer replay = Integer.getInteger("seed");
        return replay == null ? IntStream.range(0, 24) : IntStream.of(replay);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void tasksAnswerAsPlainMapsDo(int seed) {
        Program program = new Program(seed);
        try {
            for (int i = 0; i < STEPS; i++) {
                program.step();
            }
            program.checkAll();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("replay with -Dseed=" + seed, e);
        }
    }

    private record RowId(int key, int window) {}

    private record CellKey(RowId row, String cell) {}

    private record Task(KeyRange range, FakeByteStore store, TaskState state) {}

    private static final class Program {
        private static final String[] CELLS = {"text", "list", "texts", "lists", "sum", "all", "map", "hold"};

        private final SplittableRandom random;
        private final TaskStateOptions options;
        private final List<byte[]> keys = new ArrayList<>();
        private final TestCodecs.Strings strings = new TestCodecs.Strings();
        private List<Task> tasks = new ArrayList<>();
        private long checkpoint;

        private final Map<CellKey, Object> model = new HashMap<>();
        private final Map<Integer, Map<String, Timer>> timers = new HashMap<>();

        /** Of the last brief freeze, until it was gone back to. */
        private List<FakeByteStore.Snapshot> frozen;

        private long frozenAs;
        private Map<CellKey, Object> frozenModel;
        private Map<Integer, Map<String, Timer>> frozenTimers;

        Program(int seed) {
            random = new SplittableRandom(seed);
            options = new TaskStateOptions(
                    random.nextBoolean() ? 0 : 20_000, random.nextInt(3) * 2_000L, 4 + random.nextInt(3) * 20);
            for (int i = 0; i < 10; i++) {
                keys.add(("key" + i).getBytes(StandardCharsets.UTF_8));
            }
            byte[] large = new byte[1500];
            random.nextBytes(large);
            keys.add(large);
            byte[] likeDigest = new byte[33];
            random.nextBytes(likeDigest);
            likeDigest[0] = (byte) 0xFF;
            keys.add(likeDigest);
            keys.add(KeyLayout.keyField(large));
            var opened = FakeByteStore.fresh();
            tasks.add(new Task(KeyRange.ALL, (FakeByteStore) opened.store(), TaskState.open(opened, options)));
        }

        void step() {
            for (Task task : tasks) {
                task.store.delayed = random.nextInt(3) > 0;
                if (random.nextInt(4) == 0) {
                    task.store.complete(random.nextBoolean());
                }
            }
            switch (random.nextInt(20)) {
                case 0 -> tasks.get(random.nextInt(tasks.size())).state.evictAll();
                case 1, 2 -> tasks.get(random.nextInt(tasks.size())).state.maintain();
                case 3 -> {
                    if (random.nextInt(20) == 0) {
                        rescale();
                    } else if (random.nextInt(4) == 0) {
                        freezeOrGoBack();
                    }
                }
                case 4 -> {
                    if (random.nextInt(10) == 0) {
                        fireDue();
                    }
                }
                case 5, 6, 7, 8 -> timer();
                case 9 -> {
                    RowId id = row();
                    row(id).fetch();
                }
                case 10 -> {
                    if (random.nextInt(10) == 0) {
                        clearRow();
                    }
                }
                default -> cell();
            }
            checkMinima(false);
        }

        private RowId row() {
            return new RowId(random.nextInt(keys.size()), random.nextInt(4));
        }

        private Task task(int key) {
            long hash = KeyHash.of(keys.get(key));
            return tasks.stream()
                    .filter(t -> t.range.contains(hash))
                    .findFirst()
                    .orElseThrow();
        }

        private KeyEntry entry(int key) {
            return task(key).state.key(KeyHash.of(keys.get(key)), keys.get(key));
        }

        private Row row(RowId id) {
            KeyEntry entry = entry(id.key);
            return id.window == 3 ? entry.globalRow() : entry.row(id.window * 100L, new byte[] {(byte) id.window});
        }

        private void await(Task task, Cell cell) {
            for (int i = 0; !cell.resident(); i++) {
                assertThat("reads of one cell", i, lessThanOrEqualTo(10));
                cell.fetch();
                task.store.complete(random.nextBoolean());
            }
        }

        private void await(Task task, Row row) {
            for (int i = 0; !row.resident(); i++) {
                assertThat("reads of one row", i, lessThanOrEqualTo(10));
                row.fetch();
                task.store.complete(random.nextBoolean());
            }
        }

        private void cell() {
            CellKey id = new CellKey(row(), CELLS[random.nextInt(CELLS.length)]);
            Task task = task(id.row.key);
            Row row = row(id.row);
            if (random.nextInt(3) == 0) {
                await(task, row);
            }
            act(task, row, id, random.nextInt(10));
        }

        @SuppressWarnings("unchecked")
        private void act(Task task, Row row, CellKey id, int what) {
            int cell = task.state.cellId("step", id.cell);
            int n = random.nextInt(1000);
            switch (id.cell) {
                case "text" -> {
                    ValueCell<String> value = row.value(cell, strings);
                    if (what < 4) {
                        value.write("t" + n);
                        model.put(id, "t" + n);
                    } else if (what == 4) {
                        value.clear();
                        model.remove(id);
                    } else {
                        await(task, value);
                        assertThat(id.toString(), value.read(), equalTo(model.get(id)));
                    }
                }
                case "list" -> {
                    ValueCell<List<Integer>> value = row.value(cell, TestCodecs.LIST);
                    if (what < 4) {
                        List<Integer> written = new ArrayList<>(List.of(n));
                        value.write(written);
                        written.add(-1);
                        model.put(id, List.of(n));
                    } else if (what == 4) {
                        value.clear();
                        model.remove(id);
                    } else {
                        await(task, value);
                        List<Integer> read = value.read();
                        assertThat(id.toString(), read, equalTo(model.get(id)));
                        if (read != null) {
                            read.add(-2);
                        }
                    }
                }
                case "texts" -> {
                    BagCell<String> bag = row.bag(cell, strings);
                    List<String> expected = (List<String>) model.getOrDefault(id, List.of());
                    if (what < 5) {
                        bag.add("b" + n);
                        model.put(id, plus(expected, "b" + n));
                    } else if (what == 5) {
                        bag.clear();
                        model.remove(id);
                    } else {
                        await(task, bag);
                        assertThat(id.toString(), bag.read(), equalTo(expected));
                        assertThat(id.toString(), bag.isEmpty(), is(expected.isEmpty()));
                    }
                }
                case "lists" -> {
                    BagCell<List<Integer>> bag = row.bag(cell, TestCodecs.LIST);
                    List<List<Integer>> expected = (List<List<Integer>>) model.getOrDefault(id, List.of());
                    if (what < 5) {
                        bag.add(List.of(n, n));
                        model.put(id, plus(expected, List.of(n, n)));
                    } else if (what == 5) {
                        bag.clear();
                        model.remove(id);
                    } else {
                        await(task, bag);
                        List<List<Integer>> read = bag.read();
                        assertThat(id.toString(), read, equalTo(expected));
                        read.forEach(each -> each.add(7));
                    }
                }
                case "sum" -> {
                    AccumulatorCell<Long> sum = row.accumulator(cell, TestCodecs.LONG, Long::sum, () -> 0L);
                    long expected = (Long) model.getOrDefault(id, 0L);
                    if (what < 5) {
                        sum.add((long) n);
                        model.put(id, expected + n);
                    } else if (what == 5) {
                        sum.clear();
                        model.remove(id);
                    } else if (what == 6) {
                        sum.write((long) n);
                        model.put(id, (long) n);
                    } else {
                        await(task, sum);
                        assertThat(id.toString(), sum.read(), equalTo(expected));
                        assertThat(id.toString(), sum.isEmpty(), is(!model.containsKey(id)));
                    }
                }
                case "all" -> {
                    AccumulatorCell<List<Integer>> all =
                            row.accumulator(cell, TestCodecs.LIST, TestCodecs::concat, ArrayList::new);
                    List<Integer> expected = (List<Integer>) model.getOrDefault(id, List.of());
                    if (what < 5) {
                        List<Integer> delta = new ArrayList<>(List.of(n));
                        all.add(delta);
                        delta.add(-1);
                        model.put(id, plus(expected, n));
                    } else if (what == 5) {
                        all.clear();
                        model.remove(id);
                    } else {
                        await(task, all);
                        List<Integer> read = all.read();
                        assertThat(id.toString(), read, equalTo(expected));
                        read.add(-3);
                    }
                }
                case "map" -> map(task, row.collection(cell), id, what);
                case "hold" -> {
                    HoldCell hold = row.hold(cell);
                    if (what < 4) {
                        hold.write(n);
                        model.put(id, (long) n);
                    } else if (what == 4) {
                        hold.clear();
                        model.remove(id);
                    } else {
                        await(task, hold);
                        assertThat(id.toString(), hold.read(), equalTo(model.getOrDefault(id, Long.MAX_VALUE)));
                    }
                }
                default -> throw new AssertionError(id.cell);
            }
        }

        @SuppressWarnings("unchecked")
        private void map(Task task, CollectionCell map, CellKey id, int what) {
            TreeMap<Integer, Integer> expected =
                    (TreeMap<Integer, Integer>) model.computeIfAbsent(id, k -> new TreeMap<>());
            int sub = random.nextInt(12);
            byte[] subBytes = {(byte) sub};
            switch (what) {
                case 0, 1, 2 -> {
                    int n = random.nextInt(100);
                    map.put(subBytes, new byte[] {(byte) n});
                    expected.put(sub, n);
                }
                case 3 -> {
                    map.delete(subBytes);
                    expected.remove(sub);
                }
                case 4 -> {
                    if (random.nextInt(3) == 0) {
                        map.clear();
                        expected.clear();
                    }
                }
                case 5, 6 -> {
                    await(task, map);
                    int from = random.nextInt(12);
                    int to = random.nextInt(13);
                    Pages<CollectionCell.Entry> pages =
                            map.scan(new byte[] {(byte) from}, to == 12 ? null : new byte[] {(byte) to});
                    // What comes after the scan was opened does not show.
                    Map<Integer, Integer> seen = from <= (to == 12 ? 255 : to)
                            ? new TreeMap<>(expected.subMap(from, to == 12 ? 255 : to))
                            : Map.of();
                    map.put(new byte[] {11}, new byte[] {99});
                    expected.put(11, 99);
                    Map<Integer, Integer> found = new TreeMap<>();
                    drain(task, pages).forEach(e -> found.put((int) e.sub()[0], (int) e.value()[0]));
                    assertThat(id.toString(), found, equalTo(seen));
                }
                default -> {
                    await(task, map);
                    var future = map.get(subBytes);
                    Integer want = expected.get(sub);
                    if (random.nextInt(3) == 0) {
                        map.put(subBytes, new byte[] {42});
                        expected.put(sub, 42);
                    }
                    task.store.complete(false);
                    byte[] got = future.join();
                    assertThat(id + " " + sub, got == null ? null : (int) got[0], equalTo(want));
                    CollectionCell.Lookup lookup = map.getIfResident(subBytes);
                    assertThat(id + " " + sub + " is resident after its read", lookup != null);
                    assertThat(lookup.value() == null ? null : (int) lookup.value()[0], equalTo(expected.get(sub)));
                }
            }
        }

        private <T> List<T> drain(Task task, Pages<T> pages) {
            List<T> all = new ArrayList<>();
            while (true) {
                var future = pages.next(30);
                task.store.complete(false);
                List<T> page = future.join();
                if (page.isEmpty()) {
                    return all;
                }
                all.addAll(page);
            }
        }

        private void clearRow() {
            RowId id = row();
            Row row = row(id);
            await(task(id.key), row);
            row.clearAll();
            for (String cell : CELLS) {
                model.remove(new CellKey(id, cell));
            }
        }

        private KeyTimers timers(int key) {
            Task task = task(key);
            KeyTimers row = entry(key).timers();
            await(task, row);
            return row;
        }

        private void timer() {
            int key = random.nextInt(keys.size());
            KeyTimers row = timers(key);
            Map<String, Timer> expected = timers.computeIfAbsent(key, k -> new HashMap<>());
            TimerDomain domain = random.nextBoolean() ? TimerDomain.EVENT : TimerDomain.PROCESSING;
            String id = "id" + random.nextInt(random.nextInt(4) == 0 ? 30 : 4);
            byte[] idBytes = id.getBytes(StandardCharsets.UTF_8);
            switch (random.nextInt(5)) {
                case 0 -> {
                    row.clear(domain, idBytes);
                    expected.remove(domain + id);
                }
                case 1 -> assertThat(row.get(domain, idBytes), equalTo(expected.get(domain + id)));
                case 2 -> {
                    long bound = random.nextInt(1000);
                    Timer first = expected.values().stream()
                            .filter(t -> t.domain() == domain && t.timestampMillis() < bound)
                            .min(ORDER)
                            .orElse(null);
                    assertThat(row.firstDue(domain, bound), equalTo(first));
                }
                default -> {
                    long at = random.nextInt(1000);
                    long output = switch (random.nextInt(3)) {
                        case 0 -> Long.MAX_VALUE;
                        case 1 -> at;
                        default -> random.nextInt(1000);
                    };
                    Timer timer = new Timer(idBytes, domain, at, output, new byte[random.nextInt(3)]);
                    row.set(timer);
                    expected.put(domain + id, timer);
                }
            }
            assertThat(row.count(), is(expected.size()));
        }

        private static final Comparator<Timer> ORDER =
                Comparator.comparingLong(Timer::timestampMillis).thenComparing(Timer::id, Arrays::compareUnsigned);

        private void fireDue() {
            TimerDomain domain = random.nextBoolean() ? TimerDomain.EVENT : TimerDomain.PROCESSING;
            long bound = random.nextInt(600);
            for (Task task : tasks) {
                Set<DueKey> expected = new HashSet<>();
                for (int key = 0; key < keys.size(); key++) {
                    if (task(key) == task
                            && timers.getOrDefault(key, Map.of()).values().stream()
                                    .anyMatch(t -> t.domain() == domain && t.timestampMillis() < bound)) {
                        expected.add(new DueKey(KeyHash.of(keys.get(key)), keys.get(key)));
                    }
                }
                Set<DueKey> found = new HashSet<>();
                DueScan scan = task.state.timers(domain).due(bound);
                while (true) {
                    var future = scan.next(1 + random.nextInt(4));
                    if (!future.isDone()) {
                        task.store.complete(random.nextBoolean());
                    }
                    List<DueKey> page = future.join();
                    if (page.isEmpty()) {
                        break;
                    }
                    for (DueKey due : page) {
                        found.add(due);
                        fire(due, domain, bound);
                    }
                }
                assertThat(domain + " before " + bound, found, equalTo(expected));
            }
        }

        private void fire(DueKey due, TimerDomain domain, long bound) {
            int key = IntStream.range(0, keys.size())
                    .filter(i -> Arrays.equals(keys.get(i), due.key()))
                    .findFirst()
                    .orElseThrow();
            KeyTimers row = timers(key);
            Map<String, Timer> expected = timers.get(key);
            for (Timer timer = row.firstDue(domain, bound); timer != null; timer = row.firstDue(domain, bound)) {
                Timer first = expected.values().stream()
                        .filter(t -> t.domain() == domain)
                        .min(ORDER)
                        .orElseThrow();
                assertThat(timer, equalTo(first));
                row.remove(timer);
                expected.remove(domain + new String(timer.id(), StandardCharsets.UTF_8));
            }
        }

        /** Freezes, and forgets some time later all that came since. */
        private void freezeOrGoBack() {
            if (frozen != null && random.nextInt(3) > 0) {
                for (Task task : tasks) {
                    while (task.state.maintain()) {
                        task.store.delayed = false;
                    }
                }
                restore(frozen, frozenAs, 1 + random.nextInt(3));
                model.clear();
                model.putAll(copied(frozenModel));
                timers.clear();
                frozenTimers.forEach((key, of) -> timers.put(key, new HashMap<>(of)));
                return;
            }
            checkpoint++;
            frozen = new ArrayList<>();
            for (Task task : tasks) {
                frozen.add(
                        (FakeByteStore.Snapshot) task.state.freezeBriefly(checkpoint, new byte[] {(byte) checkpoint}));
            }
            frozenAs = checkpoint;
            frozenModel = copied(model);
            frozenTimers = new HashMap<>();
            timers.forEach((key, of) -> frozenTimers.put(key, new HashMap<>(of)));
        }

        private static Map<CellKey, Object> copied(Map<CellKey, Object> of) {
            Map<CellKey, Object> copy = new HashMap<>(of);
            // All else is replaced when it changes.
            copy.replaceAll((id, value) -> value instanceof TreeMap<?, ?> map ? new TreeMap<>(map) : value);
            return copy;
        }

        private void rescale() {
            checkpoint++;
            List<FakeByteStore.Snapshot> frozen = new ArrayList<>();
            for (Task task : tasks) {
                task.state.maintain();
                frozen.add((FakeByteStore.Snapshot) task.state.freeze(checkpoint, new byte[] {(byte) checkpoint}));
            }
            if (random.nextInt(3) == 0) {
                return;
            }
            restore(frozen, checkpoint, 1 + random.nextInt(3));
        }

        private void restore(List<FakeByteStore.Snapshot> frozen, long as, int parallelism) {
            this.frozen = null;
            List<Task> next = new ArrayList<>();
            for (int i = 0; i < parallelism; i++) {
                KeyRange range = KeyRange.of(i, parallelism);
                List<FakeByteStore.Snapshot> parents = new ArrayList<>();
                for (int p = 0; p < tasks.size(); p++) {
                    KeyRange of = tasks.get(p).range;
                    if (of.firstGroup() < range.endGroup() && range.firstGroup() < of.endGroup()) {
                        parents.add(frozen.get(p));
                    }
                }
                var opened = FakeByteStore.open(range, parents);
                FakeByteStore store = (FakeByteStore) opened.store();
                store.delayed = random.nextBoolean();
                TaskState state = TaskState.open(opened, options);
                assertThat(state.restoredHeaders().size(), is(parents.size()));
                assertThat(state.restoredHeaders().get(0), equalTo(new byte[] {(byte) as}));
                assertThat(parents.stream().allMatch(parent -> parent.whole), is(true));
                next.add(new Task(range, store, state));
            }
            tasks.forEach(task -> task.state.close());
            tasks = next;
        }

        private void checkMinima(boolean exact) {
            for (Task task : tasks) {
                long hold = model.entrySet().stream()
                        .filter(e -> e.getKey().cell.equals("hold") && task(e.getKey().row.key) == task)
                        .mapToLong(e -> (Long) e.getValue())
                        .min()
                        .orElse(Long.MAX_VALUE);
                check(exact, "holds", task.state.minHoldMillis(), hold);
                for (TimerDomain domain : TimerDomain.values()) {
                    long min = Long.MAX_VALUE;
                    long output = Long.MAX_VALUE;
                    for (var byKey : timers.entrySet()) {
                        if (task(byKey.getKey()) == task) {
                            for (Timer timer : byKey.getValue().values()) {
                                if (timer.domain() == domain) {
                                    min = Math.min(min, timer.timestampMillis());
                                    output = Math.min(output, timer.outputTimestampMillis());
                                }
                            }
                        }
                    }
                    check(exact, domain + " timers", task.state.timers(domain).minTimestampMillis(), min);
                    long expected = domain == TimerDomain.EVENT ? Math.min(min, output) : output;
                    check(false, domain + " outputs", task.state.timers(domain).minOutputTimestampMillis(), expected);
                }
            }
        }

        private void check(boolean exact, String what, long found, long expected) {
            assertThat(what, found, exact ? equalTo(expected) : lessThanOrEqualTo(expected));
        }

        void checkAll() {
            for (Task task : tasks) {
                task.store.delayed = false;
                task.store.complete(false);
            }
            for (int key = 0; key < keys.size(); key++) {
                for (int window = 0; window < 4; window++) {
                    RowId id = new RowId(key, window);
                    Task task = task(key);
                    Row row = row(id);
                    await(task, row);
                    for (String cell : CELLS) {
                        act(task, row, new CellKey(id, cell), 9);
                    }
                }
                assertThat(
                        timers(key).count(),
                        is(timers.getOrDefault(key, Map.of()).size()));
            }
            checkMinima(false);
            emptyEverything();
        }

        /** Whatever was done, an emptied task leaves nothing but the bytes of long keys. */
        private void emptyEverything() {
            // A generation that was cleared blindly is found when its collection is next read.
            tasks.forEach(task -> task.state.evictAll());
            for (int key = 0; key < keys.size(); key++) {
                for (int window = 0; window < 4; window++) {
                    Row row = row(new RowId(key, window));
                    await(task(key), row);
                    row.clearAll();
                }
                KeyTimers row = timers(key);
                for (Timer timer : timers.getOrDefault(key, Map.of()).values()) {
                    row.remove(timer);
                }
                assertThat(row.count(), is(0));
            }
            timers.clear();
            model.clear();
            for (Task task : tasks) {
                for (int i = 0; i < 2000; i++) {
                    task.state.maintain();
                }
                assertThat(task.state.minHoldMillis(), is(Long.MAX_VALUE));
                for (TimerDomain domain : TimerDomain.values()) {
                    assertThat(task.state.timers(domain).minTimestampMillis(), is(Long.MAX_VALUE));
                    assertThat(task.state.timers(domain).minOutputTimestampMillis(), is(Long.MAX_VALUE));
                }
                task.state.freeze(99, new byte[0]);
                assertThat(
                        "beyond bytes of long keys: " + task.store.describe(), task.store.live(), lessThanOrEqualTo(3));
                task.state.evictAll();
                CellMetrics metrics = task.state.metrics();
                assertThat(metrics.toString(), metrics.cachedBytes(), is(0L));
                assertThat(metrics.toString(), metrics.dirtyBytes(), is(0L));
                assertThat(metrics.toString(), metrics.cachedKeys(), is(0));
                assertThat(task.store.openCursors, is(0));
                assertThat(metrics.fetches(), greaterThanOrEqualTo(0L));
            }
        }

        private static <T> List<T> plus(List<T> list, T more) {
            List<T> all = new ArrayList<>(list);
            all.add(more);
            return all;
        }
    }
}
