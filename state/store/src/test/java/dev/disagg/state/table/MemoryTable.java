// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A table's bytes in memory, built from entries. */
record MemoryTable(byte[] bytes, TableInfo info) {
    /** Takes what a builder writes. */
    static final class Sink implements Consumer<ByteBuffer> {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();

        @Override
        public void accept(ByteBuffer buffer) {
            byte[] part = new byte[buffer.remaining()];
            buffer.get(part);
            out.writeBytes(part);
        }

        byte[] bytes() {
            return out.toByteArray();
        }
    }

    static MemoryTable of(TableOptions options, Iterable<TableEntry> entries) {
        Sink sink = new Sink();
        TableBuilder builder = new TableBuilder(options, sink);
        for (TableEntry entry : entries) {
            builder.add(entry.key(), entry.kind(), entry.value());
        }
        TableInfo info = builder.finish();
        return new MemoryTable(sink.bytes(), info);
    }

    static ByteSource source(byte[] bytes) {
        return (offset, length) ->
                CompletableFuture.completedFuture(ByteBuffer.wrap(bytes, (int) Math.min(offset, bytes.length), (int)
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
            for (TableBlock block = cursor.nextBlock().join();
                    block != null;
                    block = cursor.nextBlock().join()) {
                entries.addAll(block.remaining());
            }
        }
        return entries;
    }
}
