// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * A table as text: what it says of itself, its blocks, and the entries in them. For golden tests and for people; holds the
 * whole text in memory.
 */
public final class TableDump {
    private static final HexFormat HEX = HexFormat.of();

    private TableDump() {}

    /**
     * The text of the table that {@code bytes} hold whole.
     *
     * @param name for errors
     * @throws dev.disagg.ufs.Corrupt when the bytes are damaged
     * @throws dev.disagg.ufs.Invalid when the table is of a kind that is not read here
     */
    public static String of(String name, byte[] bytes) {
        ByteSource source = (offset, length) ->
                CompletableFuture.completedFuture(ByteBuffer.wrap(bytes, Math.toIntExact(offset), length));
        TableInfo info = joined(Table.inspect(name, source, bytes.length));
        BlockReader reader = new BlockReader(name, source, info, new BlockCache(0, 0));
        Tail tail = joined(reader.readTail());
        StringBuilder out = new StringBuilder();
        Index index = tail.index();
        for (int number = 0; number < index.count(); number++) {
            block(out, reader, index, number, bytes);
        }
        out.append("tail at ").append(info.tailOffset()).append('\n');
        Bloom bloom = tail.bloom();
        if (bloom.lines() == 0) {
            out.append("  no filter\n");
        } else {
            out.append("  filter: lines ")
                    .append(bloom.lines())
                    .append(", probes ")
                    .append(bloom.probes())
                    .append('\n');
        }
        for (Map.Entry<String, byte[]> property : tail.properties().entrySet()) {
            out.append("  ")
                    .append(property.getKey())
                    .append(" = ")
                    .append(text(property))
                    .append('\n');
        }
        Footer footer = Footer.decode(name, bytes, bytes.length);
        out.append("footer: metaindex ").append(place(footer.metaindex()));
        out.append(", index ").append(place(footer.index())).append('\n');
        out.append(info.bytes()).append(" bytes\n");
        return out.toString();
    }

    private static <T> T joined(CompletableFuture<T> done) {
        try {
            return done.join();
        } catch (RuntimeException e) {
            throw Failures.cause(e) instanceof RuntimeException cause ? cause : e;
        }
    }

    private static void block(StringBuilder out, BlockReader reader, Index index, int number, byte[] bytes) {
        long offset = index.offset(number);
        int stored = (int) index.storedBytes(number);
        Block block = reader.open(index, number, bytes, Math.toIntExact(offset));
        out.append("block ").append(number).append(" at ").append(offset);
        out.append(": stored ").append(stored).append(", type ").append(bytes[(int) offset + stored]);
        out.append(", raw ").append(block.bytes().length).append(", restarts ").append(block.restarts());
        out.append(", separator ").append(key(index.separator(number))).append('\n');
        TableBlock entries = new TableBlock(reader.table(), offset, number, block, null, null);
        while (entries.advance()) {
            out.append("  ").append(entries.kind()).append(' ').append(key(entries.key()));
            if (entries.kind() != EntryKind.DELETE) {
                out.append(" = ").append(value(entries.value()));
            }
            out.append('\n');
        }
    }

    private static String place(BlockHandle handle) {
        return "at " + handle.offset() + " of " + handle.storedBytes();
    }

    /** Printable keys in quotes, others as hexadecimal. */
    private static String key(byte[] bytes) {
        for (byte b : bytes) {
            if (b < ' ' || b > '~') {
                return HEX.formatHex(bytes);
            }
        }
        return '"' + new String(bytes, StandardCharsets.US_ASCII) + '"';
    }

    private static String value(byte[] bytes) {
        return bytes.length <= 64 ? key(bytes) : key(Arrays.copyOf(bytes, 64)) + "… of " + bytes.length + " bytes";
    }

    private static String text(Map.Entry<String, byte[]> property) {
        byte[] value = property.getValue();
        return switch (property.getKey()) {
            case TableProperties.COMPARATOR,
                    TableProperties.COMPRESSION,
                    TableProperties.FILTER_POLICY,
                    TableProperties.PREFIX_FILTERING,
                    TableProperties.WHOLE_KEY_FILTERING -> key(value);
            case TableProperties.INDEX_TYPE, TableProperties.EXTERNAL_VERSION, TableProperties.GLOBAL_SEQNO ->
                "fixed " + HEX.formatHex(value);
            default ->
                value.length > 0 && value.length <= Varint.MAX_LONG_BYTES && Varint.end(value, 0) == value.length
                        ? Long.toString(Varint.int64(value, 0))
                        : key(value);
        };
    }
}
