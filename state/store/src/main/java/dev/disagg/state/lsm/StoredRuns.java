// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.ByteStore;
import dev.disagg.state.SharedRun;
import dev.disagg.state.SharedRuns;
import dev.disagg.ufs.UnifiedFileSystem;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** Writes shared runs into objects of the job's files, on a background executor. */
public final class StoredRuns implements SharedRuns {
    private static final long SORT_BYTES = 8 << 20;
    private static final int MERGE_RUNS = 4;

    private final UnifiedFileSystem ufs;
    private final TableReaders readers;
    private final Executor background;
    private final long sortBytes;

    /** @param background waits for requests: none of its threads may be needed to complete one */
    public StoredRuns(UnifiedFileSystem ufs, TableReaders readers, Executor background) {
        this(ufs, readers, background, SORT_BYTES);
    }

    StoredRuns(UnifiedFileSystem ufs, TableReaders readers, Executor background, long sortBytes) {
        this.ufs = ufs;
        this.readers = readers;
        this.background = background;
        this.sortBytes = sortBytes;
    }

    @Override
    public Writer inOrder() {
        return new Writing(new SharedRunWriter(ufs, readers), background);
    }

    @Override
    public Writer sorting() {
        return new Writing(new SharedRunSorter(ufs, readers, sortBytes, MERGE_RUNS), background);
    }

    private static final class Writing implements Writer {
        private final SharedRunOutput output;
        private final Executor background;
        private CompletableFuture<?> last = CompletableFuture.completedFuture(null);
        private boolean ended;

        Writing(SharedRunOutput output, Executor background) {
            this.output = output;
            this.background = background;
        }

        @Override
        public CompletableFuture<Void> append(List<ByteStore.Entry> entries) {
            CompletableFuture<Void> appended = ReadFailure.named(
                    "a shared run", CompletableFuture.runAsync(() -> entries.forEach(output::add), background));
            last = appended;
            return appended;
        }

        @Override
        public CompletableFuture<SharedRun> finish() {
            CompletableFuture<SharedRun> run =
                    ReadFailure.named("a shared run", CompletableFuture.supplyAsync(output::finish, background));
            last = run;
            ended = true;
            // One that fails half-way leaves nothing behind.
            return run.whenComplete((done, failure) -> {
                if (failure != null) {
                    output.discard();
                }
            });
        }

        @Override
        public void close() {
            if (!ended) {
                ended = true;
                var unused = last.whenComplete((done, failure) -> output.discard());
            }
        }
    }
}
