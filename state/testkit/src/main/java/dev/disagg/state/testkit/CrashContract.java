// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.testkit;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.state.StateBackend;
import dev.disagg.state.lsm.CursorDrain;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The process dies at every call to the store of one history: the last sealed checkpoint opens whole. */
@Timeout(300)
public abstract class CrashContract {
    private static final long SEED = 20;
    private static final int CHECKPOINTS = 5;
    private static final int WRITES_PER_CHECKPOINT = 40;

    /** A backend over these files, with all work done on the caller's thread. */
    protected abstract StateBackend backend(UnifiedFileSystem files);

    /** As {@link #backend}: another kind that opens its checkpoints, or the same. */
    protected abstract StateBackend opener(UnifiedFileSystem files);

    /** Fewer requests than this would be no test. */
    protected abstract int leastCalls();

    /** What survived: the last sealed manifest, and what it must hold. */
    private static final class Committed {
        OwnerRecord record;
        TreeMap<byte[], byte[]> rows = new TreeMap<>(Arrays::compareUnsigned);
    }

    private void run(UnifiedFileSystem ufs, Committed committed) {
        try (StateBackend backend = backend(ufs)) {
            run(backend, ufs, committed);
        }
    }

    private static void run(StateBackend backend, UnifiedFileSystem ufs, Committed committed) {
        Random random = new Random(SEED);
        Model model = new Model();
        ByteStore store = backend.open("t", KeyRange.ALL, List.of()).join().store();
        for (int checkpoint = 0; checkpoint < CHECKPOINTS; checkpoint++) {
            for (int i = 0; i < WRITES_PER_CHECKPOINT; i++) {
                byte[] key = StateKeys.row(random.nextInt(30), "c" + random.nextInt(3));
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
                store.get(Family.ROWS, StateKeys.row(random.nextInt(30), "c0")).join();
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

    private int calls() {
        FaultyStore store = FaultyStore.crashing(MemoryStore.create(() -> 0));
        Committed committed = new Committed();
        run(JobFiles.open(store, "job", 1, "p", Retries.none()), committed);
        assertThat(committed.rows.size(), is(greaterThan(20)));
        return store.recorder().calls().size();
    }

    @Test
    void lastSealedCheckpointIsWholeWhereverTheProcessDies() {
        int calls = calls();
        assertThat(calls, is(greaterThan(leastCalls())));
        for (int at = 0; at < calls; at++) {
            for (boolean afterEffect : new boolean[] {false, true}) {
                MemoryStore below = MemoryStore.create(() -> 0);
                FaultyStore store = FaultyStore.crashing(below).crashAt(at, afterEffect);
                Committed committed = new Committed();
                try {
                    run(JobFiles.open(store, "job", 1, "p", Retries.none()), committed);
                } catch (CompletionException | DisaggException dead) {
                    assertThat("only the crash ends it: " + dead, store.crashed(), is(true));
                }
                String when = "died at call " + at + " of " + calls + ", after its effect: " + afterEffect;
                assertThat(when, store.crashed(), is(true));
                check(at, when, below, committed);
            }
        }
    }

    private void check(int at, String when, MemoryStore below, Committed committed) {
        if (committed.record == null) {
            return;
        }
        JobFiles ufs = JobFiles.open(below, "job", 2, "p", Retries.none());
        OwnerRecord record = ufs.readOwner(committed.record.parts()).join();
        try (StateBackend backend = at % 2 == 0 ? backend(ufs) : opener(ufs)) {
            ByteStore store = backend.open("t", KeyRange.ALL, List.of(new ByteStore.Parent(KeyRange.ALL, record)))
                    .join()
                    .store();
            TreeMap<byte[], byte[]> found = new TreeMap<>(Arrays::compareUnsigned);
            CursorDrain.drain(
                            store.scan(Family.ROWS, new byte[0], null, null),
                            entry -> found.put(entry.key(), entry.value()))
                    .join();
            assertThat(when, found.size(), is(committed.rows.size()));
            committed.rows.forEach((key, value) -> assertThat(when, Arrays.equals(found.get(key), value), is(true)));
            store.close();
        }
    }
}
