// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.Family;
import dev.disagg.state.table.EntryKind;
import dev.disagg.state.table.TableEntry;
import dev.disagg.ufs.Failed;
import dev.disagg.ufs.UnifiedFileSystem;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs one job on the calling thread: merges, folds, drops, and writes tables or gathers in memory. Used once. */
final class CompactionMerge {
    private static final byte[] EMPTY = {};

    private final CompactionJob job;
    private final TableReaders readers;
    private final BooleanSupplier givenUp;
    private final OwnObjects outputs;

    CompactionMerge(CompactionJob job, UnifiedFileSystem ufs, TableReaders readers, BooleanSupplier givenUp) {
        this.job = job;
        this.readers = readers;
        this.givenUp = givenUp;
        this.outputs = new OwnObjects(ufs);
    }

    CompactionResult run() {
        RunWriter writer = new RunWriter(
                job.family(), job.level(), job.run(), job.range(), job.tables(), job.tableBytes(), outputs, () -> 0);
        long read = merge(writer::add);
        List<ManifestTable> tables = writer.finish();
        outputs.awaitDurable();
        return new CompactionResult(tables, read);
    }

    /** Into a memtable in the place of tables. */
    void gather(Memtable into) {
        merge(entry -> {
            switch (entry.kind()) {
                case PUT -> into.put(entry.key(), entry.value());
                case DELETE -> into.delete(entry.key());
                case MERGE -> into.append(entry.key(), entry.value());
            }
        });
    }

    /** Returns how many entries were read. */
    private long merge(Consumer<TableEntry> output) {
        EntryMerge merge = new EntryMerge(sources());
        long read = 0;
        try {
            while (true) {
                if (givenUp.getAsBoolean()) {
                    throw new Failed("compaction for " + job.owner() + " was given up");
                }
                while (!merge.ready()) {
                    merge.fill().join();
                }
                List<TableEntry> group = merge.nextGroup();
                if (group == null) {
                    break;
                }
                read += group.size();
                TableEntry entry = keep(group);
                if (entry != null) {
                    output.accept(entry);
                }
            }
        } finally {
            merge.close();
        }
        return read;
    }

    void discardOutputs() {
        outputs.discard();
    }

    private List<Source> sources() {
        List<Source> sources = new ArrayList<>();
        for (List<ManifestTable> run : job.inputs()) {
            List<TableHandle> tables = new ArrayList<>();
            for (ManifestTable table : run) {
                tables.add(readers.open(table, null));
            }
            sources.add(new RunSource(tables, EMPTY, null, null, false));
        }
        return sources;
    }

    private @Nullable TableEntry keep(List<TableEntry> group) {
        TableEntry newest = group.get(0);
        byte[] key = newest.key();
        if (job.family() == Family.ROWS && RowExpiry.windowEndMillis(key) < job.dropRowsBelowMillis()) {
            return job.older().mayHold(key) ? new TableEntry(key, EntryKind.DELETE, EMPTY) : null;
        }
        return newest.kind() == EntryKind.PUT
                ? newest
                : Fold.fold(group, job.older().mayHold(key));
    }
}
