// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.state.table.TableInfo;
import dev.disagg.ufs.Corrupt;
import dev.disagg.ufs.Link;
import dev.disagg.ufs.ObjectRange;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.Pack;
import dev.disagg.ufs.testkit.MemoryUfs;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The stored bytes of manifests, drawn in {@code docs/format/manifest.md}: they never change. */
class ManifestTest {
    private static final HexFormat HEX = HexFormat.of();
    private static final TableInfo INFO =
            new TableInfo(4096, 4000, 0x01020304, Keys.bytes("aa"), Keys.bytes("zz"), 100, 7, 3);
    private static final ManifestTable TABLE = new ManifestTable(
            71,
            Family.HOLDS,
            1,
            258,
            KeyRange.of(1, 2),
            KeyRange.ALL,
            new ObjectRange("job/data/1-p-9", 512, 4096),
            INFO);

    private static OwnerRecord record(byte[] header, Link... links) {
        Pack pack = new MemoryUfs().createPack();
        return new MemoryUfs().emptyOwner().with(List.of(links), List.of(), header, pack);
    }

    @Test
    void linkHasItsGoldenBytes() {
        Link link = TABLE.link();
        assertThat(link.name(), is("1z"));
        assertThat(link.range(), is(TABLE.range()));
        assertThat(
                HEX.formatHex(link.attributes()),
                is("01" + "03" + "01" + "0000000000000102" + "4000" + "8000" + "0000" + "8000"
                        + HEX.formatHex(INFO.encode())));
    }

    @Test
    void headerHasItsGoldenBytes() {
        assertThat(
                HEX.formatHex(Manifest.header(KeyRange.of(1, 2), Keys.bytes("abc"))),
                is("01" + "4000" + "8000" + "616263"));
    }

    @Test
    void whatIsReadIsWhatWasWritten() {
        Manifest manifest =
                Manifest.of("t", record(Manifest.header(KeyRange.of(1, 2), Keys.bytes("abc")), TABLE.link()));
        assertThat(manifest.range(), is(KeyRange.of(1, 2)));
        assertThat(Keys.text(manifest.callerHeader()), is("abc"));
        assertThat(
                HEX.formatHex(manifest.tables().get(0).link().attributes()),
                is(HEX.formatHex(TABLE.link().attributes())));
        assertThat(manifest.tables().get(0).text(), is(TABLE.text()));
    }

    @Test
    void textShowsTheNewestFirst() {
        ManifestTable newer = new ManifestTable(
                72,
                Family.HOLDS,
                0,
                300,
                KeyRange.ALL,
                KeyRange.ALL,
                new ObjectRange("job/data/1-p-12", 0, 4096),
                INFO);
        ManifestTable newest = newer.numbered(73, 301);
        Manifest manifest = Manifest.of(
                "t",
                record(Manifest.header(KeyRange.ALL, Keys.bytes("abc")), TABLE.link(), newest.link(), newer.link()));
        assertThat(manifest.text(), is("""
                        groups [0, 32768) header 3 bytes
                        21 HOLDS level 0 run 301 groups [0, 32768) of [0, 32768) entries 100 (7 deletes, 3 merges) bytes 4096 at job/data/1-p-12+0
                        20 HOLDS level 0 run 300 groups [0, 32768) of [0, 32768) entries 100 (7 deletes, 3 merges) bytes 4096 at job/data/1-p-12+0
                        1z HOLDS level 1 run 258 groups [16384, 32768) of [0, 32768) entries 100 (7 deletes, 3 merges) bytes 4096 at job/data/1-p-9+512
                        """));
    }

    @Test
    void damagedOrUnknownBytesAreNamed() {
        byte[] unknown = TABLE.link().attributes();
        unknown[0] = 9;
        byte[] family = TABLE.link().attributes();
        family[1] = 99;
        byte[] range = TABLE.link().attributes();
        range[11] = (byte) 0xff;
        byte[] cut = java.util.Arrays.copyOf(TABLE.link().attributes(), 12);
        byte[] info = java.util.Arrays.copyOf(TABLE.link().attributes(), 24);
        for (byte[] attributes : List.of(unknown, family, range, cut, info)) {
            Link link = new Link("1z", TABLE.range(), attributes);
            Corrupt thrown = assertThrows(
                    Corrupt.class,
                    () -> Manifest.of("stage-1/task-0", record(Manifest.header(KeyRange.ALL, new byte[0]), link)));
            assertThat(thrown.getMessage(), containsString("stage-1/task-0"));
            assertThat(thrown.getMessage(), containsString("'1z' in job/data/1-p-9"));
            assertThat(thrown.getMessage(), containsString("restore from another checkpoint"));
        }
        assertThrows(Corrupt.class, () -> Manifest.of("t", record(new byte[] {9, 0, 0, 0, 1})));
        assertThrows(Corrupt.class, () -> Manifest.of("t", record(new byte[] {1, 0})));
    }
}
