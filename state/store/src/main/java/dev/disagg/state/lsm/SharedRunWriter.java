// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.ByteStore;
import dev.disagg.state.SharedRun;
import dev.disagg.state.table.EntryKind;
import dev.disagg.state.table.TableBuilder;
import dev.disagg.state.table.TableOptions;
import dev.disagg.ufs.UnifiedFileSystem;
import dev.disagg.ufs.UnifiedFileSystem.ObjectFile;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Streams entries, which come in order, into tables of bounded size in one object: an index fits in memory. */
final class SharedRunWriter implements SharedRunOutput {
    private static final long TABLE_BYTES = 64 << 20;

    private final UnifiedFileSystem ufs;
    private final TableReaders readers;
    private final ObjectFile file;
    private final TableOutput output;
    private final List<SharedTable> tables = new ArrayList<>();
    private @Nullable TableBuilder builder;

    SharedRunWriter(UnifiedFileSystem ufs, TableReaders readers) {
        this.ufs = ufs;
        this.readers = readers;
        this.file = ufs.createFile();
        this.output = TableOutput.into(file);
    }

    @Override
    public void add(ByteStore.Entry entry) {
        TableBuilder open = builder;
        if (open == null) {
            open = new TableBuilder(TableOptions.DEFAULTS, output.begin());
            builder = open;
        }
        open.beginRow(entry.key(), 0, entry.key().length - SharedRun.NUMBER_BYTES);
        open.add(entry.key(), EntryKind.PUT, entry.value());
        if (open.estimatedBytes() >= TABLE_BYTES) {
            endTable(open);
        }
    }

    private void endTable(TableBuilder open) {
        var info = open.finish();
        tables.add(new SharedTable(output.end(), info));
        builder = null;
    }

    @Override
    public StoredRun finish() {
        TableBuilder open = builder;
        if (open != null) {
            endTable(open);
        }
        if (tables.isEmpty()) {
            throw new IllegalStateException("a shared run has at least one entry");
        }
        file.finish().join();
        return new StoredRun(tables, readers, ufs);
    }

    @Override
    public void discard() {
        file.close();
    }
}
