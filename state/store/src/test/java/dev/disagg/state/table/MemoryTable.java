// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A table's bytes in memory, built from entries. */
record MemoryTable(byte[] bytes, TableInfo info) {
    static MemoryTable of(TableOptions options, Iterable<TableEntry> entries) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        TableBuilder builder = new TableBuilder(options, buffer -> {
            byte[] part = new byte[buffer.remaining()];
            buffer.get(part);
            out.writeBytes(part);
        });
        for (TableEntry entry : entries) {
            builder.add(entry.key(), entry.kind(), entry.value());
        }
        return new MemoryTable(out.toByteArray(), builder.finish()).withBytes(out.toByteArray());
    }

    private MemoryTable withBytes(byte[] all) {
        return new MemoryTable(all, info);
    }

    static ByteSource source(byte[] bytes) {
        return (offset, length) -> CompletableFuture.completedFuture(
                ByteBuffer.wrap(bytes, (int) Math.min(offset, bytes.length), (int)
                        Math.max(0, Math.min(length, bytes.length - offset))));
    }

    Table open() {
        return open(new BlockCache(64 << 20, 64 << 20));
    }

    Table open(BlockCache cache) {
        return new Table("memory", source(bytes), info, cache);
    }

    static List<TableEntry> entries(Table table) {
        return entries(table.cursor(new byte[0], null, true));
    }

    static List<TableEntry> entries(TableCursor cursor) {
        List<TableEntry> entries = new ArrayList<>();
        try (cursor) {
            for (TableBlock block = cursor.nextBlock().join(); block != null; block = cursor.nextBlock().join()) {
                entries.addAll(block.remaining());
            }
        }
        return entries;
    }
}
