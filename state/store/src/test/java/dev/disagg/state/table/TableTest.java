// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.instanceOf;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThan;
import static org.hamcrest.Matchers.lessThanOrEqualTo;
import static org.hamcrest.Matchers.nullValue;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.ufs.Corrupt;
import dev.disagg.ufs.Invalid;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is built is what is read, whatever the keys, sizes and options. */
class TableTest {
    private static TableOptions options(SplittableRandom random) {
        return new TableOptions(
                64 << random.nextInt(10), Compression.values()[random.nextInt(3)], random.nextInt(6) == 0 ? 0 : 10);
    }

    private static TreeMap<byte[], TableEntry> map(List<TableEntry> entries) {
        TreeMap<byte[], TableEntry> map = new TreeMap<>(Arrays::compareUnsigned);
        entries.forEach(entry -> map.put(entry.key(), entry));
        return map;
    }

    @ParameterizedTest
    @ValueSource(
            longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26})
    void answersAreThoseOfSortedMap(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<TableEntry> entries = RandomEntries.of(seed, 1 + random.nextInt(3000));
        MemoryTable built = MemoryTable.of(options(random), entries);
        Table table = built.open(new BlockCache(random.nextInt(1 << 20), 64 << 20));
        TreeMap<byte[], TableEntry> model = map(entries);
        table.verify().join();
        assertThat("seed " + seed, MemoryTable.entries(table), equalTo(entries));
        byte[] key = {};
        for (int i = 0; i < 3000; i++) {
            key = random.nextBoolean()
                    ? entries.get(random.nextInt(entries.size())).key()
                    : RandomEntries.key(random, random.nextInt(4), key);
            TableEntry expected = model.get(key);
            assertThat("seed " + seed, table.get(key).join(), equalTo(expected));
            Lookup resident = table.getIfResident(key);
            if (resident != null) {
                assertThat("seed " + seed, resident.entry(), equalTo(expected));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void cursorShowsExactlyTheRange(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<TableEntry> entries = RandomEntries.of(seed, 1 + random.nextInt(2000));
        Table table = MemoryTable.of(options(random), entries).open(new BlockCache(random.nextInt(1 << 18), 64 << 20));
        TreeMap<byte[], TableEntry> model = map(entries);
        byte[] from = {};
        for (int i = 0; i < 200; i++) {
            from = random.nextBoolean()
                    ? entries.get(random.nextInt(entries.size())).key()
                    : RandomEntries.key(random, random.nextInt(4), from);
            byte[] to = random.nextInt(5) == 0 ? null : RandomEntries.key(random, random.nextInt(4), from);
            List<TableEntry> expected = to == null
                    ? List.copyOf(model.tailMap(from, true).values())
                    : Arrays.compareUnsigned(from, to) >= 0
                            ? List.of()
                            : List.copyOf(model.subMap(from, true, to, false).values());
            assertThat(
                    "seed " + seed,
                    MemoryTable.entries(table.cursor(from, to, random.nextBoolean())),
                    equalTo(expected));
        }
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void sameEntriesGiveSameBytes(Compression compression) {
        List<TableEntry> entries = RandomEntries.of(11, 5000);
        TableOptions options = new TableOptions(4096, compression, 10);
        MemoryTable first = MemoryTable.of(options, entries);
        MemoryTable second = MemoryTable.of(options, entries);
        assertThat(first.bytes(), equalTo(second.bytes()));
        assertThat(first.info(), equalTo(second.info()));
    }

    @ParameterizedTest
    @ValueSource(ints = {20, 300, 1000, 3000})
    void smallRowIsInOneBlockAndALargeOneInAsFewAsItsBytesTake(int valueBytes) {
        int blockBytes = 4096;
        int cells = 3;
        MemoryTable.Sink sink = new MemoryTable.Sink();
        TableBuilder builder = new TableBuilder(new TableOptions(blockBytes, Compression.NONE, 10), sink);
        for (int row = 0; row < 500; row++) {
            for (int cell = 0; cell < cells; cell++) {
                byte[] key = {1, (byte) (row >> 8), (byte) row, (byte) cell};
                builder.beginRow(key, 0, 3);
                builder.add(key, EntryKind.PUT, new byte[valueBytes]);
            }
        }
        TableInfo info = builder.finish();
        RecordingSource source = new RecordingSource(sink.bytes());
        Table table = new Table("rows", source, info, new BlockCache(0, 1 << 20));
        CompletableFuture<Void> verified = table.verify();
        while (source.unanswered() > 0) {
            source.answerNext();
        }
        verified.join();
        table.mayContain(new byte[] {0});
        source.answerNext();

        for (int row = 0; row < 500; row++) {
            byte[] prefix = {1, (byte) (row >> 8), (byte) row};
            byte[] first = {1, (byte) (row >> 8), (byte) row, 0};
            byte[] end = {1, (byte) (row + 1 >> 8), (byte) (row + 1)};
            TableCursor cursor = Objects.requireNonNull(table.rowCursor(Table.rowHash(prefix), first, end, true));
            int entries = 0;
            int reads = 0;
            boolean ended = false;
            while (!ended) {
                CompletableFuture<TableBlock> next = cursor.nextBlock();
                while (source.unanswered() > 0) {
                    source.answerNext();
                    reads++;
                }
                TableBlock block = next.join();
                ended = block == null;
                while (block != null && block.advance()) {
                    entries++;
                }
            }
            cursor.close();
            assertThat("row " + row, entries, equalTo(cells));
            int least = (cells * valueBytes + blockBytes - 1) / blockBytes;
            assertThat("row " + row, reads, lessThanOrEqualTo(cells * valueBytes <= blockBytes / 4 ? 1 : least + 1));
        }
    }

    @Test
    void builderReusedBuffersDoNotShowInTheBytes() {
        // A large block before small ones, whose buffers are then longer than what is in them.
        List<TableEntry> entries = List.of(
                new TableEntry(new byte[] {1}, EntryKind.PUT, new byte[100_000]),
                new TableEntry(new byte[] {2}, EntryKind.PUT, new byte[] {1, 2, 3}),
                new TableEntry(new byte[] {3}, EntryKind.PUT, new byte[200]));
        for (Compression compression : Compression.values()) {
            Table table = MemoryTable.of(new TableOptions(64, compression, 10), entries)
                    .open();
            table.verify().join();
            assertThat(MemoryTable.entries(table), equalTo(entries));
        }
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void valueOf64MiBAndKeyOf1KiBAreReadBack(Compression compression) {
        byte[] huge = new byte[64 << 20];
        byte[] part = new byte[1 << 16];
        new SplittableRandom(5).nextBytes(part);
        for (int at = 0; at < huge.length; at += 3 * part.length) {
            System.arraycopy(part, 0, huge, at, Math.min(part.length, huge.length - at));
        }
        byte[] longKey = new byte[1024];
        Arrays.fill(longKey, (byte) 7);
        List<TableEntry> entries = List.of(
                new TableEntry(new byte[] {1}, EntryKind.PUT, new byte[] {1}),
                new TableEntry(longKey, EntryKind.PUT, huge),
                new TableEntry(new byte[] {8}, EntryKind.MERGE, new byte[] {2}));
        Table table =
                MemoryTable.of(new TableOptions(4096, compression, 10), entries).open(new BlockCache(0, 1 << 20));
        for (TableEntry entry : entries) {
            assertThat(table.get(entry.key()).join().equals(entry), is(true));
        }
    }

    @Test
    void keysThatContinueInThePreviousTrailerAreFound() {
        // A put's trailer is 01 00 00 …, a delete's 00 00 …: each key here goes on as the one before it is stored.
        for (EntryKind kind : EntryKind.values()) {
            List<TableEntry> entries = new ArrayList<>();
            byte[] key = {'a'};
            for (int i = 0; i < 40; i++) {
                byte[] value = kind == EntryKind.DELETE ? new byte[0] : new byte[] {(byte) i};
                entries.add(new TableEntry(key, kind, value));
                key = Arrays.copyOf(key, key.length + 1);
                key[key.length - 1] = (byte) (i % 3 == 0 ? kind.code() : 0);
            }
            Table table = MemoryTable.of(TableOptions.DEFAULTS, entries).open();
            assertThat(MemoryTable.entries(table), equalTo(entries));
            for (TableEntry entry : entries) {
                assertThat(table.get(entry.key()).join(), equalTo(entry));
                byte[] absent = Arrays.copyOf(entry.key(), entry.key().length + 1);
                absent[absent.length - 1] = 9;
                assertThat(table.get(absent).join(), nullValue());
            }
        }
    }

    @Test
    void filterEntriesAnswerMayContain() {
        MemoryTable.Sink sink = new MemoryTable.Sink();
        TableBuilder builder = new TableBuilder(TableOptions.DEFAULTS, sink);
        for (int row = 0; row < 1000; row++) {
            byte[] key = {(byte) (row >> 8), (byte) row, 0, 9};
            for (byte cell = 0; cell < 3; cell++) {
                key[3] = cell;
                builder.addFilterEntry(key, 0, 2);
                builder.add(key, EntryKind.PUT, new byte[0]);
            }
        }
        TableInfo info = builder.finish();
        Table table = new MemoryTable(sink.bytes(), info).open();
        int absentRows = 0;
        for (int row = 0; row < 2000; row++) {
            byte[] prefix = {(byte) (row >> 8), (byte) row};
            boolean maybe = table.mayContain(prefix).join();
            if (row < 1000) {
                assertThat("row " + row, maybe, is(true));
            } else if (!maybe) {
                absentRows++;
            }
            assertThat(table.mayContainIfResident(prefix), is(maybe));
            assertThat("a prefix is no key", table.get(prefix).join(), nullValue());
        }
        assertThat(absentRows, greaterThan(950));
        // 3000 keys and 1000 rows, 10 bits each.
        assertThat(table.info().bytes() - table.info().tailOffset(), lessThan(4000L * 10 / 8 + 2500));
    }

    @Test
    void tableInfoSaysWhatIsInTheTable() {
        List<TableEntry> entries = List.of(
                new TableEntry(new byte[0], EntryKind.DELETE, new byte[0]),
                new TableEntry(new byte[] {1}, EntryKind.MERGE, new byte[] {1}),
                new TableEntry(new byte[] {1, 0}, EntryKind.DELETE, new byte[0]),
                new TableEntry(new byte[] {(byte) 0x80}, EntryKind.PUT, new byte[] {1}));
        MemoryTable table = MemoryTable.of(TableOptions.DEFAULTS, entries);
        TableInfo info = table.info();
        assertThat(info.bytes(), is((long) table.bytes().length));
        assertThat(info.entries(), is(4L));
        assertThat(info.deletes(), is(2L));
        assertThat(info.merges(), is(1L));
        assertThat(info.smallestKey(), equalTo(new byte[0]));
        assertThat(info.largestKey(), equalTo(new byte[] {(byte) 0x80}));
        assertThat(info.covers(new byte[] {5}), is(true));
        assertThat(info.covers(new byte[] {(byte) 0x80, 0}), is(false));
        assertThat(info.overlaps(new byte[] {(byte) 0x80}, null), is(true));
        assertThat(info.overlaps(new byte[] {(byte) 0x81}, null), is(false));
        assertThat(info.overlaps(new byte[] {0}, new byte[] {0}), is(true));
        assertThat(
                Table.inspect("memory", MemoryTable.source(table.bytes()), table.bytes().length)
                        .join(),
                equalTo(info));
    }

    @Test
    void builderRefusesWhatNoTableHolds() {
        TableBuilder builder = new TableBuilder(TableOptions.DEFAULTS, new MemoryTable.Sink());
        assertThrows(Invalid.class, builder::finish);
        builder.add(new byte[] {1}, EntryKind.PUT, new byte[0]);
        assertThrows(Invalid.class, () -> builder.add(new byte[] {1}, EntryKind.PUT, new byte[0]));
        assertThrows(Invalid.class, () -> builder.add(new byte[0], EntryKind.PUT, new byte[0]));
        assertThrows(Invalid.class, () -> builder.add(new byte[] {2}, EntryKind.DELETE, new byte[1]));
        assertThrows(
                Invalid.class, () -> builder.add(new byte[TableBuilder.MAX_KEY_BYTES + 1], EntryKind.PUT, new byte[0]));
        builder.add(new byte[] {(byte) 0xff}, EntryKind.PUT, new byte[0]);
        builder.finish();
        assertThrows(Invalid.class, builder::finish);
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void anyChangedByteIsNoticed(Compression compression) {
        List<TableEntry> entries = RandomEntries.of(4, 20);
        MemoryTable table = MemoryTable.of(new TableOptions(256, compression, 10), entries);
        for (int at = 0; at < table.bytes().length; at++) {
            byte[] damaged = table.bytes().clone();
            damaged[at] ^= (byte) (1 << at % 8);
            Table read = new MemoryTable(damaged, table.info()).open();
            CompletionException failure =
                    assertThrows(CompletionException.class, () -> read.verify().join(), "byte " + at);
            assertThat(failure.getCause(), instanceOf(Corrupt.class));
            // A reader gets the true answer or the failure.
            TableEntry entry = entries.get(at % entries.size());
            try {
                assertThat("byte " + at, read.get(entry.key()).join(), equalTo(entry));
            } catch (CompletionException e) {
                assertThat("byte " + at, e.getCause(), instanceOf(Corrupt.class));
            }
        }
    }

    @Test
    void truncatedTableIsNoticed() {
        MemoryTable table = MemoryTable.of(new TableOptions(256, Compression.LZ4, 10), RandomEntries.of(4, 20));
        for (int length = 0; length < table.bytes().length; length++) {
            byte[] cut = Arrays.copyOf(table.bytes(), length);
            Table read = new MemoryTable(cut, table.info()).open();
            CompletionException failure =
                    assertThrows(CompletionException.class, () -> read.verify().join(), "length " + length);
            assertThat("length " + length, failure.getCause(), instanceOf(Corrupt.class));
            CompletionException unknown = assertThrows(
                    CompletionException.class,
                    () -> Table.inspect("cut", MemoryTable.source(cut), cut.length)
                            .join());
            assertThat("length " + length, unknown.getCause(), instanceOf(Corrupt.class));
        }
    }

    @Test
    void damageIsNamedByTableAndOffset() {
        MemoryTable table = MemoryTable.of(TableOptions.DEFAULTS, RandomEntries.of(4, 60));
        byte[] damaged = table.bytes().clone();
        damaged[20]++;
        Table read = new MemoryTable(damaged, table.info()).open();
        byte[] key = table.info().smallestKey();
        Throwable failure = assertThrows(
                        CompletionException.class, () -> read.get(key).join())
                .getCause();
        assertThat(
                failure.getMessage(),
                allOf(containsString("table memory"), containsString("offset 0"), containsString("restore")));
        damaged[20]--;
        damaged[(int) table.info().tailOffset() + 7]++;
        Throwable tail = assertThrows(
                        CompletionException.class,
                        () -> new MemoryTable(damaged, table.info())
                                .open()
                                .get(key)
                                .join())
                .getCause();
        assertThat(
                tail.getMessage(),
                containsString("tail at offset " + table.info().tailOffset()));
    }

    @Test
    void verifyNoticesInfoOfAnotherTable() {
        List<TableEntry> entries = RandomEntries.of(4, 60);
        MemoryTable table = MemoryTable.of(TableOptions.DEFAULTS, entries);
        TableInfo info = table.info();
        TableInfo other = new TableInfo(
                info.bytes(),
                info.tailOffset(),
                info.tailCrc32c(),
                info.smallestKey(),
                info.largestKey(),
                info.entries() + 1,
                info.deletes(),
                info.merges());
        CompletionException failure = assertThrows(
                CompletionException.class,
                () -> new MemoryTable(table.bytes(), other).open().verify().join());
        assertThat(failure.getCause(), instanceOf(Corrupt.class));
    }
}
