// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.KeyRange;
import dev.disagg.state.table.EntryKind;
import dev.disagg.state.table.TableEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/** Writes frozen memtables of one store as runs of level 0. Thread-safe. */
final class Flush {
    private static final int CHUNK_ENTRIES = 512;
    private static final int CHUNK_BYTES = 256 << 10;

    private final LsmShared shared;
    private final KeyRange range;
    private final AtomicLong numbers;

    /** @param numbers the last number given to a table of this store */
    Flush(LsmShared shared, KeyRange range, AtomicLong numbers) {
        this.shared = shared;
        this.range = range;
        this.numbers = numbers;
    }

    /** Writes all of it; no tables when nothing is left to say, as when every delete has nothing below. */
    List<ManifestTable> write(MemLayer layer, TableOutput output) {
        LsmOptions options = shared.options();
        RunWriter writer = new RunWriter(
                layer.family,
                0,
                layer.run(),
                range,
                options.flushedTables(),
                options.tableBytes(),
                output,
                numbers::incrementAndGet);
        try (Memtable.Snapshot snapshot = layer.memtable.snapshot(new byte[0], null, null)) {
            List<TableEntry> chunk = snapshot.next(CHUNK_ENTRIES, CHUNK_BYTES);
            while (!chunk.isEmpty()) {
                for (TableEntry entry : chunk) {
                    TableEntry folded = entry.kind() == EntryKind.PUT
                            ? entry
                            : Fold.fold(List.of(entry), layer.older.mayHold(entry.key()));
                    if (folded != null) {
                        writer.add(folded);
                    }
                }
                chunk = snapshot.next(CHUNK_ENTRIES, CHUNK_BYTES);
            }
        }
        return writer.finish();
    }

    /** Writes it into objects of its own on the flush executor; completes when they are durable. */
    CompletableFuture<List<TableHandle>> inBackground(MemLayer layer) {
        return CompletableFuture.supplyAsync(() -> writeOwn(layer), shared.flushes())
                .thenCompose(written -> written);
    }

    private CompletableFuture<List<TableHandle>> writeOwn(MemLayer layer) {
        OwnObjects objects = new OwnObjects(shared.ufs());
        List<ManifestTable> tables;
        try {
            tables = write(layer, objects);
        } catch (RuntimeException | Error e) {
            objects.discard();
            throw e;
        }
        return objects.durable().handle((done, failure) -> {
            if (failure != null) {
                objects.discard();
                throw ReadFailure.of("flush of " + layer.family, failure);
            }
            return openOwn(tables);
        });
    }

    /** Readers of tables that each are an object of their own. */
    List<TableHandle> openOwn(List<ManifestTable> tables) {
        List<TableHandle> handles = new ArrayList<>();
        for (ManifestTable table : tables) {
            handles.add(shared.readers()
                    .open(table, new OwnObject(shared.ufs(), table.range().object(), 1)));
        }
        return List.copyOf(handles);
    }

    /** Readers of tables in a pack. */
    List<TableHandle> openPacked(List<ManifestTable> tables) {
        List<TableHandle> handles = new ArrayList<>();
        for (ManifestTable table : tables) {
            handles.add(shared.readers().open(table, null));
        }
        return List.copyOf(handles);
    }
}
