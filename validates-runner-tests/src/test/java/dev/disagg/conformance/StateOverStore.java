// SPDX-License-Identifier: Apache-2.0
package dev.disagg.conformance;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.greaterThan;

import dev.disagg.state.StateBackend;
import dev.disagg.state.heap.HeapBackend;
import dev.disagg.state.lsm.LsmBackend;
import dev.disagg.state.lsm.LsmOptions;
import dev.disagg.ufs.CountingStore;
import dev.disagg.ufs.JobFiles;
import dev.disagg.ufs.JobLog;
import dev.disagg.ufs.ObjectStores;
import dev.disagg.ufs.Retries;
import java.time.Duration;
import org.apache.beam.runners.core.StateInternals;
import org.apache.beam.runners.core.StateInternalsTest;
import org.junit.After;

/**
 * Beam's tests of what a runner's state does, over the cells of this runner and each of its stores. After every single operation all cells leave memory, so that the
 * next one reads them from the store. Run by JUnit 4, as a part of the suite {@code runners-core}.
 */
public final class StateOverStore {

    private static final long TINY_BYTES = 10;

    private StateOverStore() {}

    /** State in the memory of the process. */
    public static class OnHeap extends StateInternalsTest {
        private final Store store = Store.open();
        private final EvictedState state = new EvictedState(new HeapBackend(store.files(), Runnable::run));

        @Override
        protected StateInternals createStateInternals() {
            return state;
        }

        @After
        public void cellsWereReadFromTheStore() {
            assertThat(state.fetches(), greaterThan(0L));
            state.close();
        }
    }

    /** State in tables on an object store: a memtable is written out as soon as something is in it. */
    public static class OnObjects extends StateInternalsTest {
        private final Store store = Store.open();
        private final StateBackend backend =
                new LsmBackend(store.files(), LsmOptions.ofStateMemory(TINY_BYTES), Runnable::run);
        private final EvictedState state = new EvictedState(backend);

        @Override
        protected StateInternals createStateInternals() {
            return state;
        }

        @After
        public void cellsWereReadFromObjects() {
            assertThat(state.fetches(), greaterThan(0L));
            assertThat(store.objects().counts().reads(), greaterThan(0L));
            state.close();
        }
    }

    /** An object store in memory, and a job's files on it. */
    private record Store(CountingStore objects, JobFiles files) {
        static Store open() {
            CountingStore objects = new CountingStore(ObjectStores.open("memory://state-internals"));
            JobLog log = JobLog.open(objects, "job", Retries.none(), 1);
            long epoch = log.beginEpoch(Duration.ZERO);
            return new Store(objects, JobFiles.open(objects, "job", epoch, "process", Retries.none()));
        }
    }
}
