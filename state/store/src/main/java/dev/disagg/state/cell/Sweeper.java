// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Deletes the entries of collections' old generations, one page at a time, between computations. A job that is lost (too
 * many wait, or the task ends) is found again in the collection's own log.
 */
final class Sweeper {
    private static final int MAX_WAITING = 1024;
    private static final int PAGE_BYTES = 16 << 10;

    private final ByteStore store;
    private final ArrayDeque<Job> waiting = new ArrayDeque<>();
    private @Nullable Job running;
    private ByteStore.@Nullable Cursor cursor;
    private @Nullable CompletableFuture<List<ByteStore.Entry>> page;

    Sweeper(ByteStore store) {
        this.store = store;
    }

    void add(CollectionCell cell, long generation) {
        if (waiting.size() < MAX_WAITING) {
            cell.row.retained++;
            waiting.add(new Job(cell, generation));
        }
    }

    /** At most one page. */
    void maintain() {
        Job job = running;
        if (job == null) {
            job = waiting.poll();
            if (job == null) {
                return;
            }
            running = job;
        }
        ByteStore.Cursor from = cursor;
        if (from == null) {
            from = store.scan(
                    Family.ROWS,
                    job.cell.generationKey(job.generation),
                    job.cell.generationKey(job.generation + 1),
                    job.cell.row.storeKey(0));
            cursor = from;
        }
        if (page == null) {
            page = from.next(PAGE_BYTES);
        }
        if (!page.isDone()) {
            return;
        }
        List<ByteStore.Entry> entries = Reads.value(page);
        page = null;
        for (ByteStore.Entry entry : entries) {
            store.delete(Family.ROWS, entry.key());
        }
        if (entries.isEmpty()) {
            from.close();
            cursor = null;
            running = null;
            job.cell.row.retained--;
            job.cell.swept(job.generation);
        }
    }

    private record Job(CollectionCell cell, long generation) {}
}
