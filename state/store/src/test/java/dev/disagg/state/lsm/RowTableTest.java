// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;
import static org.hamcrest.Matchers.sameInstance;

import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class RowTableTest {
    private static final int PREFIX_BYTES = 21;

    private final RowTable table = new RowTable();

    @Test
    void rowsAreFoundByTheirPrefixAndComeInItsOrder() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        Map<byte[], SlotMap> model = new TreeMap<>(Arrays::compareUnsigned);
        for (int i = 0; i < 2000; i++) {
            // Few values of few bytes: most begin alike, many come again.
            byte[] prefix = new byte[PREFIX_BYTES];
            prefix[0] = (byte) random.nextInt();
            prefix[12] = (byte) random.nextInt(4);
            prefix[PREFIX_BYTES - 1] = (byte) random.nextInt();
            byte[] key = Arrays.copyOf(prefix, PREFIX_BYTES + random.nextInt(6));
            SlotMap found = table.find(key, PREFIX_BYTES);
            assertThat("seed " + seed, found, is(sameInstance(model.get(prefix))));
            if (found == null) {
                model.put(prefix, table.add(key, PREFIX_BYTES));
            }
        }
        assertThat(
                "seed " + seed,
                Arrays.asList(table.sorted(row -> true)),
                contains(model.values().toArray()));
    }

    @Test
    void rowThatBeginsLikeAnotherIsAnother() {
        byte[] longer = new byte[PREFIX_BYTES + 1];
        SlotMap row = table.add(longer, PREFIX_BYTES + 1);
        assertThat(table.find(longer, PREFIX_BYTES), is(nullValue()));
        assertThat(table.find(longer, PREFIX_BYTES + 1), is(sameInstance(row)));
    }
}
