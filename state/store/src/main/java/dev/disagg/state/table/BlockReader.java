// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import dev.disagg.ufs.Corrupt;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Fetches and checks parts of one table. Thread-safe. */
record BlockReader(String table, ByteSource source, TableInfo info, BlockCache cache) {

    @Nullable
    Tail tailIfResident() {
        return cache.tailIfPresent(table);
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
            return read(index.offset(number), length).thenApply(bytes -> open(index, number, bytes, 0));
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

    /** Checks and uncompresses the data block whose stored form starts at {@code at}. */
    Block open(Index index, int number, byte[] bytes, int at) {
        long offset = index.offset(number);
        int stored = (int) index.storedBytes(number);
        BlockFrame.check(table, offset, bytes, at, stored);
        byte[] raw = BlockFrame.open(table, offset, bytes, at, stored);
        return Block.of(table, offset, raw, 0, raw.length);
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
