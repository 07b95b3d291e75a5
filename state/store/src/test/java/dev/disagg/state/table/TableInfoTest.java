// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.ufs.Corrupt;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TableInfoTest {
    private static final TableInfo INFO =
            new TableInfo(1096, 46, 0x89abcdef, new byte[] {'a'}, new byte[] {'b', (byte) 0xff}, 300, 1, 2);

    @Test
    void storedFormIsDrawnInTheDocument() {
        assertThat(HexFormat.of().formatHex(INFO.encode()), is("01c8082eefcdab89016102" + "62ffac020102"));
        assertThat(FormatDocument.block("table information"), is("01 c808 2e efcdab89 0161 0262ff ac02 01 02\n"));
    }

    @Test
    void decodedIsWhatWasEncoded() {
        assertThat(TableInfo.decode(INFO.encode()), equalTo(INFO));
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 1000; i++) {
            byte[] smallest = new byte[random.nextInt(300)];
            byte[] largest = new byte[smallest.length + random.nextInt(300)];
            long entries = random.nextLong(1, Long.MAX_VALUE >>> random.nextInt(60));
            long bytes = random.nextLong(Long.MAX_VALUE);
            TableInfo info = new TableInfo(
                    bytes,
                    random.nextLong(bytes),
                    random.nextInt(),
                    smallest,
                    largest,
                    entries,
                    random.nextLong(entries),
                    0);
            assertThat(TableInfo.decode(info.encode()), equalTo(info));
        }
    }

    @Test
    void cutOrLongerFormIsCorrupt() {
        byte[] encoded = INFO.encode();
        for (int length = 0; length < encoded.length; length++) {
            byte[] cut = Arrays.copyOf(encoded, length);
            assertThrows(Corrupt.class, () -> TableInfo.decode(cut), "length " + length);
        }
        assertThrows(Corrupt.class, () -> TableInfo.decode(Arrays.copyOf(encoded, encoded.length + 1)));
        encoded[0] = 2;
        assertThrows(Corrupt.class, () -> TableInfo.decode(encoded));
    }
}
