// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import static dev.disagg.state.cell.Fixture.bytes;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThan;
import static org.hamcrest.Matchers.not;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The bytes drawn in docs/format/key-layout.md. */
class KeyLayoutTest {
    private final Fixture task = new Fixture();

    private List<String> stored(Family family) {
        task.state.freeze(1, new byte[0]);
        return task.store.map(family).entrySet().stream()
                .map(entry -> hex(entry.getKey()) + " = " + hex(entry.getValue()))
                .collect(Collectors.toList());
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    @Test
    void hashIsXxHash64WithSeedZero() {
        assertThat(Long.toHexString(KeyHash.of(new byte[0])), is("ef46db3751d8e999"));
        assertThat(Long.toHexString(KeyHash.of(bytes("abc"))), is("44bc2cf5ad770999"));
    }

    @Test
    void scalarCellsOfARow() {
        Row row = task.key("abc").row(0x1122, bytes("WIN"));
        task.resident(row);
        row.value(0x01020304, TestCodecs.LONG).write(7L);
        row.bag(0x01020305, new TestCodecs.Strings()).add("x");
        row.bag(0x01020305, new TestCodecs.Strings()).add("yz");
        row.accumulator(0x01020306, TestCodecs.LONG, Long::sum, () -> 0L).add(9L);
        row.hold(0x01020307).write(5);
        String prefix = "44bc2cf5ad770999" + "0003" + "616263" + "8000000000001122" + "0003" + "57494e";
        assertThat(
                stored(Family.ROWS),
                contains(
                        prefix + "00" + "01020304" + " = 0000000000000007",
                        prefix + "00" + "01020305" + " = 0178" + "02797a",
                        prefix + "00" + "01020306" + " = 08" + "0000000000000009",
                        prefix + "00" + "01020307" + "01" + " = 0000000000000005"));
        assertThat(
                stored(Family.HOLDS),
                contains("8000000000000005" + "44bc2cf5ad770999" + "00" + "0003" + "616263" + "8000000000001122"
                        + "0003" + "57494e" + "01020307" + " = "));
    }

    @Test
    void collectionOfARow() {
        CollectionCell map = task.resident(task.key("abc").row(-1, new byte[0]).collection(0x01020304));
        map.put(bytes("s"), bytes("v"));
        String prefix = "44bc2cf5ad770999" + "0003" + "616263" + "7fffffffffffffff" + "0000";
        assertThat(
                stored(Family.ROWS),
                contains(
                        prefix + "00" + "01020304" + "02" + " = 09" + "01" + "0000000000000001",
                        prefix + "01" + "01020304" + "0000000000000001" + "73" + " = 76"));
        task.state.evictAll();
        task.key("abc").row(-1, new byte[0]).collection(0x01020304).put(bytes("t"), bytes("w"));
        task.key("abc").row(-1, new byte[0]).collection(0x01020304).delete(bytes("s"));
        assertThat(
                stored(Family.ROWS).get(0),
                is(prefix + "00" + "01020304" + "02" + " = 09" + "01" + "0000000000000001" + "07" + "02" + "00000001"
                        + "74" + "77" + "06" + "03" + "00000001" + "73"));
    }

    @Test
    void timersOfAKey() {
        KeyTimers timers = task.timers("abc");
        timers.set(new Timer(bytes("T"), TimerDomain.EVENT, 16, 15, bytes("p")));
        timers.set(new Timer(bytes("U"), TimerDomain.PROCESSING, 17, 14, new byte[0]));
        String row = "44bc2cf5ad770999" + "0003" + "616263" + "ffffffffffffffff" + "0000" + "00" + "ffffffff";
        assertThat(
                stored(Family.ROWS),
                contains(
                        row + "00" + "54" + " = " + "0000000000000010" + "000000000000000f" + "70",
                        row + "01" + "55" + " = " + "0000000000000011" + "000000000000000e"));
        assertThat(stored(Family.EVENT_TIMERS), contains("8000000000000010" + "44bc2cf5ad770999" + "616263" + " = "));
        assertThat(
                stored(Family.PROCESSING_TIMERS), contains("8000000000000011" + "44bc2cf5ad770999" + "616263" + " = "));
        assertThat(
                stored(Family.HOLDS),
                contains(
                        "800000000000000e" + "44bc2cf5ad770999" + "02" + "616263" + " = ",
                        "800000000000000f" + "44bc2cf5ad770999" + "01" + "616263" + " = "));
    }

    @Test
    void inboxAndSources() {
        task.state.inbox().append(0x0102, bytes("e"));
        task.state.inbox().append(0x0102, bytes("f"));
        task.state.sources().put(bytes("split"), bytes("position"));
        assertThat(
                stored(Family.INBOX),
                contains("0102" + "0000000000000000" + " = 65", "0102" + "0000000000000001" + " = 66"));
        assertThat(stored(Family.SOURCES), contains("73706c6974" + " = " + "706f736974696f6e"));
    }

    @Test
    void longKeyIsStoredAsItsDigest() {
        byte[] atLimit = new byte[1024];
        assertThat(KeyLayout.keyField(atLimit) == atLimit, is(true));
        byte[] field = KeyLayout.keyField(new byte[1025]);
        assertThat(field.length, is(33));
        assertThat(hex(field), is("ff" + "c55b90509b8cb9bac53fbdddfc93d4e572685c509f1218423c43a5d6013bbd48"));
        assertThat("a key that looks like a digest is digested too", KeyLayout.keyField(field), not(equalTo(field)));
    }

    @Test
    void rowPrefixIsWhatTheStoreTakesItFor() {
        for (int keyBytes : new int[] {0, 1, 33, 255, 256, 1024, 5000}) {
            for (int windowBytes : new int[] {0, 8, 300, 65_535}) {
                byte[] key = new byte[keyBytes];
                Arrays.fill(key, (byte) 0xFF);
                byte[] field = KeyLayout.keyField(key);
                byte[] window = new byte[windowBytes];
                byte[] stored = KeyLayout.row(1, field, 2, window, 5);
                assertThat(ByteStore.rowPrefixLength(stored), is(stored.length - 5));
                assertThat(ByteStore.rowPrefixLength(stored), is(KeyLayout.rowPrefixBytes(field, window)));
            }
        }
    }

    @Test
    void timesSortAsTheyCome() {
        long[] times = {Long.MIN_VALUE, -1, 0, 1, Long.MAX_VALUE};
        for (int i = 1; i < times.length; i++) {
            byte[] before = KeyLayout.timerIndex(times[i - 1], -1, bytes("z"));
            byte[] after = KeyLayout.timerIndex(times[i], 0, bytes("a"));
            assertThat(Arrays.compareUnsigned(before, after), lessThan(0));
            assertThat(KeyLayout.timeOf(after), is(times[i]));
        }
    }
}
