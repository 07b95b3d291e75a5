// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.ufs.LogRecord.Baseline;
import dev.disagg.ufs.LogRecord.Commit;
import dev.disagg.ufs.LogRecord.Epoch;
import dev.disagg.ufs.LogRecord.Expire;
import dev.disagg.ufs.LogRecord.Live;
import dev.disagg.ufs.LogRecord.Pinned;
import dev.disagg.ufs.LogRecord.Unpinned;
import dev.disagg.ufs.LogState.Pin;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The stored bytes, as drawn in docs/format/. A change here breaks every checkpoint that exists. */
class FormatTest {
    private static final long WRITER = 0x1122334455667788L;

    private static Map<String, LogRecord> records() {
        Baseline after = new Baseline(
                2, 9, 10_000, 7, List.of(new Live(5, 8, true), new Live(7, 12, false)), List.of(new Pin("other", 5)));
        TreeMap<String, List<ObjectRange>> owners = new TreeMap<>();
        owners.put(
                "map", List.of(new ObjectRange("job/data/1-p-0", 0, 300), new ObjectRange("job/data/2-p-4", 4096, 60)));
        owners.put("sum", List.of(new ObjectRange("job/data/2-p-4", 4156, 128)));
        Map<String, LogRecord> records = new LinkedHashMap<>();
        records.put("EPOCH", new Epoch(2, 10_000));
        records.put("CHECKPOINT", new Commit(after, new Checkpoint(7, 2, true, owners, new byte[] {(byte) 0xca, 0})));
        records.put("EXPIRE", new Expire(after));
        records.put("PIN", new Pinned(new Pin("other", 5)));
        records.put("UNPIN", new Unpinned(new Pin("other", 5)));
        return records;
    }

    private static final Map<String, String> GOLDEN = Map.of(
            "EPOCH",
            "44554c47010188776655443322110c02904e4c068485",
            "CHECKPOINT",
            "44554c47010288776655443322110c0209904e0702050801070c0001056f7468657205070102ca00"
                    + "02000e6a6f622f646174612f312d702d300905322d702d3402036d6170020000ac020180203c0373"
                    + "756d0101bc20800125b82052",
            "EXPIRE",
            "44554c47010388776655443322110c0209904e0702050801070c0001056f74686572054dcf7b77",
            "PIN",
            "44554c47010488776655443322110c056f74686572051fd4c62f",
            "UNPIN",
            "44554c47010588776655443322110c056f746865720540082270");

    @Test
    void logRecordsHaveTheirGoldenBytes() {
        records()
                .forEach((kind, record) -> assertThat(
                        kind, HexFormat.of().formatHex(LogFormat.encode(record, WRITER, 12)), is(GOLDEN.get(kind))));
    }

    @Test
    void logRecordsAreReadBackFromTheirGoldenBytes() {
        records().forEach((kind, record) -> {
            ByteBuffer bytes = ByteBuffer.wrap(HexFormat.of().parseHex(GOLDEN.get(kind)));
            assertThat(kind, text(LogFormat.decode(bytes, "o", 12)), equalTo(text(record)));
        });
    }

    private static String text(LogRecord record) {
        return record instanceof Commit commit
                ? commit.after() + " " + commit.checkpoint().owners()
                        + commit.checkpoint().savepoint() + commit.checkpoint().epoch()
                        + HexFormat.of().formatHex(commit.checkpoint().attributes())
                : record.toString();
    }

    @Test
    void everyFlippedBitAndEveryTruncationOfALogRecordIsDetectedAndNamed() {
        records().forEach((kind, record) -> {
            ByteBuffer good = ByteBuffer.wrap(LogFormat.encode(record, WRITER, 12));
            for (byte[] damaged : Damage.all(good)) {
                Corrupt error = assertThrows(
                        Corrupt.class, () -> LogFormat.decode(ByteBuffer.wrap(damaged), "job/log/0012", 12));
                assertThat(error.getMessage(), allOf(containsString("job/log/0012"), containsString("restore")));
            }
        });
    }

    @Test
    void recordUnderAnotherNumberIsCorrupt() {
        byte[] bytes = LogFormat.encode(new Epoch(1, 0), WRITER, 3);
        Corrupt error = assertThrows(Corrupt.class, () -> LogFormat.decode(ByteBuffer.wrap(bytes), "job/log/4", 4));
        assertThat(error.getMessage(), containsString("it is record 3, not 4"));
    }

    @Test
    void newerVersionIsInvalidAndNamesBoth() {
        RecordWriter newer = new RecordWriter("DULG", 2);
        newer.u8(1);
        byte[] bytes = newer.end();
        Invalid error = assertThrows(Invalid.class, () -> LogFormat.decode(ByteBuffer.wrap(bytes), "job/log/1", 1));
        assertThat(error.getMessage(), allOf(containsString("version 2"), containsString("version 1")));
    }

    private static final String BASE =
            "44554f420101ab02000e6a6f622f646174612f312d702d300d01310201610000ac02020102016201" + "80203c000b6c39d8";
    private static final String DELTA =
            "44554f44010b6c39d80101cd01016101000e6a6f622f646174612f312d702d3101016300bc208001" + "0103bb8b6859";

    private static byte[] base() {
        Map<String, Link> links = new TreeMap<>();
        links.put("a", new Link("a", new ObjectRange("job/data/1-p-0", 0, 300), new byte[] {1, 2}));
        links.put("b", new Link("b", new ObjectRange("job/data/1-p-1", 4096, 60), new byte[0]));
        return OwnerFormat.base(links, new byte[] {(byte) 0xab});
    }

    private static byte[] delta() {
        Link link = new Link("c", new ObjectRange("job/data/1-p-1", 4156, 128), new byte[] {3});
        return OwnerFormat.delta(
                new OwnerFormat.Change(List.of(link), List.of("a"), new byte[] {(byte) 0xcd}), OwnerFormat.crc(base()));
    }

    @Test
    void ownerRecordsHaveTheirGoldenBytes() {
        assertThat(HexFormat.of().formatHex(base()), is(BASE));
        assertThat(HexFormat.of().formatHex(delta()), is(DELTA));
    }

    @Test
    void ownerRecordsAreReadBackFromTheirGoldenBytes() {
        List<ObjectRange> ranges = List.of(new ObjectRange("o", 0, 1), new ObjectRange("o", 1, 1));
        OwnerFormat.Content content = OwnerFormat.read(
                ranges,
                List.of(
                        ByteBuffer.wrap(HexFormat.of().parseHex(BASE)),
                        ByteBuffer.wrap(HexFormat.of().parseHex(DELTA))));
        assertThat(content.header(), is(new byte[] {(byte) 0xcd}));
        assertThat(content.links().keySet(), equalTo(Set.of("b", "c")));
        assertThat(content.links().get("c").range(), is(new ObjectRange("job/data/1-p-1", 4156, 128)));
        assertThat(content.links().get("c").attributes(), is(new byte[] {3}));
    }
}
