// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.rocksdb;

import dev.disagg.state.BackendContext;
import dev.disagg.state.StateBackend;
import dev.disagg.state.heap.HeapBackend;
import dev.disagg.state.testkit.ByteStoreContract;
import dev.disagg.state.testkit.CrashContract;
import dev.disagg.state.testkit.StoreHistory;
import dev.disagg.ufs.UnifiedFileSystem;
import dev.disagg.ufs.testkit.ManualExecutor;
import dev.disagg.ufs.testkit.MemoryUfs;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What all backends promise. */
class RocksContractTest {
    private static final int STEPS = Integer.getInteger("history.steps", 2000);

    @TempDir
    Path local;

    private StateBackend over(UnifiedFileSystem files, Executor background, long memoryBytes) {
        return new RocksBackend(new BackendContext(files, background, background, memoryBytes, local));
    }

    @Nested
    class Contract extends ByteStoreContract {
        @Override
        protected StateBackend backend(UnifiedFileSystem files) {
            return over(files, Runnable::run, 64 << 20);
        }
    }

    @Nested
    class ContractInLittleMemory extends ByteStoreContract {
        @Override
        protected StateBackend backend(UnifiedFileSystem files) {
            return over(files, Runnable::run, 512 << 10);
        }
    }

    @Nested
    class Crashes extends CrashContract {
        @Override
        protected StateBackend backend(UnifiedFileSystem files) {
            return over(files, Runnable::run, 8 << 20);
        }

        @Override
        protected StateBackend opener(UnifiedFileSystem files) {
            return backend(files);
        }

        @Override
        protected int leastCalls() {
            return 4;
        }
    }

    /** As {@code StoreModelTest} of the other backends. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void everyAnswerIsTheModels(long seed) {
        Random random = new Random(seed);
        MemoryUfs ufs = new MemoryUfs();
        ManualExecutor background = new ManualExecutor();
        new StoreHistory(random, ufs, background, 90, () -> over(ufs, background, (1 + random.nextInt(4)) << 20))
                .run(STEPS);
    }

    /** Until the first checkpoint of its own it goes on from those of another backend. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void everyAnswerIsTheModelsWhenItTakesOverFromHeap(long seed) {
        Random random = new Random(seed);
        MemoryUfs ufs = new MemoryUfs();
        ManualExecutor background = new ManualExecutor();
        int[] opened = new int[1];
        new StoreHistory(
                        random,
                        ufs,
                        background,
                        90,
                        () -> opened[0]++ < 2 ? new HeapBackend(ufs, background) : over(ufs, background, 2 << 20))
                .run(STEPS);
    }
}
