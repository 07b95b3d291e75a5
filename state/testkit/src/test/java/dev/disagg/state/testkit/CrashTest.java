// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.testkit;

import dev.disagg.state.StateBackend;
import dev.disagg.state.heap.HeapBackend;
import dev.disagg.state.lsm.LsmBackend;
import dev.disagg.ufs.UnifiedFileSystem;
import org.junit.jupiter.api.Nested;

class CrashTest {
    private static StateBackend heapOver(UnifiedFileSystem files) {
        return new HeapBackend(files, Runnable::run);
    }

    private static StateBackend disaggOver(UnifiedFileSystem files, long ownObjectBytes) {
        return new LsmBackend(files, SmallTrees.of(12_000, ownObjectBytes, 4000, 2), Runnable::run);
    }

    @Nested
    class Heap extends CrashContract {
        @Override
        protected StateBackend backend(UnifiedFileSystem files) {
            return heapOver(files);
        }

        @Override
        protected StateBackend opener(UnifiedFileSystem files) {
            return disaggOver(files, 1 << 20);
        }

        @Override
        protected int leastCalls() {
            return 4;
        }
    }

    @Nested
    class Disagg extends CrashContract {
        @Override
        protected StateBackend backend(UnifiedFileSystem files) {
            return disaggOver(files, 1 << 20);
        }

        @Override
        protected StateBackend opener(UnifiedFileSystem files) {
            return heapOver(files);
        }

        @Override
        protected int leastCalls() {
            return 4;
        }
    }

    @Nested
    class DisaggWithObjectsOfItsOwn extends CrashContract {
        @Override
        protected StateBackend backend(UnifiedFileSystem files) {
            return disaggOver(files, 1);
        }

        @Override
        protected StateBackend opener(UnifiedFileSystem files) {
            return heapOver(files);
        }

        @Override
        protected int leastCalls() {
            return 30;
        }
    }
}
