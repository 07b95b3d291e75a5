// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.rocksdb;

import dev.disagg.ufs.Failed;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory on local disk that no other process uses: {@code <parent>/disagg-rocksdb-<user>/<number>}, the first number
 * whose lock file is free. What a process that was killed has left there is removed. The lock files, which are empty, stay:
 * one that is removed could be locked by two. Thread-safe.
 */
final class LocalDirectory implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LocalDirectory.class);
    private static final int MOST = 4096;

    private final Path root;
    private final FileChannel lockFile;
    private final AtomicLong sequence = new AtomicLong();

    private LocalDirectory(Path root, FileChannel lockFile) {
        this.root = root;
        this.lockFile = lockFile;
    }

    /** @param parent created when it does not exist */
    static LocalDirectory under(Path parent) {
        Path all = parent.toAbsolutePath()
                .resolve("disagg-rocksdb-"
                        + System.getProperty("user.name", "unknown").replaceAll("[^\\w.-]", "_"));
        try {
            Files.createDirectories(all);
            LocalDirectory mine = null;
            for (int number = 0; number < MOST; number++) {
                Path lock = all.resolve(number + ".lock");
                if (mine != null && !Files.exists(lock)) {
                    return mine;
                }
                FileChannel locked = lock(lock);
                if (locked == null) {
                    continue;
                }
                Path root = all.resolve(Integer.toString(number));
                delete(root);
                if (mine == null) {
                    Files.createDirectory(root);
                    mine = new LocalDirectory(root, locked);
                } else {
                    locked.close();
                }
            }
            if (mine != null) {
                return mine;
            }
        } catch (IOException e) {
            throw RocksFailure.of("--stateBackend=rocksdb: making a local directory", all, e);
        }
        throw new Failed("--stateBackend=rocksdb: all " + MOST + " directories in " + all
                + " are in use by running processes; give another directory with --stateCacheDir");
    }

    /** The open and locked file; null when someone else has the lock. */
    private static @Nullable FileChannel lock(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = null;
        try {
            lock = channel.tryLock();
            return lock == null ? null : channel;
        } catch (OverlappingFileLockException heldInThisProcess) {
            return null;
        } finally {
            if (lock == null) {
                channel.close();
            }
        }
    }

    Path path() {
        return root;
    }

    /** A new directory in this one. */
    Path create() {
        Path directory = root.resolve(Long.toString(sequence.getAndIncrement()));
        try {
            return Files.createDirectory(directory);
        } catch (IOException e) {
            throw RocksFailure.of("a store's local directory", directory, e);
        }
    }

    /** Deletes what is there; what can not be deleted is told, and removed by a later process. */
    static void discard(Path directory) {
        try {
            delete(directory);
        } catch (IOException e) {
            LOG.warn("local files of state in {} could not be removed; a later start removes them", directory, e);
        }
    }

    private static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure) throws IOException {
                if (failure != null) {
                    throw failure;
                }
                Files.deleteIfExists(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** Deletes the directory and lets it go. */
    @Override
    public void close() {
        discard(root);
        try {
            lockFile.close();
        } catch (IOException e) {
            LOG.warn("the lock of {} could not be released; it ends with this process", root, e);
        }
    }
}
