// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.rocksdb;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.state.KeyRange;
import dev.disagg.state.ManifestHeader;
import dev.disagg.ufs.Corrupt;
import dev.disagg.ufs.Link;
import dev.disagg.ufs.ObjectRange;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.testkit.MemoryUfs;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The stored bytes, drawn in {@code docs/format/manifest.md}: they never change. */
class RocksManifestTest {
    private static final HexFormat HEX = HexFormat.of();
    private static final ObjectRange RANGE = new ObjectRange("job/data/1-p-9", 512, 4096);
    private static final RocksFile TABLE = new RocksFile("000012.sst", RANGE, 0x0badcafe);
    private static final RocksFile MANIFEST = new RocksFile("MANIFEST-000005", RANGE, 0x0badcafe);

    private final MemoryUfs ufs = new MemoryUfs();

    private OwnerRecord record(Link... links) {
        byte[] header = new ManifestHeader(ManifestHeader.Format.ROCKSDB, KeyRange.of(1, 2), new byte[] {7}).encode();
        return ufs.emptyOwner().with(List.of(links), List.of(), header, ufs.createPack());
    }

    @Test
    void linksHaveTheseBytes() {
        assertThat(TABLE.link().name(), is("000012.sst"));
        assertThat(HEX.formatHex(TABLE.link().attributes()), is("010badcafe" + "0000000000000000"));
        assertThat(MANIFEST.link().name(), is("MANIFEST"));
        assertThat(HEX.formatHex(MANIFEST.link().attributes()), is("010badcafe" + "0000000000000005"));
    }

    @Test
    void theHeaderSaysWhoseItIs() {
        assertThat(HEX.formatHex(record().header()), is("02" + "4000" + "8000" + "07"));
    }

    @Test
    void aRecordIsReadBack() {
        RocksManifest manifest = RocksManifest.of("t", record(TABLE.link(), MANIFEST.link()));
        assertThat(manifest.header().range(), is(KeyRange.of(1, 2)));
        assertThat(manifest.files().contains(TABLE), is(true));
        assertThat(manifest.files().contains(MANIFEST), is(true));
        assertThat(manifest.bytes(), is(8192L));
    }

    @Test
    void whatIsNoManifestIsRefused() {
        assertThrows(Corrupt.class, () -> RocksManifest.of("t", record(TABLE.link())));
        for (Link wrong : List.of(
                new Link("../../etc/passwd", RANGE, TABLE.link().attributes()),
                new Link("000012.sst", RANGE, new byte[] {1}),
                new Link("000012.sst", RANGE, HEX.parseHex("020badcafe0000000000000000")))) {
            Corrupt corrupt = assertThrows(Corrupt.class, () -> RocksManifest.of("t", record(wrong, MANIFEST.link())));
            assertThat(corrupt.getMessage(), containsString(wrong.name()));
        }
    }
}
