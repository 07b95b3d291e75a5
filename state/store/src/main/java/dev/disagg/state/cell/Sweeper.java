// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

    /** Generations that somebody may still read, and by how many they are held. */
    private final Map<Long, Integer> held = new HashMap<>();

    /** The holds themselves: a reference is enqueued only while it is reachable. */
    private final Set<Hold> holds = new HashSet<>();

    private final ReferenceQueue<Object> released = new ReferenceQueue<>();

    Sweeper(ByteStore store) {
        this.store = store;
    }

    /** Does not sweep this generation while {@code reader} is reachable. */
    void hold(long generation, Object reader) {
        held.merge(generation, 1, Integer::sum);
        holds.add(new Hold(reader, released, generation));
    }

    private void release() {
        for (Reference<?> each = released.poll(); each != null; each = released.poll()) {
            Hold hold = (Hold) each;
            holds.remove(hold);
            held.computeIfPresent(hold.generation, (generation, count) -> count == 1 ? null : count - 1);
        }
    }

    void add(CollectionCell cell, long generation) {
        if (waiting.size() < MAX_WAITING) {
            cell.row.retained++;
            waiting.add(new Job(cell, generation));
        }
    }

    /** At most one page. */
    void maintain() {
        if (!holds.isEmpty()) {
            release();
        }
        Job job = running;
        if (job == null) {
            job = waiting.poll();
            if (job == null) {
                return;
            }
            if (held.containsKey(job.generation)) {
                waiting.add(job);
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

    private static final class Hold extends PhantomReference<Object> {
        final long generation;

        Hold(Object reader, ReferenceQueue<Object> queue, long generation) {
            super(reader, queue);
            this.generation = generation;
        }
    }

    private record Job(CollectionCell cell, long generation) {}
}
