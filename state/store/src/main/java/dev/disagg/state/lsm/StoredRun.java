// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.ByteStore;
import dev.disagg.state.SharedRun;
import dev.disagg.state.table.Table;
import dev.disagg.ufs.UnifiedFileSystem;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A shared run in one object, readable. */
final class StoredRun implements SharedRun {
    private final String object;
    private final List<SharedTable> tables;
    private final List<TableHandle> readers;
    private final @Nullable UnifiedFileSystem writtenTo;
    private final AtomicInteger holders = new AtomicInteger(1);

    /**
     * @param tables in key order, all in one object
     * @param writtenTo not null when this process wrote the run
     */
    StoredRun(List<SharedTable> tables, TableReaders open, @Nullable UnifiedFileSystem writtenTo) {
        this.object = tables.get(0).range().object();
        this.tables = List.copyOf(tables);
        this.readers =
                tables.stream().map(table -> open.open(table.readable(), null)).toList();
        this.writtenTo = writtenTo;
    }

    List<SharedTable> tables() {
        return tables;
    }

    @Override
    public String name() {
        return object;
    }

    @Override
    public long bytes() {
        return tables.stream().mapToLong(table -> table.range().length()).sum();
    }

    @Override
    public long entries() {
        return tables.stream().mapToLong(table -> table.info().entries()).sum();
    }

    @Override
    public ByteStore.Cursor row(byte[] row, long firstNumber) {
        byte[] from = Arrays.copyOf(row, row.length + NUMBER_BYTES);
        ByteBuffer.wrap(from).putLong(row.length, firstNumber);
        byte[] last = from.clone();
        Arrays.fill(last, row.length, last.length, (byte) 0xff);
        return scan(from, Arrays.copyOf(last, last.length + 1), row, true);
    }

    @Override
    public ByteStore.Cursor rows(byte[] prefix) {
        return scan(prefix, afterAll(prefix), null, true);
    }

    /** All entries, past the cache: for one that reads once. */
    RunSource all() {
        return new RunSource(readers, new byte[0], null, null, false);
    }

    private MergeCursor scan(byte[] from, byte @Nullable [] to, byte @Nullable [] row, boolean fillCache) {
        return new MergeCursor(
                "shared run " + object,
                List.of(new RunSource(readers, from, to, row == null ? null : Table.rowHash(row), fillCache)),
                () -> {});
    }

    /** The first key after all that begin with {@code prefix}; null when there is none. */
    private static byte @Nullable [] afterAll(byte[] prefix) {
        for (int end = prefix.length; end > 0; end--) {
            if (prefix[end - 1] != (byte) 0xff) {
                byte[] after = Arrays.copyOf(prefix, end);
                after[end - 1]++;
                return after;
            }
        }
        return null;
    }

    @Override
    public void retain() {
        holders.incrementAndGet();
    }

    @Override
    public void release() {
        if (holders.decrementAndGet() == 0 && writtenTo != null) {
            writtenTo.discard(object);
        }
    }
}
