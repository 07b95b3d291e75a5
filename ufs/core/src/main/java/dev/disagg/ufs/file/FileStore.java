// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs.file;

import dev.disagg.ufs.DisaggException;
import dev.disagg.ufs.Failed;
import dev.disagg.ufs.Invalid;
import dev.disagg.ufs.ObjectNames;
import dev.disagg.ufs.ObjectStore;
import dev.disagg.ufs.Unavailable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Objects as files under one directory. A write goes to a temporary file, which is then hard-linked to its name: a name
 * never shows part of an object and is never replaced. The file and its directory are synced before a write is
 * acknowledged. No name may be the directory of another.
 *
 * <p>Thread-safe; any number of processes may use one directory. Closing ends this handle, not the executor.
 */
public final class FileStore implements ObjectStore {
    /** The JDK keeps a native copy as large as the largest transfer per thread. */
    private static final int MAX_TRANSFER_BYTES = 1 << 20;

    /** Far below what a process may open; more objects than a task's tables usually have. */
    private static final int MAX_OPEN_FILES = 64;

    private static final int MAX_READ_THREADS = 16;
    private static final int MAX_WAITING_READS = 65_536;

    private final Path root;
    private final Executor io;
    private final OpenFiles open = new OpenFiles(MAX_OPEN_FILES);
    private final ReadQueue reads;
    private final Publication publication;
    private volatile boolean closed;

    private FileStore(Path root, Executor io, Publication publication) {
        this.root = root;
        this.io = io;
        this.reads = new ReadQueue(io, MAX_READ_THREADS, MAX_WAITING_READS);
        this.publication = publication;
    }

    /**
     * Opens a directory, which is created when absent.
     *
     * @param io runs blocking calls, never the caller's thread; its size bounds the reads that run at once
     * @throws Invalid when it cannot be created or written, is not a directory, or has no hard links
     */
    public static FileStore open(Path root, Executor io) {
        Path absolute = root.toAbsolutePath().normalize();
        return new FileStore(absolute, io, Publication.in(absolute));
    }

    @Override
    public CompletableFuture<Void> put(String name, ByteBuffer bytes) {
        ByteBuffer kept = bytes.duplicate();
        return act(name, () -> publication.publish(write(kept), path(name), false));
    }

    @Override
    public CompletableFuture<PutResult> putIfAbsent(String name, ByteBuffer bytes) {
        ByteBuffer kept = bytes.duplicate();
        return run(
                name, () -> publication.publish(write(kept), path(name), true) ? PutResult.CREATED : PutResult.EXISTS);
    }

    @Override
    public ObjectWriter create(String name) {
        ObjectNames.check(name);
        requireOpen();
        try {
            return new FileWriter(name, path(name), publication, this::act);
        } catch (IOException e) {
            throw failure(name, e);
        }
    }

    @Override
    public CompletableFuture<ByteBuffer> read(String name, long offset, int length) {
        CompletableFuture<ByteBuffer> result = new CompletableFuture<>();
        try {
            requireOpen();
            ObjectNames.check(name);
            reads.add(new ReadQueue.Read() {
                @Override
                public void run() {
                    complete(result, name, () -> readNow(name, offset, length));
                }

                @Override
                public void refused(RejectedExecutionException e) {
                    result.completeExceptionally(tooMany(e));
                }
            });
        } catch (DisaggException e) {
            result.completeExceptionally(e);
        }
        return result;
    }

    @Override
    public CompletableFuture<OptionalLong> size(String name) {
        return run(name, () -> {
            try {
                BasicFileAttributes file = attributes(path(name));
                return file.isRegularFile() ? OptionalLong.of(file.size()) : OptionalLong.empty();
            } catch (FileSystemException e) {
                if (Files.notExists(path(name))) {
                    return OptionalLong.empty();
                }
                throw e;
            }
        });
    }

    @Override
    public CompletableFuture<List<Listed>> list(String prefix, String startAfter, int limit) {
        return run(null, () -> {
            ObjectNames.checkPrefix(prefix);
            return new Listing(root, prefix, startAfter, limit).page();
        });
    }

    @Override
    public CompletableFuture<Void> delete(Collection<String> names) {
        List<String> all = List.copyOf(names);
        return act(null, () -> {
            for (String name : all) {
                ObjectNames.check(name);
            }
            for (String name : all) {
                publication.delete(path(name));
                open.forget(name);
            }
        });
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            try {
                open.close();
            } catch (IOException e) {
                throw failure("", e);
            }
            publication.close();
        }
    }

    private Path path(String name) {
        return root.resolve(name);
    }

    private Path write(ByteBuffer bytes) throws IOException {
        Path temporary = publication.temporary();
        try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
            transfer(channel, bytes);
            return temporary;
        } catch (IOException e) {
            Files.deleteIfExists(temporary);
            throw e;
        }
    }

    static void transfer(FileChannel channel, ByteBuffer bytes) throws IOException {
        int end = bytes.limit();
        while (bytes.position() < end) {
            bytes.limit(Math.min(end, bytes.position() + MAX_TRANSFER_BYTES));
            channel.write(bytes);
        }
    }

    private ByteBuffer readNow(String name, long offset, int length) throws IOException {
        if (offset < 0 || length < 0) {
            throw new Invalid("not a range: " + offset + "+" + length + " of object '" + name + "'");
        }
        try {
            OpenFiles.OpenFile file = open.acquire(name, path(name));
            try {
                return readFrom(file, name, offset, length);
            } catch (ClosedChannelException e) {
                // An interrupt closes a channel for all that read it.
                open.forget(name, file);
                throw e;
            } finally {
                // An object of which a part is read is read again; others are read once.
                open.release(name, file, length < file.sizeBytes);
            }
        } catch (NoSuchFileException e) {
            throw absent(name, e);
        } catch (IOException e) {
            if (Files.isDirectory(path(name))) {
                throw absent(name, e);
            }
            throw e;
        }
    }

    private ByteBuffer readFrom(OpenFiles.OpenFile file, String name, long offset, int length) throws IOException {
        if (offset > file.sizeBytes - length) {
            throw new Invalid("range " + offset + "+" + length + " is outside of object '" + name + "' of "
                    + file.sizeBytes + " bytes in " + root);
        }
        ByteBuffer bytes = ByteBuffer.allocate(length);
        while (bytes.position() < length) {
            bytes.limit(Math.min(length, bytes.position() + MAX_TRANSFER_BYTES));
            if (file.channel.read(bytes, offset + bytes.position()) < 0) {
                throw new Failed("object '" + name + "' in " + root + " became shorter while it was read;"
                        + " something else writes in this directory");
            }
        }
        return bytes.flip();
    }

    private Invalid absent(String name, IOException e) {
        return new Invalid(
                "there is no object '" + name + "' in " + root + ": it was never finished, or was deleted", e);
    }

    static BasicFileAttributes attributes(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }

    private void requireOpen() {
        if (closed) {
            throw new Failed("the file store in " + root + " is closed");
        }
    }

    /** A blocking call. */
    interface Call<T> {
        T run() throws IOException;
    }

    /** A blocking call without a result. */
    interface Action {
        void run() throws IOException;
    }

    /** Runs actions on the pool of a store; the name, if any, is checked and goes into messages. */
    interface Runner {
        CompletableFuture<Void> run(@Nullable String name, Action action);
    }

    private CompletableFuture<Void> act(@Nullable String name, Action action) {
        return run(name, () -> {
                    action.run();
                    return true;
                })
                .thenAccept(done -> {});
    }

    private <T> CompletableFuture<T> run(@Nullable String name, Call<T> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        try {
            requireOpen();
            if (name != null) {
                ObjectNames.check(name);
            }
            io.execute(() -> complete(result, name, call));
        } catch (DisaggException e) {
            result.completeExceptionally(e);
        } catch (RejectedExecutionException e) {
            result.completeExceptionally(tooMany(e));
        }
        return result;
    }

    private Unavailable tooMany(RejectedExecutionException e) {
        return new Unavailable("too many requests wait for the file store in " + root, e);
    }

    private <T> void complete(CompletableFuture<T> result, @Nullable String name, Call<T> call) {
        try {
            result.complete(call.run());
        } catch (DisaggException e) {
            result.completeExceptionally(e);
        } catch (IOException e) {
            result.completeExceptionally(failure(name == null ? "" : name, e));
        } catch (RuntimeException | Error e) {
            result.completeExceptionally(new Failed("object '" + name + "' in " + root + ": " + e, e));
        }
    }

    private DisaggException failure(String name, IOException e) {
        return Publication.failure("object '" + name + "' in " + root, e);
    }
}
