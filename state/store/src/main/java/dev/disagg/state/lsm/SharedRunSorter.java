// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.ByteStore;
import dev.disagg.state.SharedRun;
import dev.disagg.state.table.TableEntry;
import dev.disagg.ufs.UnifiedFileSystem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Sorts entries that come in any order: what fills the memory is written as a run of its own, and runs are merged when
 * there are several of one level, so that a merge reads few of them at once, and at the end.
 */
final class SharedRunSorter implements SharedRunOutput {
    private static final Comparator<ByteStore.Entry> BY_KEY =
            (one, other) -> Arrays.compareUnsigned(one.key(), other.key());
    /** Array headers and the references to them. */
    private static final int ENTRY_BYTES = 64;

    private final UnifiedFileSystem ufs;
    private final TableReaders readers;
    private final long memoryBytes;
    private final int mergeRuns;
    private List<ByteStore.Entry> entries = new ArrayList<>();
    private long bytes;
    /** By level: a run of a level is a merge of {@link #mergeRuns} of the level before. */
    private final List<List<StoredRun>> levels = new ArrayList<>();

    /**
     * @param memoryBytes of entries that are sorted in memory
     * @param mergeRuns read by one merge; each needs 2 MiB, and what they hold uncompressed
     */
    SharedRunSorter(UnifiedFileSystem ufs, TableReaders readers, long memoryBytes, int mergeRuns) {
        this.ufs = ufs;
        this.readers = readers;
        this.memoryBytes = memoryBytes;
        this.mergeRuns = mergeRuns;
    }

    @Override
    public void add(ByteStore.Entry entry) {
        entries.add(entry);
        bytes += ENTRY_BYTES + entry.key().length + entry.value().length;
        if (bytes >= memoryBytes) {
            put(0, sorted());
        }
    }

    private void put(int level, StoredRun run) {
        if (levels.size() == level) {
            levels.add(new ArrayList<>());
        }
        List<StoredRun> same = levels.get(level);
        same.add(run);
        if (same.size() == mergeRuns) {
            StoredRun merged = merged(same);
            same.clear();
            put(level + 1, merged);
        }
    }

    private StoredRun sorted() {
        entries.sort(BY_KEY);
        return written(writer -> {
            byte[] before = null;
            for (ByteStore.Entry entry : entries) {
                if (before == null || !Arrays.equals(before, entry.key())) {
                    writer.add(entry);
                }
                before = entry.key();
            }
            entries = new ArrayList<>();
            bytes = 0;
        });
    }

    private StoredRun merged(List<StoredRun> runs) {
        StoredRun merged = written(writer -> {
            EntryMerge merge =
                    new EntryMerge(runs.stream().<Source>map(StoredRun::all).toList());
            while (true) {
                while (!merge.ready()) {
                    merge.fill().join();
                }
                List<TableEntry> group = merge.nextGroup();
                if (group == null) {
                    break;
                }
                TableEntry entry = group.get(0);
                writer.add(new ByteStore.Entry(entry.key(), entry.value()));
            }
        });
        runs.forEach(SharedRun::release);
        return merged;
    }

    private interface Content {
        void to(SharedRunWriter writer);
    }

    private StoredRun written(Content content) {
        SharedRunWriter writer = new SharedRunWriter(ufs, readers);
        try {
            content.to(writer);
            return writer.finish();
        } catch (RuntimeException | Error e) {
            writer.discard();
            throw e;
        }
    }

    @Override
    public StoredRun finish() {
        if (!entries.isEmpty()) {
            put(0, sorted());
        }
        List<StoredRun> left = levels.stream().flatMap(List::stream).toList();
        while (left.size() > mergeRuns) {
            List<StoredRun> next = new ArrayList<>(left.subList(mergeRuns, left.size()));
            next.add(merged(left.subList(0, mergeRuns)));
            left = next;
        }
        StoredRun run = left.size() == 1 ? left.get(0) : merged(left);
        levels.clear();
        return run;
    }

    @Override
    public void discard() {
        levels.forEach(level -> level.forEach(SharedRun::release));
        levels.clear();
        entries = new ArrayList<>();
    }
}
