// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.testkit;

import dev.disagg.state.StateBackend;
import dev.disagg.state.heap.HeapBackend;
import dev.disagg.state.lsm.LsmBackend;
import dev.disagg.state.lsm.LsmOptions;
import dev.disagg.ufs.UnifiedFileSystem;
import org.junit.jupiter.api.Nested;

class ContractTest {
    @Nested
    class Heap extends ByteStoreContract {
        @Override
        protected StateBackend backend(UnifiedFileSystem files) {
            return new HeapBackend(files, Runnable::run);
        }
    }

    @Nested
    class Disagg extends ByteStoreContract {
        @Override
        protected StateBackend backend(UnifiedFileSystem files) {
            return new LsmBackend(files, LsmOptions.ofStateMemory(256 << 20), Runnable::run);
        }
    }

    @Nested
    class DisaggInLittleMemory extends ByteStoreContract {
        @Override
        protected StateBackend backend(UnifiedFileSystem files) {
            return new LsmBackend(files, SmallTrees.of(100_000, 1, 4000, 2), Runnable::run);
        }
    }
}
