// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.state.StateBackend;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.Pack;
import dev.disagg.ufs.testkit.ManualExecutor;
import dev.disagg.ufs.testkit.MemoryUfs;
import java.util.ArrayList;
import java.util.List;

/** Short words for tests of one or a few stores over {@link MemoryUfs}, background work run by hand. */
final class TestStores {
    final MemoryUfs ufs = new MemoryUfs();
    final ManualExecutor background = new ManualExecutor();
    final LsmBackend backend;
    private long checkpoint;

    TestStores(LsmOptions options) {
        this.backend = new LsmBackend(ufs, options, background);
    }

    /** Nothing flushes by itself, everything goes into the pack, and compaction starts at {@code runs} runs. */
    static TestStores compactingAt(int runs) {
        return new TestStores(LsmOptions.tiny(100 << 20, 1 << 20, 1 << 20, runs));
    }

    LsmStore fresh() {
        return (LsmStore) open(backend, KeyRange.ALL);
    }

    LsmStore open(KeyRange range, ByteStore.Parent... parents) {
        return (LsmStore) open(backend, range, parents);
    }

    ByteStore open(StateBackend with, KeyRange range, ByteStore.Parent... parents) {
        return with.open("stage-1/task-0", range, List.of(parents)).join().store();
    }

    OwnerRecord checkpoint(ByteStore store) {
        return checkpoint(store, "");
    }

    OwnerRecord checkpoint(ByteStore store, String header) {
        ByteStore.Frozen frozen = store.freeze(++checkpoint, Keys.bytes(header));
        Pack pack = ufs.createPack();
        var flushing = frozen.flush(pack);
        background.runAll();
        OwnerRecord record = flushing.join();
        pack.seal().join();
        frozen.sealed();
        return record;
    }

    /** Runs compactions, and lets the leader take over their results, until nothing is left to do. */
    void compact(LsmStore store) {
        for (int i = 0; i < 10; i++) {
            store.get(Family.SOURCES, Keys.bytes("none")).join();
            background.runAll();
        }
        store.get(Family.SOURCES, Keys.bytes("none")).join();
    }

    static void put(ByteStore store, byte[] key, String value) {
        store.put(Family.ROWS, key, Keys.bytes(value));
    }

    static void append(ByteStore store, byte[] key, String tail) {
        store.append(Family.ROWS, key, Keys.bytes(tail));
    }

    static void delete(ByteStore store, byte[] key) {
        store.delete(Family.ROWS, key);
    }

    static String get(ByteStore store, byte[] key) {
        return get(store, Family.ROWS, key);
    }

    static String get(ByteStore store, Family family, byte[] key) {
        return Keys.text(store.get(family, key).join());
    }

    /** Values of the family, in key order. */
    static List<String> values(ByteStore store, Family family) {
        List<String> values = new ArrayList<>();
        CursorDrain.drain(store.scan(family, new byte[0], null, null), entry -> values.add(Keys.text(entry.value())))
                .join();
        return values;
    }

    /** Kinds and values of all stored entries of the rows family, newest run first, as in {@code 0.3 MERGE x}. */
    static List<String> stored(LsmStore store) {
        List<String> lines = new ArrayList<>();
        for (Layer layer : store.version().layers(Family.ROWS)) {
            if (layer instanceof RunLayer run) {
                for (TableHandle table : run.tables()) {
                    RunSource source = new RunSource(List.of(table), new byte[0], null, null, false);
                    for (source.fill().join(); source.head() != null; source.pop(), fill(source)) {
                        lines.add("L" + run.level() + " " + source.head().kind() + " "
                                + Keys.text(source.head().value()));
                    }
                }
            }
        }
        return lines;
    }

    private static void fill(RunSource source) {
        if (source.head() == null && !source.ended()) {
            source.fill().join();
        }
    }
}
