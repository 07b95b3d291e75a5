// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.instanceOf;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThanOrEqualTo;
import static org.hamcrest.Matchers.notNullValue;
import static org.hamcrest.Matchers.nullValue;
import static org.hamcrest.Matchers.sameInstance;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.ufs.Unavailable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlockCacheTest {
    private static final int ENTRIES = 20_000;

    private final List<TableEntry> entries = entries();
    private final MemoryTable built = MemoryTable.of(new TableOptions(4096, Compression.NONE, 10), entries);
    private final RecordingSource source = new RecordingSource(built.bytes());
    private final BlockCache cache = new BlockCache(64 << 20, 64 << 20);
    private final Table table = new Table("recorded", source, built.info(), cache);

    private static List<TableEntry> entries() {
        List<TableEntry> entries = new ArrayList<>();
        for (int i = 0; i < ENTRIES; i++) {
            byte[] key = {(byte) (i >> 16), (byte) (i >> 8), (byte) i};
            entries.add(new TableEntry(key, EntryKind.PUT, new byte[100]));
        }
        return entries;
    }

    private byte[] key(int i) {
        return entries.get(i).key();
    }

    private void answerAll() {
        while (source.unanswered() > 0) {
            source.answerNext();
        }
    }

    @Test
    void tailTakesTheMemoryOfBlocksAndBothStayWithinTheirSum() {
        long bound = 64 << 10;
        BlockCache small = new BlockCache(bound, 1);
        Table read = new Table("small", source, built.info(), small);
        for (int i = 0; i < ENTRIES; i += 50) {
            CompletableFuture<TableEntry> get = read.get(key(i));
            answerAll();
            assertThat(get.join(), notNullValue());
            assertThat(read.mayContainIfResident(key(i)), is(true));
        }

        assertThat(small.stats().tailMisses(), is(1L));
        assertThat(small.stats().dataBytes() + small.stats().tailBytes(), lessThanOrEqualTo(bound + 1));
    }

    @Test
    void blockJustReadIsThereForTheNextReadHoweverSmallTheCache() {
        BlockCache small = new BlockCache(64 << 10, 1 << 20);
        Table read = new Table("small", source, built.info(), small);
        for (int i = 0; i < ENTRIES; i += 50) {
            CompletableFuture<TableEntry> get = read.get(key(i));
            answerAll();
            assertThat(get.join(), notNullValue());
            assertThat("key " + i, read.getIfResident(key(i)), notNullValue());
        }
    }

    @Test
    void firstGetTakesTailAndBlockAndTheNextNothing() {
        CompletableFuture<TableEntry> first = table.get(key(7));
        assertThat(source.reads().size(), is(1));
        assertThat(source.reads().get(0).offset(), is(built.info().tailOffset()));
        assertThat(table.getIfResident(key(7)), nullValue());
        source.answerNext();
        assertThat(source.reads().size(), is(2));
        assertThat(first.isDone(), is(false));
        source.answerNext();
        assertThat(first.join(), equalTo(entries.get(7)));

        assertThat(table.get(key(8)).isDone(), is(true));
        assertThat(table.getIfResident(key(8)), equalTo(new Lookup(entries.get(8))));
        assertThat(source.reads().size(), is(2));
        BlockCache.Stats stats = cache.stats();
        assertThat(stats.misses(), is(1L));
        assertThat(stats.hits(), is(2L));
        assertThat(stats.tailMisses(), is(1L));
    }

    @Test
    void absentKeyNeedsNoBlockWhenTheFilterKnows() {
        CompletableFuture<TableEntry> absent = table.get(new byte[] {0, 0, 0, 99});
        source.answerNext();
        assertThat(absent.join(), nullValue());
        assertThat(table.getIfResident(new byte[] {0, 0, 0, 99}), sameInstance(Lookup.ABSENT));
        assertThat(source.reads().size(), is(1));
    }

    @Test
    void concurrentReadsOfOneBlockAreOneRequest() {
        CompletableFuture<TableEntry> a = table.get(key(1));
        CompletableFuture<TableEntry> b = table.get(key(2));
        CompletableFuture<Boolean> c = table.mayContain(key(3));
        assertThat("tail", source.reads().size(), is(1));
        source.answerNext();
        assertThat("tail and block", source.reads().size(), is(2));
        CompletableFuture<TableBlock> d = table.cursor(key(0), null, true).nextBlock();
        assertThat("the cursor waits for the same block", source.reads().size(), is(2));
        source.answerNext();
        assertThat(a.join(), equalTo(entries.get(1)));
        assertThat(b.join(), equalTo(entries.get(2)));
        assertThat(c.join(), is(true));
        assertThat(d.join(), notNullValue());
    }

    @Test
    void gettersWaitForWhatCursorReads() {
        TableCursor cursor = table.cursor(new byte[0], null, true);
        CompletableFuture<TableBlock> first = cursor.nextBlock();
        source.answerNext();
        CompletableFuture<TableEntry> got = table.get(key(0));
        assertThat(source.reads().size(), is(2));
        source.answerNext();
        assertThat(got.join(), equalTo(entries.get(0)));
        assertThat(first.join(), notNullValue());
    }

    @Test
    void failedReadIsNotKept() {
        CompletableFuture<TableEntry> first = table.get(key(1));
        source.failNext(new Unavailable("store is away"));
        assertThat(cause(first), instanceOf(Unavailable.class));
        CompletableFuture<TableEntry> second = table.get(key(1));
        source.answerNext();
        source.failNext(new Unavailable("store is away again"));
        assertThat(cause(second), instanceOf(Unavailable.class));
        CompletableFuture<TableEntry> third = table.get(key(1));
        source.answerNext();
        assertThat(third.join(), equalTo(entries.get(1)));
    }

    @Test
    void failedCursorReadFailsWaitersAndIsNotKept() {
        CompletableFuture<TableBlock> block =
                table.cursor(new byte[0], null, true).nextBlock();
        source.answerNext();
        CompletableFuture<TableEntry> got = table.get(key(0));
        source.failNext(new Unavailable("store is away"));
        assertThat(cause(block), instanceOf(Unavailable.class));
        assertThat(cause(got), instanceOf(Unavailable.class));
        CompletableFuture<TableEntry> again = table.get(key(0));
        source.answerNext();
        assertThat(again.join(), equalTo(entries.get(0)));
    }

    private static Throwable cause(CompletableFuture<?> future) {
        return assertThrows(CompletionException.class, future::join).getCause();
    }

    @Test
    void cursorForCompactionLeavesNoTraceAndReadsInLargeParts() {
        TableCursor cursor = table.cursor(new byte[0], null, false);
        assertThat(walk(cursor), equalTo(entries));
        assertThat(cache.stats().dataBytes(), is(0L));
        long dataReads = source.reads().size() - 1;
        assertThat(dataReads, lessThanOrEqualTo(built.info().tailOffset() / (900 << 10) + 1));
    }

    @Test
    void cursorReadsFartherAheadTheFartherItGoes() {
        assertThat(walk(table.cursor(new byte[0], null, true)), equalTo(entries));
        List<RecordingSource.Read> data =
                source.reads().subList(1, source.reads().size());
        assertThat("first is one block", data.get(0).length(), lessThanOrEqualTo(4096 + 5));
        assertThat(data.get(1).length(), greaterThan(4096 * 2));
        long offset = 0;
        int longest = 0;
        for (RecordingSource.Read read : data) {
            assertThat(read.offset(), is(offset));
            offset += read.length();
            longest = Math.max(longest, read.length());
        }
        assertThat(offset, is(built.info().tailOffset()));
        assertThat(longest, lessThanOrEqualTo(1 << 20));
        assertThat(data.size(), lessThanOrEqualTo(10));
        int before = source.reads().size();
        assertThat(MemoryTable.entries(table), equalTo(entries));
        assertThat("all is cached", source.reads().size(), is(before));
    }

    @Test
    void cursorOfShortRangeReadsNoFarther() {
        assertThat(walk(table.cursor(key(100), key(120), false)), equalTo(entries.subList(100, 120)));
        long bytes = 0;
        for (RecordingSource.Read read :
                source.reads().subList(1, source.reads().size())) {
            bytes += read.length();
        }
        assertThat(bytes, lessThanOrEqualTo(2 * (4096L + 5)));
    }

    /** Answers each read only when the cursor waits for it. */
    private List<TableEntry> walk(TableCursor cursor) {
        List<TableEntry> seen = new ArrayList<>();
        while (true) {
            CompletableFuture<TableBlock> next = cursor.nextBlock();
            while (!next.isDone()) {
                source.answerNext();
            }
            TableBlock block = next.join();
            if (block == null) {
                answerAll();
                return seen;
            }
            seen.addAll(block.remaining());
        }
    }

    @Test
    void boundsHoldAndEvictedTailIsReadAgain() {
        BlockCache small = new BlockCache(20_000, 64 << 20);
        Table over = new Table("small", MemoryTable.source(built.bytes()), built.info(), small);
        assertThat(MemoryTable.entries(over), equalTo(entries));
        assertThat(small.stats().dataBytes(), lessThanOrEqualTo(20_000L));
        assertThat(small.stats().tailMisses(), is(1L));
        small.resize(20_000, 0);
        assertThat(small.stats().tailBytes(), is(0L));
        assertThat(over.getIfResident(key(5)), nullValue());
        assertThat(over.get(key(5)).join(), equalTo(entries.get(5)));
        assertThat(small.stats().tailMisses(), is(2L));
    }

    @Test
    void closedCacheIsEmptyAndTablesStayReadable() {
        Table read = new Table("t", MemoryTable.source(built.bytes()), built.info(), cache);
        read.get(key(5)).join();
        cache.close();
        assertThat(cache.stats().dataBytes() + cache.stats().tailBytes(), is(0L));
        assertThat(read.get(key(5)).join(), equalTo(entries.get(5)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sourcesBuffersMayLieAnywhere(boolean direct) {
        RecordingSource elsewhere = direct ? new RecordingSource(built.bytes()).direct() : source;
        Table read = new Table("elsewhere", elsewhere, built.info(), cache);
        CompletableFuture<TableEntry> got = read.get(key(9));
        while (elsewhere.unanswered() > 0) {
            elsewhere.answerNext();
        }
        assertThat(got.join(), equalTo(entries.get(9)));
    }

    @Test
    void closedCursorIsAtItsEnd() {
        TableCursor cursor =
                MemoryTable.of(TableOptions.DEFAULTS, entries).open().cursor(new byte[0], null, true);
        assertThat(cursor.nextBlock().join(), notNullValue());
        cursor.close();
        assertThat(cursor.nextBlock().join(), nullValue());
    }
}
