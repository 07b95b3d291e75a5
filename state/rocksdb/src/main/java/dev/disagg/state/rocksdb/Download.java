// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.rocksdb;

import dev.disagg.ufs.Await;
import dev.disagg.ufs.Corrupt;
import dev.disagg.ufs.UnifiedFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Brings the files of a database into a directory, a few pieces at once, in bounded memory. One use, one thread. */
final class Download {
    private static final int PIECE_BYTES = 1 << 20;
    private static final int PIECES_AT_ONCE = 8;

    private final UnifiedFileSystem ufs;
    private final String owner;
    private final Path into;
    private final Deque<Piece> reading = new ArrayDeque<>();
    private final CRC32C crc = new CRC32C();
    private @Nullable FileChannel open;

    private Download(UnifiedFileSystem ufs, String owner, Path into) {
        this.ufs = ufs;
        this.owner = owner;
        this.into = into;
    }

    private record Piece(RocksFile file, long offset, CompletableFuture<ByteBuffer> bytes) {}

    /**
     * Creates the directory and all that RocksDB wants to find in it.
     *
     * @param owner for messages
     */
    static void of(UnifiedFileSystem ufs, String owner, List<RocksFile> files, Path into) {
        try {
            Files.createDirectory(into);
            new Download(ufs, owner, into).run(files);
        } catch (IOException e) {
            throw RocksFailure.of("restoring the state of " + owner, into, e);
        }
    }

    private void run(List<RocksFile> files) throws IOException {
        List<RocksFile> all = new ArrayList<>(files);
        try {
            for (RocksFile file : all) {
                long length = file.range().length();
                long offset = 0;
                do {
                    int piece = (int) Math.min(PIECE_BYTES, length - offset);
                    if (reading.size() == PIECES_AT_ONCE) {
                        write(reading.remove());
                    }
                    reading.add(new Piece(file, offset, ufs.read(file.range(), offset, piece)));
                    offset += piece;
                } while (offset < length);
            }
            while (!reading.isEmpty()) {
                write(reading.remove());
            }
        } finally {
            if (open != null) {
                open.close();
            }
        }
        for (RocksFile file : files) {
            if (!file.isTable()) {
                Files.writeString(into.resolve("CURRENT"), file.name() + "\n");
            }
        }
    }

    private void write(Piece piece) throws IOException {
        RocksFile file = piece.file();
        FileChannel to = open;
        if (to == null) {
            to = FileChannel.open(into.resolve(file.name()), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            open = to;
            crc.reset();
        }
        ByteBuffer bytes = Await.get(piece.bytes(), "file '" + file.name() + "' of " + owner);
        long end = piece.offset() + bytes.remaining();
        crc.update(bytes.duplicate());
        while (bytes.hasRemaining()) {
            to.write(bytes);
        }
        if (end == file.range().length()) {
            to.close();
            open = null;
            if ((int) crc.getValue() != file.crc32c()) {
                throw new Corrupt("file '" + file.name() + "' of " + owner + ", in "
                        + file.range().object() + " from byte " + file.range().offset()
                        + ", is not what was written: its checksum differs; restore from another checkpoint");
            }
        }
    }
}
