// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import dev.disagg.ufs.Corrupt;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Makes the {@link TableInfo} of a table that comes without one. */
final class Inspection {
    /** Read first, from the end: enough for the footer and the metaindex of any table. */
    private static final int FIRST_READ_BYTES = 4 << 10;

    private static final byte[] NO_KEY = {};

    private Inspection() {}

    static CompletableFuture<TableInfo> of(String name, ByteSource source, long bytes) {
        if (bytes < Footer.BYTES) {
            return CompletableFuture.failedFuture(new Corrupt(
                    "table " + name + " is " + bytes + " bytes long, shorter than a footer; " + BlockFrame.REMEDY));
        }
        TableInfo unknown = new TableInfo(bytes, bytes, 0, NO_KEY, NO_KEY, 0, 0, 0);
        BlockReader reader = new BlockReader(name, source, unknown, new BlockCache(0, 0));
        int length = (int) Math.min(bytes, FIRST_READ_BYTES);
        return reader.read(bytes - length, length).thenCompose(end -> {
            long tailOffset = Tail.startOffset(name, end, bytes - length);
            if (tailOffset < 0 || bytes - tailOffset > Integer.MAX_VALUE - 16) {
                throw new Corrupt("table " + name + " of " + bytes + " bytes: its metadata is said to start at offset "
                        + tailOffset + "; " + BlockFrame.REMEDY);
            }
            return reader.read(tailOffset, (int) (bytes - tailOffset))
                    .thenCompose(tail -> keys(name, source, bytes, tailOffset, tail));
        });
    }

    private static CompletableFuture<TableInfo> keys(
            String name, ByteSource source, long bytes, long tailOffset, byte[] tailBytes) {
        Tail tail = Tail.decode(name, tailBytes, tailOffset, true);
        TableInfo info = new TableInfo(
                bytes,
                tailOffset,
                MaskedCrc.plain(tailBytes, 0, tailBytes.length),
                NO_KEY,
                NO_KEY,
                Features.number(tail.properties(), TableProperties.ENTRIES),
                Features.number(tail.properties(), TableProperties.DELETED_KEYS),
                Features.number(tail.properties(), TableProperties.MERGE_OPERANDS));
        BlockReader reader = new BlockReader(name, source, info, new BlockCache(0, 0));
        int last = tail.index().count() - 1;
        return reader.block(tail.index(), 0)
                .thenCombine(
                        reader.block(tail.index(), last),
                        (firstBlock, lastBlock) -> new TableInfo(
                                bytes,
                                tailOffset,
                                info.tailCrc32c(),
                                key(name, firstBlock, false),
                                key(name, lastBlock, true),
                                info.entries(),
                                info.deletes(),
                                info.merges()));
    }

    private static byte[] key(String name, Block block, boolean last) {
        TableBlock entries = new TableBlock(name, 0, 0, block, null, null);
        byte @Nullable [] key = null;
        while ((key == null || last) && entries.advance()) {
            key = entries.key();
        }
        if (key == null) {
            throw new Corrupt("table " + name + " has an empty block; " + BlockFrame.REMEDY);
        }
        return key;
    }
}
