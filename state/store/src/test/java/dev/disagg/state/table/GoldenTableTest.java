// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bytes of one small table, drawn in the format's document, never change. */
class GoldenTableTest {
    private static MemoryTable tiny() {
        MemoryTable.Sink sink = new MemoryTable.Sink();
        TableBuilder builder = new TableBuilder(new TableOptions(64, Compression.NONE, 10), sink);
        builder.addFilterEntry(utf8("ro"));
        builder.add(utf8("row1"), EntryKind.PUT, utf8("one"));
        builder.add(utf8("row10"), EntryKind.DELETE, new byte[0]);
        builder.add(utf8("row2"), EntryKind.MERGE, utf8("two"));
        TableInfo info = builder.finish();
        return new MemoryTable(sink.bytes(), info);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void bytesOfTinyTableAreAsDrawn() {
        assertThat(hexLines(tiny().bytes()), is(FormatDocument.block("tiny table, bytes")));
    }

    @Test
    void textOfTinyTableIsAsDrawn() {
        assertThat(TableDump.of("tiny", tiny().bytes()), is(FormatDocument.block("tiny table, entries")));
    }

    private static String hexLines(byte[] bytes) {
        StringBuilder out = new StringBuilder();
        for (int at = 0; at < bytes.length; at += 32) {
            out.append(String.format("%04d  ", at));
            out.append(HexFormat.ofDelimiter(" ").formatHex(bytes, at, Math.min(bytes.length, at + 32)));
            out.append('\n');
        }
        return out.toString();
    }

    @Test
    void dumpShowsBlocksOfSeveral() {
        List<TableEntry> entries = RandomEntries.of(9, 50);
        String dump = TableDump.of(
                "many",
                MemoryTable.of(new TableOptions(128, Compression.LZ4, 0), entries)
                        .bytes());
        long lines = dump.lines()
                .filter(line -> line.matches("  (PUT|DELETE|MERGE) .*"))
                .count();
        assertThat(lines, is((long) entries.size()));
    }
}
