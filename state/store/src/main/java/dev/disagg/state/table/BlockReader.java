// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import dev.disagg.ufs.Corrupt;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Fetches and checks parts of one table. Thread-safe. */
final class BlockReader {
    private final String table;
    private final ByteSource source;
    private final TableInfo info;
    private final BlockCache cache;
    /** Where the cache had the tail when it was last looked up: each lookup in the table needs it. */
    private ClockCache.@Nullable Entry<String, Tail> tailEntry;

    BlockReader(String table, ByteSource source, TableInfo info, BlockCache cache) {
        this.table = table;
        this.source = source;
        this.info = info;
        this.cache = cache;
    }

    String table() {
        return table;
    }

    TableInfo info() {
        return info;
    }

    BlockCache cache() {
        return cache;
    }

    @Nullable
    Tail tailIfResident() {
        // Racing threads see either entry; each knows itself whether it is live.
        ClockCache.Entry<String, Tail> known = tailEntry;
        Tail tail = known == null ? null : cache.tails().use(known);
        if (tail != null) {
            return tail;
        }
        known = cache.tails().find(table);
        tailEntry = known;
        return known == null ? null : cache.tails().use(known);
    }

    CompletableFuture<Tail> tail() {
        return cache.tail(table, this::readTail);
    }

    /** Reads the tail past the cache. */
    CompletableFuture<Tail> readTail() {
        long length = info.bytes() - info.tailOffset();
        if (length > Integer.MAX_VALUE - 16) {
            return CompletableFuture.failedFuture(
                    new Corrupt("table " + table + " has a tail of " + length + " bytes; " + BlockFrame.REMEDY));
        }
        return read(info.tailOffset(), (int) length).thenApply(bytes -> {
            int crc = MaskedCrc.plain(bytes, 0, bytes.length);
            if (crc != info.tailCrc32c()) {
                throw new Corrupt(String.format(
                        "table %s, tail at offset %d: its bytes have checksum %08x, the manifest says %08x; %s",
                        table, info.tailOffset(), crc, info.tailCrc32c(), BlockFrame.REMEDY));
            }
            return Tail.decode(table, bytes, info.tailOffset(), false);
        });
    }

    @Nullable
    Block blockIfResident(Index index, int number) {
        return cache.blocks().getIfPresent(key(index, number));
    }

    CompletableFuture<Block> block(Index index, int number) {
        return cache.blocks().get(key(index, number), () -> {
            int length = storedWithTrailer(index, number);
            return read(index.offset(number), length).thenApply(bytes -> view(index, number, bytes, 0));
        });
    }

    BlockCache.Key key(Index index, int number) {
        return new BlockCache.Key(table, index.offset(number));
    }

    /** Length of a data block with its trailer, when it is within the data. */
    int storedWithTrailer(Index index, int number) {
        long offset = index.offset(number);
        long stored = index.storedBytes(number);
        if (offset < 0
                || stored < 0
                || stored > Integer.MAX_VALUE - 16
                || offset + stored + BlockFrame.TRAILER_BYTES > info.tailOffset()) {
            throw BlockFrame.damaged(
                    table, offset, "is said to have " + stored + " bytes and to end in the tail", null);
        }
        return (int) stored + BlockFrame.TRAILER_BYTES;
    }

    /** Checks and uncompresses the data block whose stored form starts at {@code at}, into an array of its own. */
    Block open(Index index, int number, byte[] bytes, int at) {
        long offset = index.offset(number);
        int stored = (int) index.storedBytes(number);
        BlockFrame.check(table, offset, bytes, at, stored);
        byte[] raw = BlockFrame.open(table, offset, bytes, at, stored);
        return Block.of(table, offset, raw, 0, raw.length);
    }

    /** As {@link #open}, but a block that is stored as it is stays where it is: {@code bytes} must not change any more, and live as long as it. */
    Block view(Index index, int number, byte[] bytes, int at) {
        int stored = (int) index.storedBytes(number);
        if (!BlockFrame.isPlain(bytes, at, stored)) {
            return open(index, number, bytes, at);
        }
        long offset = index.offset(number);
        BlockFrame.check(table, offset, bytes, at, stored);
        return Block.of(table, offset, bytes, at, stored);
    }

    /** The bytes as an array of exactly that length. */
    CompletableFuture<byte[]> read(long offset, int length) {
        return source.read(offset, length).thenApply(buffer -> {
            if (buffer.remaining() != length) {
                throw new Corrupt("table " + table + ": " + buffer.remaining() + " bytes of the " + length
                        + " at offset " + offset + " are there; " + BlockFrame.REMEDY);
            }
            return array(buffer);
        });
    }

    private static byte[] array(ByteBuffer buffer) {
        if (buffer.hasArray()
                && buffer.arrayOffset() == 0
                && buffer.position() == 0
                && buffer.array().length == buffer.remaining()) {
            return buffer.array();
        }
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }
}
