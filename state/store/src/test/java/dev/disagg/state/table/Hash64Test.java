// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThan;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ChecksumType;
import org.rocksdb.EnvOptions;
import org.rocksdb.Options;
import org.rocksdb.SstFileWriter;

class Hash64Test {
    private static final int LONGEST = 400;

    @TempDir
    Path directory;

    @Test
    void stockFilterHasEveryLengthOfKey() throws Exception {
        SplittableRandom random = new SplittableRandom(7);
        TreeSet<byte[]> keys = new TreeSet<>(Arrays::compareUnsigned);
        for (int length = 0; length <= LONGEST; length++) {
            for (int i = 0; i < 20; i++) {
                keys.add(bytes(random, length));
            }
        }
        for (int length = 1000; length <= 3000; length += 111) {
            keys.add(bytes(random, length));
        }
        Path file = directory.resolve("lengths.sst");
        try (Options options = new Options()
                        .setTableFormatConfig(new BlockBasedTableConfig()
                                .setFormatVersion(5)
                                .setChecksumType(ChecksumType.kCRC32c)
                                .setFilterPolicy(new BloomFilter(10, false)));
                EnvOptions env = new EnvOptions();
                SstFileWriter writer = new SstFileWriter(env, options)) {
            writer.open(file.toString());
            for (byte[] key : keys) {
                writer.put(key, new byte[1]);
            }
            writer.finish();
        }
        byte[] bytes = Files.readAllBytes(file);
        TableInfo info = Table.inspect("lengths", MemoryTable.source(bytes), bytes.length)
                .join();
        Table table = new MemoryTable(bytes, info).open();
        for (byte[] key : keys) {
            assertThat("length " + key.length, table.mayContain(key).join(), is(true));
        }
        int falsePositives = 0;
        for (int i = 0; i < 10_000; i++) {
            falsePositives += table.mayContain(bytes(random, 30)).join() ? 1 : 0;
        }
        // About 1 %: neither a filter that rules out nothing, nor one that is empty.
        assertThat(falsePositives, allOf(greaterThan(10), lessThan(300)));
    }

    @Test
    void hashOfPartOfArrayIsHashOfItsCopy() {
        byte[] bytes = bytes(new SplittableRandom(3), 2 * LONGEST);
        for (int length = 0; length <= LONGEST; length++) {
            byte[] copy = Arrays.copyOfRange(bytes, length, 2 * length);
            assertThat("length " + length, Hash64.of(bytes, length, length), is(Hash64.of(copy)));
        }
    }

    private static byte[] bytes(SplittableRandom random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }
}
