// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.Family;
import dev.disagg.state.table.Table;
import dev.disagg.state.table.TableBlock;
import dev.disagg.state.table.TableCursor;
import dev.disagg.state.table.TableEntry;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one run within a range and the tables' clips: table after table, block after block. A table whose
 * filter does not know the row is not read.
 */
final class RunSource implements Source {
    private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

    private final List<TableHandle> tables;
    private final byte[] from;
    private final byte @Nullable [] to;
    private final @Nullable Long rowHash;
    private final boolean fillCache;
    private int next;
    private @Nullable TableHandle table;
    private @Nullable TableCursor cursor;
    private @Nullable TableBlock block;
    private @Nullable TableEntry head;
    private boolean ended;
    private boolean closed;

    RunSource(RunLayer run, byte[] from, byte @Nullable [] to, @Nullable Long rowHash, boolean fillCache) {
        this(run.tables(), from, to, rowHash, fillCache);
    }

    /**
     * @param tables of one run, in key order
     * @param rowHash of the row that the range lies in, see {@link Table#rowHash}; null when it is more than one
     */
    RunSource(List<TableHandle> tables, byte[] from, byte @Nullable [] to, @Nullable Long rowHash, boolean fillCache) {
        this.tables = tables;
        this.from = from;
        this.to = to;
        this.rowHash = rowHash;
        this.fillCache = fillCache;
        this.next = from.length == 0 ? 0 : firstNotBelow(tables, from);
    }

    /** Number of the first table that has a key at or above {@code from}. */
    private static int firstNotBelow(List<TableHandle> tables, byte[] from) {
        int low = 0;
        int high = tables.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Arrays.compareUnsigned(tables.get(middle).meta.info().largestKey(), from) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    @Override
    public @Nullable TableEntry head() {
        return head;
    }

    @Override
    public boolean ended() {
        return ended;
    }

    @Override
    public void pop() {
        head = null;
        TableBlock open = block;
        TableHandle of = table;
        if (open == null || of == null) {
            return;
        }
        while (open.advance()) {
            TableEntry entry = open.entry();
            if (Clip.holds(of.meta.family(), of.meta.clip(), entry.key())) {
                head = entry;
                return;
            }
        }
        block = null;
    }

    @Override
    public CompletableFuture<Void> fill() {
        while (head == null && !ended) {
            CompletableFuture<Void> step = step();
            if (!step.isDone() || step.isCompletedExceptionally()) {
                return step.thenCompose(ignored -> head == null && !ended ? fill() : DONE);
            }
        }
        return DONE;
    }

    /** One piece of progress: the next block of the current table, or the next table. */
    private CompletableFuture<Void> step() {
        if (closed) {
            ended = true;
            return DONE;
        }
        TableCursor open = cursor;
        if (open == null) {
            nextTable();
            return DONE;
        }
        return open.nextBlock().thenAccept(read -> {
            if (read == null) {
                open.close();
                cursor = null;
            } else {
                block = read;
                pop();
            }
        });
    }

    private void nextTable() {
        while (next < tables.size()) {
            TableHandle candidate = tables.get(next++);
            ManifestTable meta = candidate.meta;
            if (to != null && Arrays.compareUnsigned(meta.info().smallestKey(), to) >= 0) {
                break;
            }
            Family family = meta.family();
            byte[] first = from;
            byte[] end = to;
            if (Clip.ordersByGroup(family)) {
                first = later(from, Clip.firstKey(family, meta.clip()));
                end = earlier(to, Clip.endKey(family, meta.clip()));
            }
            if ((end != null && Arrays.compareUnsigned(first, end) >= 0)
                    || !meta.info().overlaps(first, end)) {
                continue;
            }
            TableCursor opened = rowHash == null
                    ? candidate.table.cursor(first, end, fillCache)
                    : candidate.table.rowCursor(rowHash, first, end, fillCache);
            if (opened != null) {
                table = candidate;
                cursor = opened;
                return;
            }
        }
        ended = true;
    }

    @Override
    public void close() {
        closed = true;
        ended = true;
        head = null;
        block = null;
        if (cursor != null) {
            cursor.close();
            cursor = null;
        }
    }

    private static byte[] later(byte[] one, byte[] other) {
        return Arrays.compareUnsigned(one, other) >= 0 ? one : other;
    }

    private static byte @Nullable [] earlier(byte @Nullable [] one, byte @Nullable [] other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return Arrays.compareUnsigned(one, other) <= 0 ? one : other;
    }
}
