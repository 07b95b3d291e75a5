// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.state.StateBackend;
import dev.disagg.state.heap.HeapBackend;
import dev.disagg.ufs.DisaggException;
import dev.disagg.ufs.JobFiles;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.Pack;
import dev.disagg.ufs.Retries;
import dev.disagg.ufs.UnifiedFileSystem;
import dev.disagg.ufs.memory.MemoryStore;
import dev.disagg.ufs.testkit.FaultyStore;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The process dies at every call to the store of one history: the last sealed checkpoint opens whole. */
@Timeout(300)
class CrashTest {
    private static final long SEED = 20;
    private static final int CHECKPOINTS = 5;
    private static final int WRITES_PER_CHECKPOINT = 40;

    enum Backend {
        HEAP(ufs -> new HeapBackend(ufs, Runnable::run)),
        DISAGG(ufs -> new LsmBackend(ufs, LsmOptions.tiny(12_000, 1 << 20, 4000, 2), Runnable::run)),
        DISAGG_OWN_OBJECTS(ufs -> new LsmBackend(ufs, LsmOptions.tiny(12_000, 1, 4000, 2), Runnable::run));

        final Function<UnifiedFileSystem, StateBackend> open;

        Backend(Function<UnifiedFileSystem, StateBackend> open) {
            this.open = open;
        }
    }

    /** What survived: the last sealed manifest, and what it must hold. */
    private static final class Committed {
        OwnerRecord record;
        TreeMap<byte[], byte[]> rows = new TreeMap<>(Arrays::compareUnsigned);
    }

    private static void run(Backend backend, UnifiedFileSystem ufs, Committed committed) {
        Random random = new Random(SEED);
        Model model = new Model();
        ByteStore store = backend.open
                .apply(ufs)
                .open("t", KeyRange.ALL, List.of())
                .join()
                .store();
        for (int checkpoint = 0; checkpoint < CHECKPOINTS; checkpoint++) {
            for (int i = 0; i < WRITES_PER_CHECKPOINT; i++) {
                byte[] key = Keys.row(random.nextInt(30), "c" + random.nextInt(3));
                byte[] value = new byte[random.nextInt(40)];
                random.nextBytes(value);
                switch (random.nextInt(4)) {
                    case 0 -> {
                        store.delete(Family.ROWS, key);
                        model.maps.get(Family.ROWS).remove(key);
                    }
                    case 1 -> {
                        store.append(Family.ROWS, key, value);
                        model.append(Family.ROWS, key, value);
                    }
                    default -> {
                        store.put(Family.ROWS, key, value);
                        model.maps.get(Family.ROWS).put(key, value);
                    }
                }
                store.get(Family.ROWS, Keys.row(random.nextInt(30), "c0")).join();
            }
            ByteStore.Frozen frozen = store.freeze(checkpoint, new byte[0]);
            Pack pack = ufs.createPack();
            OwnerRecord record = frozen.flush(pack).join();
            pack.seal().join();
            committed.record = record;
            committed.rows = model.copy().maps.get(Family.ROWS);
            frozen.sealed();
        }
    }

    private static int calls(Backend backend) {
        FaultyStore store = FaultyStore.crashing(MemoryStore.create(() -> 0));
        Committed committed = new Committed();
        run(backend, JobFiles.open(store, "job", 1, "p", Retries.none()), committed);
        assertThat(committed.rows.size(), is(greaterThan(20)));
        return store.recorder().calls().size();
    }

    @ParameterizedTest
    @EnumSource
    void lastSealedCheckpointIsWholeWhereverTheProcessDies(Backend backend) {
        int calls = calls(backend);
        for (int at = 0; at < calls; at++) {
            for (boolean afterEffect : new boolean[] {false, true}) {
                MemoryStore below = MemoryStore.create(() -> 0);
                FaultyStore store = FaultyStore.crashing(below).crashAt(at, afterEffect);
                Committed committed = new Committed();
                try {
                    run(backend, JobFiles.open(store, "job", 1, "p", Retries.none()), committed);
                } catch (CompletionException | DisaggException dead) {
                    assertThat("only the crash ends it: " + dead, store.crashed(), is(true));
                }
                String when = backend + " died at call " + at + " of " + calls + ", after its effect: " + afterEffect;
                assertThat(when, store.crashed(), is(true));
                check(at, when, below, committed);
            }
        }
    }

    private static void check(int at, String when, MemoryStore below, Committed committed) {
        if (committed.record == null) {
            return;
        }
        JobFiles ufs = JobFiles.open(below, "job", 2, "p", Retries.none());
        OwnerRecord record = ufs.readOwner(committed.record.parts()).join();
        for (Backend backend : List.of(at % 2 == 0 ? Backend.HEAP : Backend.DISAGG)) {
            ByteStore store = backend.open
                    .apply(ufs)
                    .open("t", KeyRange.ALL, List.of(new ByteStore.Parent(KeyRange.ALL, record)))
                    .join()
                    .store();
            TreeMap<byte[], byte[]> found = new TreeMap<>(Arrays::compareUnsigned);
            CursorDrain.drain(
                            store.scan(Family.ROWS, new byte[0], null, null),
                            entry -> found.put(entry.key(), entry.value()))
                    .join();
            assertThat(when, found.size(), is(committed.rows.size()));
            committed.rows.forEach((key, value) -> assertThat(when, Arrays.equals(found.get(key), value), is(true)));
        }
    }

    @Test
    void historyTouchesTheStoreInEveryWay() {
        assertThat(calls(Backend.DISAGG_OWN_OBJECTS), is(greaterThan(30)));
        assertThat(calls(Backend.HEAP), is(greaterThan(4)));
    }
}
