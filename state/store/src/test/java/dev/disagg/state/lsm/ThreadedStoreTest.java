// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.ufs.JobFiles;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.Pack;
import dev.disagg.ufs.Retries;
import dev.disagg.ufs.memory.MemoryStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Flush, compaction and checkpoints on real threads while the leader writes, reads and keeps cursors open. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ThreadedStoreTest {
    private static final int ROUNDS = 40;

    private final ExecutorService threads = Executors.newFixedThreadPool(3);

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @Test
    void everyAnswerIsTheModelsWhileThreadsWorkBelow() {
        Random random = new Random(5);
        MemoryStore objects = MemoryStore.create(() -> 0);
        JobFiles ufs = JobFiles.open(objects, "job", 1, "p", Retries.none());
        LsmBackend backend = new LsmBackend(ufs, LsmOptions.tiny(40_000, 6000, 8000, 3), threads);
        LsmStore store =
                (LsmStore) backend.open("t", KeyRange.ALL, List.of()).join().store();
        Map<byte[], byte[]> rows = new TreeMap<>(Arrays::compareUnsigned);
        OwnerRecord sealed = null;
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < 200; i++) {
                byte[] key = Keys.row(random.nextInt(400), "c" + random.nextInt(2));
                byte[] value = new byte[random.nextInt(60)];
                random.nextBytes(value);
                switch (random.nextInt(4)) {
                    case 0 -> {
                        store.delete(Family.ROWS, key);
                        rows.remove(key);
                    }
                    case 1 -> {
                        store.append(Family.ROWS, key, value);
                        rows.merge(key, value, ThreadedStoreTest::concatenated);
                    }
                    default -> {
                        store.put(Family.ROWS, key, value);
                        rows.put(key, value);
                    }
                }
                byte[] probe = Keys.row(random.nextInt(400), "c0");
                assertThat(Arrays.equals(store.get(Family.ROWS, probe).join(), rows.get(probe)), is(true));
            }
            ByteStore.Cursor cursor = store.scan(Family.ROWS, new byte[0], null, null);
            List<byte[]> expected = new ArrayList<>(rows.values());
            ByteStore.Frozen frozen = store.freeze(round, new byte[0]);
            Pack pack = ufs.createPack();
            OwnerRecord record = frozen.flush(pack).join();
            pack.seal().join();
            frozen.sealed();
            sealed = record;
            List<byte[]> found = new ArrayList<>();
            CursorDrain.drain(cursor, entry -> found.add(entry.value())).join();
            assertThat(Arrays.deepEquals(found.toArray(), expected.toArray()), is(true));
        }
        assertThat(store.stats().flushes(), is(greaterThan(0L)));
        assertThat(store.stats().compactions(), is(greaterThan(0L)));
        store.close();
        backend.close();
        List<byte[]> restored = new ArrayList<>();
        LsmBackend again = new LsmBackend(ufs, LsmOptions.tiny(40_000, 6000, 8000, 3), threads);
        ByteStore reopened = again.open("t", KeyRange.ALL, List.of(new ByteStore.Parent(KeyRange.ALL, sealed)))
                .join()
                .store();
        CursorDrain.drain(reopened.scan(Family.ROWS, new byte[0], null, null), entry -> restored.add(entry.value()))
                .join();
        assertThat(Arrays.deepEquals(restored.toArray(), rows.values().toArray()), is(true));
    }

    private static byte[] concatenated(byte[] value, byte[] tail) {
        byte[] both = Arrays.copyOf(value, value.length + tail.length);
        System.arraycopy(tail, 0, both, value.length, tail.length);
        return both;
    }
}
