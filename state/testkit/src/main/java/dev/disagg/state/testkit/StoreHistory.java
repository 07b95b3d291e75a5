// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.testkit;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.state.StateBackend;
import dev.disagg.state.lsm.Clip;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.Pack;
import dev.disagg.ufs.testkit.ManualExecutor;
import dev.disagg.ufs.testkit.MemoryUfs;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * A random history of one job's stores, each beside its model: writes, reads, cursors that outlive writes, checkpoints
 * that overlap, are sealed or given up, reopening from the last sealed one, splitting and merging, background work at any
 * moment. Every answer is compared.
 */
public final class StoreHistory {
    private static final Family[] FAMILIES = Family.values();
    private static final HexFormat HEX = HexFormat.of();

    private final RandomGenerator random;
    private final MemoryUfs ufs;
    private final Supplier<StateBackend> backends;
    private final ManualExecutor background;
    private final int keys;
    private List<Task> tasks = new ArrayList<>();
    private StateBackend backend;
    private long checkpoint;
    private int written;
    private int checkpoints;
    private int rescales;

    /** @param backends asked at every reopening */
    public StoreHistory(
            RandomGenerator random,
            MemoryUfs ufs,
            ManualExecutor background,
            int keys,
            Supplier<StateBackend> backends) {
        this.random = random;
        this.ufs = ufs;
        this.background = background;
        this.keys = keys;
        this.backends = backends;
        this.backend = backends.get();
        tasks.add(new Task(KeyRange.ALL, List.of(), new Model()));
    }

    /** Takes these steps, and looks whether they were worth it. Closes all that it has opened. */
    public void run(int steps) {
        for (int step = 0; step < steps; step++) {
            step();
        }
        background.runAll();
        tasks.forEach(Task::checkAll);
        tasks.forEach(Task::close);
        background.runAll();
        backend.close();
        assertThat(written, greaterThan(steps / 3));
        assertThat(checkpoints, greaterThan(steps / 200));
        assertThat(rescales, greaterThan(0));
    }

    private void step() {
        Task task = tasks.get(random.nextInt(tasks.size()));
        int dice = random.nextInt(1000);
        if (dice < 620) {
            task.write();
        } else if (dice < 800) {
            task.read();
        } else if (dice < 850) {
            task.scan();
        } else if (dice < 900) {
            task.moveCursor();
        } else if (dice < 960) {
            background.runOne(random);
        } else if (dice < 975) {
            task.freeze();
        } else if (dice < 990) {
            task.settle(random.nextInt(4) > 0);
        } else if (dice < 993) {
            task.checkAll();
        } else if (dice < 997) {
            reopen();
        } else {
            rescale();
        }
    }

    private void reopen() {
        for (Task task : tasks) {
            task.close();
        }
        StateBackend next = backends.get();
        backend.close();
        backend = next;
        List<Task> reopened = new ArrayList<>();
        for (Task task : tasks) {
            List<ByteStore.Parent> parents = task.lastRecord == null
                    ? List.of()
                    : List.of(new ByteStore.Parent(task.range, readBack(task.lastRecord)));
            reopened.add(new Task(task.range, parents, task.lastModel.copy()));
        }
        tasks = reopened;
        tasks.forEach(Task::checkAll);
    }

    private <T> T done(CompletableFuture<T> future) {
        while (!future.isDone()) {
            assertThat("work is left while it is waited for", background.runOne(random), is(true));
        }
        return future.join();
    }

    private OwnerRecord readBack(OwnerRecord record) {
        return ufs.readOwner(record.parts()).join();
    }

    private void rescale() {
        rescales++;
        for (Task task : tasks) {
            task.settle(true);
            task.freeze();
            while (!task.pending.isEmpty()) {
                task.settle(true);
            }
        }
        List<Task> parents = tasks;
        parents.forEach(Task::close);
        int parallelism = 1 + random.nextInt(3);
        List<Task> children = new ArrayList<>();
        for (int i = 0; i < parallelism; i++) {
            KeyRange range = KeyRange.of(i, parallelism);
            List<ByteStore.Parent> from = new ArrayList<>();
            Model model = new Model();
            for (Task parent : parents) {
                if (Clip.intersection(parent.range, range) != null) {
                    from.add(new ByteStore.Parent(parent.range, readBack(parent.lastRecord)));
                    model.addClipped(parent.lastModel, range);
                }
            }
            Task child = new Task(range, from, model);
            child.checkAll();
            child.forgetForeignSources();
            children.add(child);
        }
        tasks = children;
    }

    private final class Task {
        final KeyRange range;
        final Model model;
        final ByteStore store;
        final List<Pending> pending = new ArrayList<>();
        final List<OpenCursor> cursors = new ArrayList<>();
        OwnerRecord lastRecord;
        Model lastModel;
        /** The last freeze, while writes may come late to it, its model, and what was written since. */
        private ByteStore.Late late;

        private Model lateModel;
        private Model since;

        Task(KeyRange range, List<ByteStore.Parent> parents, Model model) {
            this.range = range;
            this.model = model;
            this.lastModel = parents.isEmpty() ? new Model() : model.copy();
            if (parents.isEmpty()) {
                model.maps.values().forEach(Map::clear);
            }
            ByteStore.Opened opened = done(backend.open("task-" + range.firstGroup(), range, parents));
            this.store = opened.store();
            assertThat(opened.headers().size(), is(parents.size()));
            if (parents.size() == 1 && parents.get(0).range().equals(range)) {
                lastRecord = parents.get(0).manifest();
            } else if (!parents.isEmpty()) {
                freeze();
                settle(true);
            }
        }

        private byte[] key(Family family) {
            byte[] key = StateKeys.any(family, random.nextInt(keys));
            for (int i = 0; i < 200 && !mine(family, key); i++) {
                key = StateKeys.any(family, random.nextInt(keys));
            }
            return mine(family, key) ? key : null;
        }

        private boolean mine(Family family, byte[] key) {
            return family == Family.SOURCES
                    ? range.contains(StateKeys.hash(Arrays.hashCode(key)))
                    : Clip.holds(family, range, key);
        }

        /** As the layers above do: a split's position belongs to one task. */
        void forgetForeignSources() {
            for (byte[] key : new ArrayList<>(model.maps.get(Family.SOURCES).keySet())) {
                if (!mine(Family.SOURCES, key)) {
                    store.delete(Family.SOURCES, key);
                    model.maps.get(Family.SOURCES).remove(key);
                }
            }
        }

        void write() {
            Family family = FAMILIES[random.nextInt(4) == 0 ? random.nextInt(FAMILIES.length) : 0];
            byte[] key = key(family);
            if (key == null) {
                return;
            }
            written++;
            byte[] value = new byte[random.nextInt(20) == 0 ? 200 : random.nextInt(12)];
            random.nextBytes(value);
            if (late != null && random.nextBoolean() && family != Family.INBOX && family != Family.SOURCES) {
                if (!since.maps.get(family).containsKey(key)) {
                    writeLate(family, key, value);
                }
                return;
            }
            if (since != null) {
                since.maps.get(family).put(key, value);
            }
            switch (random.nextInt(5)) {
                case 0, 1 -> {
                    store.put(family, key, value);
                    model.maps.get(family).put(key, value);
                }
                case 2, 3 -> {
                    store.append(family, key, value);
                    model.append(family, key, value);
                }
                default -> {
                    store.delete(family, key);
                    model.maps.get(family).remove(key);
                }
            }
        }

        private void writeLate(Family family, byte[] key, byte[] value) {
            switch (random.nextInt(3)) {
                case 0 -> {
                    late.put(family, key, value);
                    model.maps.get(family).put(key, value);
                    lateModel.maps.get(family).put(key, value);
                }
                case 1 -> {
                    late.append(family, key, value);
                    model.append(family, key, value);
                    lateModel.append(family, key, value);
                }
                default -> {
                    late.delete(family, key);
                    model.maps.get(family).remove(key);
                    lateModel.maps.get(family).remove(key);
                }
            }
        }

        private void complete() {
            if (late != null) {
                late.complete();
                late = null;
            }
        }

        void read() {
            Family family = FAMILIES[random.nextInt(FAMILIES.length)];
            byte[] key = key(family);
            if (key != null) {
                byte[] value = store.get(family, key).join();
                assertThat(
                        "value of " + HEX.formatHex(key),
                        hex(value),
                        is(hex(model.maps.get(family).get(key))));
            }
        }

        void scan() {
            Family family = FAMILIES[random.nextInt(FAMILIES.length)];
            byte[] one = StateKeys.any(family, random.nextInt(keys));
            byte[] other = StateKeys.any(family, random.nextInt(keys));
            byte[] from = Arrays.compareUnsigned(one, other) <= 0 ? one : other;
            byte[] to = random.nextInt(4) == 0 ? null : from == one ? other : one;
            byte[] rowPrefix = null;
            if (family == Family.ROWS && random.nextBoolean()) {
                rowPrefix = Arrays.copyOf(one, ByteStore.rowPrefixLength(one));
                from = rowPrefix;
                to = ByteBuffer.allocate(rowPrefix.length + 1)
                        .put(rowPrefix)
                        .put((byte) 0xff)
                        .array();
            }
            if (cursors.size() > 3) {
                cursors.remove(0).cursor.close();
            }
            NavigableMap<byte[], byte[]> expected = model.range(family, from, to);
            cursors.add(new OpenCursor(
                    store.scan(family, from, to, rowPrefix), expected.entrySet().iterator()));
            if (random.nextBoolean()) {
                moveCursor();
            }
        }

        void moveCursor() {
            if (cursors.isEmpty()) {
                return;
            }
            OpenCursor open = cursors.get(random.nextInt(cursors.size()));
            if (!open.page(1 + random.nextInt(200))) {
                cursors.remove(open);
            }
        }

        void freeze() {
            if (pending.size() >= 2) {
                return;
            }
            complete();
            byte[] header = new byte[random.nextInt(3)];
            ByteStore.Frozen frozen;
            Model then = model.copy();
            // A store that takes nothing late answers null, and has done nothing.
            ByteStore.Late brief = random.nextBoolean() ? store.freezeBeforeLast(++checkpoint, header) : null;
            if (brief != null) {
                late = brief;
                lateModel = then;
                since = new Model();
                frozen = brief;
            } else {
                frozen = store.freeze(++checkpoint, header);
            }
            Pack pack = ufs.createPack();
            pending.add(new Pending(frozen, pack, frozen.flush(pack), then));
        }

        /** Seals or gives up the oldest checkpoint that is under way. */
        void settle(boolean seal) {
            if (pending.isEmpty()) {
                return;
            }
            Pending oldest = pending.remove(0);
            if (oldest.frozen == late && (seal || random.nextBoolean())) {
                complete();
            }
            if (oldest.frozen == late) {
                oldest.pack.abort();
                oldest.frozen.aborted();
                return;
            }
            OwnerRecord record = done(oldest.flushing);
            if (!seal) {
                oldest.pack.abort();
                oldest.frozen.aborted();
                return;
            }
            oldest.pack.seal().join();
            oldest.frozen.sealed();
            lastRecord = record;
            lastModel = oldest.model;
            checkpoints++;
            record.links()
                    .values()
                    .forEach(link -> assertThat(
                            "linked object exists",
                            ufs.objects.containsKey(link.range().object()),
                            is(true)));
        }

        void checkAll() {
            for (Family family : FAMILIES) {
                new OpenCursor(
                                store.scan(family, new byte[0], null, null),
                                model.maps.get(family).entrySet().iterator())
                        .toTheEnd();
                for (Map.Entry<byte[], byte[]> entry : model.maps.get(family).entrySet()) {
                    byte[] value = store.get(family, entry.getKey()).join();
                    assertThat("value of " + HEX.formatHex(entry.getKey()), hex(value), is(hex(entry.getValue())));
                }
            }
        }

        void close() {
            cursors.forEach(open -> open.cursor.close());
            for (Pending each : pending) {
                each.pack.abort();
                each.frozen.aborted();
            }
            store.close();
        }
    }

    private record Pending(ByteStore.Frozen frozen, Pack pack, CompletableFuture<OwnerRecord> flushing, Model model) {}

    private record OpenCursor(ByteStore.Cursor cursor, Iterator<Map.Entry<byte[], byte[]>> expected) {
        /** False at the end. */
        boolean page(int maxBytes) {
            List<ByteStore.Entry> page = cursor.next(maxBytes).join();
            if (page.isEmpty()) {
                assertThat("more entries expected", expected.hasNext(), is(false));
                return false;
            }
            for (ByteStore.Entry entry : page) {
                assertThat("unexpected entry " + HEX.formatHex(entry.key()), expected.hasNext(), is(true));
                Map.Entry<byte[], byte[]> next = expected.next();
                assertThat(HEX.formatHex(entry.key()), is(HEX.formatHex(next.getKey())));
                assertThat(HEX.formatHex(entry.value()), is(HEX.formatHex(next.getValue())));
            }
            return true;
        }

        void toTheEnd() {
            while (page(64)) {}
        }
    }

    private static String hex(byte[] bytes) {
        return bytes == null ? "absent" : HEX.formatHex(bytes);
    }
}
