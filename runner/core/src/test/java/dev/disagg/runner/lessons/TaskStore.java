// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.lessons;

import dev.disagg.runner.state.Reads;
import dev.disagg.runner.state.StepState;
import dev.disagg.state.ByteStore;
import dev.disagg.state.KeyRange;
import dev.disagg.state.cell.KeyHash;
import dev.disagg.state.cell.TaskState;
import dev.disagg.state.cell.TaskStateOptions;
import dev.disagg.state.lsm.LsmBackend;
import dev.disagg.state.lsm.LsmOptions;
import dev.disagg.ufs.JobFiles;
import dev.disagg.ufs.ObjectStore;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.Pack;
import dev.disagg.ufs.Retries;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.beam.runners.core.StateNamespace;
import org.apache.beam.runners.core.StateNamespaces;
import org.apache.beam.sdk.transforms.windowing.GlobalWindow;

/** State of one task over objects that a test looks at; all work is done by the calling thread. */
final class TaskStore implements AutoCloseable {
    static final StateNamespace GLOBAL = StateNamespaces.window(GlobalWindow.Coder.INSTANCE, GlobalWindow.INSTANCE);

    private final JobFiles files;
    private final LsmBackend backend;
    private final ByteStore.Opened opened;
    private final TaskState cells;
    private long checkpoint;

    /** Opens state afresh, or from what {@link #checkpoint} returned, with little memory. */
    TaskStore(ObjectStore objects, long epoch, List<OwnerRecord> from) {
        files = JobFiles.open(objects, "job", epoch, "p", Retries.none());
        backend = new LsmBackend(files, LsmOptions.ofStateMemory(8 << 20), Runnable::run);
        opened = backend.open(
                        "step",
                        KeyRange.ALL,
                        from.stream()
                                .map(record -> new ByteStore.Parent(KeyRange.ALL, record))
                                .toList())
                .join();
        cells = TaskState.open(opened, TaskStateOptions.DEFAULT.withCacheBytes(1 << 20));
    }

    TaskState cells() {
        return cells;
    }

    ByteStore bytes() {
        return opened.store();
    }

    /** The state of a step. */
    StepState step() {
        return new StepState("step", cells, GlobalWindow.Coder.INSTANCE, new Reads() {
            @Override
            public <T> T await(CompletableFuture<T> read) {
                try {
                    return read.join();
                } catch (java.util.concurrent.CompletionException e) {
                    throw e.getCause() instanceof RuntimeException known ? known : e;
                }
            }

            @Override
            public void beforeRead() {}

            @Override
            public void check() {}
        });
    }

    /** Turns {@code step} to a key. */
    void bind(StepState step, String name) {
        byte[] key = name.getBytes(StandardCharsets.UTF_8);
        step.bind(cells.key(KeyHash.of(key), key), name);
    }

    OwnerRecord checkpoint() {
        ByteStore.Frozen frozen = cells.freeze(++checkpoint, new byte[0]);
        Pack pack = files.createPack();
        OwnerRecord record = frozen.flush(pack).join();
        pack.seal().join();
        frozen.sealed();
        return record;
    }

    @Override
    public void close() {
        cells.close();
        backend.close();
        files.close();
    }
}
