// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import dev.disagg.ufs.Corrupt;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One reading of a whole table against what it says of itself. Used once. */
final class Verification {
    private final BlockReader reader;
    private final Tail tail;
    private byte @Nullable [] last;
    private long entries;
    private long deletes;
    private long merges;

    Verification(BlockReader reader, Tail tail) {
        this.reader = reader;
        this.tail = tail;
    }

    CompletableFuture<Void> run() {
        return blocks(new BlockCursor(reader, tail.index(), new byte[0], null, ReadMode.IGNORE));
    }

    /** Goes on while blocks are there, and otherwise when the next one is: the stack does not grow with the table. */
    private CompletableFuture<Void> blocks(TableCursor cursor) {
        while (true) {
            CompletableFuture<@Nullable TableBlock> next = cursor.nextBlock();
            if (!next.isDone()) {
                return next.thenCompose(block -> {
                    if (block == null) {
                        return end();
                    }
                    check(block);
                    return blocks(cursor);
                });
            }
            TableBlock block = next.join();
            if (block == null) {
                return end();
            }
            check(block);
        }
    }

    private void check(TableBlock block) {
        Index index = tail.index();
        byte[] above = block.number() == 0 ? null : index.separator(block.number() - 1);
        while (block.advance()) {
            byte[] key = block.key();
            if (last == null && !Arrays.equals(key, reader.info().smallestKey())) {
                throw differs(block, "the first key is not the smallest");
            }
            if (last != null && Arrays.compareUnsigned(last, key) >= 0) {
                throw differs(block, "keys do not ascend");
            }
            if (above != null && Arrays.compareUnsigned(above, key) >= 0) {
                throw differs(block, "a key is not above the index's separator");
            }
            above = null;
            if (!tail.bloom().mayContain(Hash64.of(key))) {
                throw differs(block, "the filter does not have a key");
            }
            entries++;
            switch (block.kind()) {
                case DELETE -> deletes++;
                case MERGE -> merges++;
                case PUT -> {}
            }
            last = key;
        }
        if (last != null && Arrays.compareUnsigned(last, index.separator(block.number())) > 0) {
            throw differs(block, "the last key is above the index's separator");
        }
    }

    private CompletableFuture<Void> end() {
        TableInfo info = reader.info();
        if (entries != info.entries() || deletes != info.deletes() || merges != info.merges()) {
            throw new Corrupt("table " + reader.table() + " has " + entries + " entries, " + deletes + " deletes and "
                    + merges + " merges, not as in " + info + "; " + BlockFrame.REMEDY);
        }
        if (!Arrays.equals(last, info.largestKey())) {
            throw new Corrupt("table " + reader.table() + " ends before its largest key; " + BlockFrame.REMEDY);
        }
        return CompletableFuture.completedFuture(null);
    }

    private Corrupt differs(TableBlock block, String what) {
        long offset = tail.index().offset(block.number());
        return BlockFrame.damaged(reader.table(), offset, "is not as written: " + what, null);
    }
}
