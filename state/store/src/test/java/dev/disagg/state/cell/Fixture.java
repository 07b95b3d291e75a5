// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import dev.disagg.state.KeyRange;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** One task over a {@link FakeByteStore}. */
final class Fixture {
    FakeByteStore store;
    TaskState state;
    private final TaskStateOptions options;

    Fixture() {
        this(TaskStateOptions.DEFAULT);
    }

    Fixture(TaskStateOptions options) {
        this.options = options;
        var opened = FakeByteStore.fresh();
        store = (FakeByteStore) opened.store();
        state = TaskState.open(opened, options);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    KeyEntry key(String key) {
        byte[] bytes = bytes(key);
        return state.key(KeyHash.of(bytes), bytes);
    }

    Row row(String key) {
        return key(key).row(1000, bytes("w"));
    }

    int cell(String id) {
        return state.cellId("step", id);
    }

    BagCell<String> bag(String key) {
        return row(key).bag(cell("bag"), new TestCodecs.Strings());
    }

    ValueCell<String> value(String key) {
        return row(key).value(cell("value"), new TestCodecs.Strings());
    }

    AccumulatorCell<Long> sum(String key) {
        return row(key).accumulator(cell("sum"), TestCodecs.LONG, Long::sum, () -> 0L);
    }

    CollectionCell map(String key) {
        return row(key).collection(cell("map"));
    }

    HoldCell hold(String key) {
        return row(key).hold(cell("hold"));
    }

    KeyTimers timers(String key) {
        KeyTimers timers = key(key).timers();
        resident(timers);
        return timers;
    }

    <C extends Cell> C resident(C cell) {
        for (int i = 0; i < 10 && !cell.resident(); i++) {
            cell.fetch();
            store.complete(false);
        }
        if (!cell.resident()) {
            throw new AssertionError("not resident after ten reads: " + cell);
        }
        return cell;
    }

    Row resident(Row row) {
        for (int i = 0; i < 10 && !row.resident(); i++) {
            row.fetch();
            store.complete(false);
        }
        if (!row.resident()) {
            throw new AssertionError("not resident after ten reads");
        }
        return row;
    }

    <T> List<T> all(Pages<T> pages) {
        List<T> all = new ArrayList<>();
        for (var page = pages.next(50).join();
                !page.isEmpty();
                page = pages.next(50).join()) {
            all.addAll(page);
        }
        return all;
    }

    List<DueKey> due(TimerDomain domain, long bound) {
        List<DueKey> all = new ArrayList<>();
        DueScan scan = state.timers(domain).due(bound);
        while (true) {
            var future = scan.next(3);
            if (!future.isDone()) {
                store.complete(false);
            }
            if (future.join().isEmpty()) {
                return all;
            }
            all.addAll(future.join());
        }
    }

    /** Everything goes to the store, and memory forgets it. */
    void goCold() {
        state.freeze(1, new byte[0]);
        state.evictAll();
    }

    void restore() {
        var snapshot = (FakeByteStore.Snapshot) state.freeze(1, new byte[] {7});
        var opened = FakeByteStore.open(KeyRange.ALL, List.of(snapshot));
        store = (FakeByteStore) opened.store();
        state = TaskState.open(opened, options);
    }

    void forgetCounts() {
        store.gets = 0;
        store.scans = 0;
        store.puts = 0;
        store.appends = 0;
        store.deletes = 0;
    }

    int reads() {
        return store.gets + store.scans;
    }

    int writes() {
        return store.puts + store.appends + store.deletes;
    }
}
