// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.state.table.TableBuilder;
import dev.disagg.state.table.TableEntry;
import dev.disagg.state.table.TableOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Writes one run: ascending entries, cut into tables of bounded size. Not thread-safe. */
public final class RunWriter {
    private final Family family;
    private final int level;
    private final long run;
    private final KeyRange range;
    private final TableOptions options;
    private final long tableBytes;
    private final TableOutput output;
    private final LongSupplier numbers;
    private final List<ManifestTable> tables = new ArrayList<>();
    private @Nullable TableBuilder builder;

    /**
     * @param range the groups of the keys to come
     * @param tableBytes a table is ended when it has about this size
     * @param numbers gives each table its number
     */
    public RunWriter(
            Family family,
            int level,
            long run,
            KeyRange range,
            TableOptions options,
            long tableBytes,
            TableOutput output,
            LongSupplier numbers) {
        this.family = family;
        this.level = level;
        this.run = run;
        this.range = range;
        this.options = options(family, options);
        this.tableBytes = tableBytes;
        this.output = output;
        this.numbers = numbers;
    }

    /** Only rows are asked for one by one: what else there is, is read in ranges, which no filter answers for. */
    private static TableOptions options(Family family, TableOptions options) {
        return family == Family.ROWS ? options : new TableOptions(options.blockBytes(), options.compression(), 0);
    }

    public void add(TableEntry entry) {
        TableBuilder open = builder;
        if (open == null) {
            open = new TableBuilder(options, output.begin());
            builder = open;
        }
        if (family == Family.ROWS) {
            open.beginRow(entry.key(), 0, ByteStore.rowPrefixLength(entry.key()));
        }
        open.add(entry.key(), entry.kind(), entry.value());
        if (open.estimatedBytes() >= tableBytes) {
            endTable(open);
        }
    }

    private void endTable(TableBuilder open) {
        var info = open.finish();
        tables.add(new ManifestTable(numbers.getAsLong(), family, level, run, range, range, output.end(), info));
        builder = null;
    }

    /** Ends the run and returns its tables, in key order; none when there were no entries. */
    public List<ManifestTable> finish() {
        TableBuilder open = builder;
        if (open != null) {
            endTable(open);
        }
        return List.copyOf(tables);
    }
}
