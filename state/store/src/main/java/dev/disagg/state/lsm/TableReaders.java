// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.Family;
import dev.disagg.state.table.BlockCache;
import dev.disagg.state.table.Table;
import dev.disagg.ufs.UnifiedFileSystem;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes tables readable through the process's block cache. Reads nothing by itself. Thread-safe. */
public final class TableReaders {
    private final UnifiedFileSystem ufs;
    private final BlockCache cache;

    public TableReaders(UnifiedFileSystem ufs, BlockCache cache) {
        this.ufs = ufs;
        this.cache = cache;
    }

    TableHandle open(ManifestTable table, @Nullable OwnObject own) {
        Table reader = new Table(
                table.cacheKey(), (offset, length) -> ufs.read(table.range(), offset, length), table.info(), cache);
        return new TableHandle(table, reader, own);
    }

    /** The tables as layers of their families, newest first. */
    List<RunLayer> runs(Collection<ManifestTable> tables) {
        List<ManifestTable> sorted = new ArrayList<>(tables);
        sorted.sort(Manifest.NEWEST_FIRST);
        List<RunLayer> runs = new ArrayList<>();
        List<TableHandle> run = new ArrayList<>();
        for (ManifestTable table : sorted) {
            if (!run.isEmpty() && !sameRun(run.get(0).meta, table)) {
                runs.add(RunLayer.of(run));
                run = new ArrayList<>();
            }
            run.add(open(table, null));
        }
        if (!run.isEmpty()) {
            runs.add(RunLayer.of(run));
        }
        return runs;
    }

    /** Opens all entries of one family that the tables hold together, each key folded to its value. */
    public MergeCursor scanAll(String owner, Family family, Collection<ManifestTable> tables) {
        List<Source> sources = new ArrayList<>();
        for (RunLayer run : runs(tables)) {
            if (run.family() == family) {
                sources.add(new RunSource(run, new byte[0], null, null, false));
            }
        }
        return new MergeCursor(owner, sources, () -> {});
    }

    private static boolean sameRun(ManifestTable one, ManifestTable other) {
        return one.family() == other.family() && one.level() == other.level() && one.run() == other.run();
    }
}
