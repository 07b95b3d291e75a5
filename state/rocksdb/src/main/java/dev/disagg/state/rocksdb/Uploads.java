// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.rocksdb;

import dev.disagg.ufs.Await;
import dev.disagg.ufs.Pack;
import dev.disagg.ufs.UnifiedFileSystem;
import dev.disagg.ufs.UnifiedFileSystem.ObjectFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * Which tables of one database are on the object store, and how the others get there. A table never changes, and its name
 * is never used again. Thread-safe.
 */
final class Uploads {
    /** A table up to this size goes into the checkpoint's pack, a larger one into an object of its own. */
    private static final long PACKED_BYTES = 4 << 20;

    private static final int PIECE_BYTES = 1 << 20;

    private final UnifiedFileSystem ufs;
    /** By name: those that a sealed checkpoint names, and those in durable objects of their own. */
    private final Map<String, RocksFile> stored = new ConcurrentHashMap<>();
    /** Those of them that no manifest has named. */
    private final Set<String> unnamed = ConcurrentHashMap.newKeySet();

    Uploads(UnifiedFileSystem ufs, Collection<RocksFile> stored) {
        this.ufs = ufs;
        stored(stored);
    }

    /** These are named by a checkpoint. */
    void stored(Collection<RocksFile> files) {
        files.stream().filter(RocksFile::isTable).forEach(file -> stored.put(file.name(), file));
    }

    /** Forgets tables that the database does not have any more; what no checkpoint has named is deleted. */
    void keepOnly(Set<String> names) {
        for (RocksFile file : List.copyOf(stored.values())) {
            if (!names.contains(file.name()) && stored.remove(file.name(), file) && unnamed.remove(file.name())) {
                ufs.discard(file.range().object());
            }
        }
    }

    /** A manifest is about to name these. */
    void named(Collection<RocksFile> files) {
        files.forEach(file -> unnamed.remove(file.name()));
    }

    /** The names of the files that belong to the database in a directory, in order. */
    static SortedSet<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> RocksFile.isTable(name) || RocksFile.isManifest(name))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    /**
     * Writes what is not stored yet, into {@code pack} or objects of its own, and waits until the latter are durable.
     *
     * @return all files of the database
     */
    List<RocksFile> upload(Path directory, Pack pack) throws IOException {
        List<RocksFile> files = new ArrayList<>();
        List<CompletableFuture<RocksFile>> uploading = new ArrayList<>();
        for (String name : names(directory)) {
            RocksFile known = stored.get(name);
            if (known != null) {
                files.add(known);
                continue;
            }
            try (FileChannel file = FileChannel.open(directory.resolve(name))) {
                if (file.size() <= PACKED_BYTES) {
                    files.add(packed(name, file, pack));
                } else {
                    uploading.add(own(name, file));
                }
            }
        }
        for (CompletableFuture<RocksFile> upload : uploading) {
            files.add(Await.get(upload, "upload of files in " + directory));
        }
        return List.copyOf(files);
    }

    private static RocksFile packed(String name, FileChannel file, Pack pack) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
        fill(bytes, file);
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate());
        return new RocksFile(name, pack.append(List.of(bytes)), (int) crc.getValue());
    }

    /** Once durable it counts as stored, also when its checkpoint fails: the next one links it. */
    private CompletableFuture<RocksFile> own(String name, FileChannel file) throws IOException {
        CRC32C crc = new CRC32C();
        try (ObjectFile object = ufs.createFile()) {
            ByteBuffer piece = ByteBuffer.allocate((int) Math.min(PIECE_BYTES, file.size()));
            long left = file.size();
            while (left > 0) {
                piece.clear().limit((int) Math.min(piece.capacity(), left));
                fill(piece, file);
                left -= piece.remaining();
                crc.update(piece.duplicate());
                object.write(piece);
            }
            return object.finish().thenApply(range -> {
                RocksFile uploaded = new RocksFile(name, range, (int) crc.getValue());
                unnamed.add(name);
                stored.put(name, uploaded);
                return uploaded;
            });
        }
    }

    private static void fill(ByteBuffer bytes, FileChannel file) throws IOException {
        while (bytes.hasRemaining()) {
            if (file.read(bytes) < 0) {
                throw new IOException("a file of the database became shorter");
            }
        }
        bytes.flip();
    }
}
