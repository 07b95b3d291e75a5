// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs.file;

import dev.disagg.ufs.DisaggException;
import dev.disagg.ufs.Failed;
import dev.disagg.ufs.Invalid;
import dev.disagg.ufs.Unavailable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How a file gets its name and loses it: temporary files, links, syncs, and the directories in between. A temporary
 * file's directory has a character that no object's name can have, so it is never listed.
 */
final class Publication {
    private static final String TEMPORARY = "~tmp";
    /** A temporary file this much older than a fresh one was left behind by a process that died. */
    private static final long ABANDONED_MILLIS = TimeUnit.DAYS.toMillis(1);
    /** Others remove empty directories while we create files in them; each try makes them again. */
    private static final int MAX_TRIES = 100;

    private static final AtomicLong SEQUENCE = new AtomicLong();

    private final Path root;
    private final Path temporaries;

    private Publication(Path root) {
        this.root = root;
        this.temporaries = root.resolve(TEMPORARY);
    }

    static Publication in(Path root) {
        Publication publication = new Publication(root);
        publication.probe();
        return publication;
    }

    private void probe() {
        try {
            Files.createDirectories(root);
        } catch (FileAlreadyExistsException | NotDirectoryException e) {
            throw new Invalid(
                    "the state directory " + root + " is not a directory; name another, or remove the file", e);
        } catch (IOException e) {
            throw new Invalid(
                    "the state directory " + root + " cannot be created (" + reason(e)
                            + "); create it, or name one that this user may write",
                    e);
        }
        try {
            Path first = temporary();
            Path second = first.resolveSibling(first.getFileName() + "-link");
            Files.createLink(second, first);
            Files.delete(second);
            removeAbandoned(Files.getLastModifiedTime(first).toMillis());
            Files.delete(first);
        } catch (UnsupportedOperationException e) {
            throw new Invalid("the file system of " + root + " has no hard links, which commits need; name another", e);
        } catch (IOException e) {
            throw new Invalid(
                    "the state directory " + root + " cannot be written or has no hard links (" + reason(e)
                            + "); check its permissions and that it is not mounted read-only, or name another",
                    e);
        }
    }

    private void removeAbandoned(long nowMillis) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(temporaries)) {
            for (Path file : files) {
                try {
                    if (Files.getLastModifiedTime(file).toMillis() < nowMillis - ABANDONED_MILLIS) {
                        Files.deleteIfExists(file);
                    }
                } catch (NoSuchFileException e) {
                    // its process finished it
                }
            }
        }
    }

    /** A new, empty file under a name that no other process chooses. */
    Path temporary() throws IOException {
        long process = ProcessHandle.current().pid();
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            try {
                return Files.createFile(temporaries.resolve(process + "-" + SEQUENCE.incrementAndGet()));
            } catch (NoSuchFileException e) {
                Files.createDirectories(temporaries);
            } catch (FileAlreadyExistsException e) {
                // of another machine's process of the same number, or of one that died: the next name
            }
        }
        throw new IOException("no free temporary name in " + temporaries);
    }

    /**
     * Gives a written temporary file its name, durably, and removes the temporary one.
     *
     * @return false, with nothing changed, when the name is taken and {@code mayExist}; a taken name is otherwise an
     *     error unless it has these very bytes
     */
    boolean publish(Path temporary, Path target, boolean mayExist) throws IOException {
        try {
            try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
                channel.force(true);
            }
            boolean created = link(temporary, target);
            if (!created && !mayExist && Files.mismatch(temporary, target) >= 0) {
                throw new Invalid("object '" + root.relativize(target) + "' exists in " + root
                        + " with other bytes; objects are written once");
            }
            sync(parent(target));
            return created;
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    private boolean link(Path temporary, Path target) throws IOException {
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            try {
                Files.createLink(target, temporary);
                return true;
            } catch (FileAlreadyExistsException e) {
                if (Files.isDirectory(target)) {
                    throw new Invalid(
                            "object '" + root.relativize(target) + "' in " + root
                                    + " has the name of a directory of other objects",
                            e);
                }
                return false;
            } catch (NoSuchFileException e) {
                createDirectories(parent(target));
            }
        }
        throw new Unavailable("directory " + parent(target) + " is removed as often as it is created");
    }

    private void createDirectories(Path directory) throws IOException {
        ArrayDeque<Path> missing = new ArrayDeque<>();
        for (Path path = directory; path != null && !Files.isDirectory(path); path = path.getParent()) {
            missing.push(path);
        }
        for (Path path : missing) {
            try {
                Files.createDirectory(path);
                sync(parent(path));
            } catch (FileAlreadyExistsException e) {
                if (!Files.isDirectory(path)) {
                    throw new Invalid(
                            "'" + root.relativize(path) + "' in " + root
                                    + " is an object; it cannot be a directory of others",
                            e);
                }
            } catch (NoSuchFileException e) {
                return; // removed in the meantime: the caller tries again
            }
        }
    }

    /** Deletes a file, and the directories that became empty. */
    void delete(Path file) throws IOException {
        try {
            if (Files.isDirectory(file) || !Files.deleteIfExists(file)) {
                return;
            }
        } catch (FileSystemException e) {
            if (Files.notExists(file)) {
                return; // below something that is a file: no such object
            }
            throw e;
        }
        for (Path path = file.getParent(); path != null && !path.equals(root); path = path.getParent()) {
            try {
                Files.deleteIfExists(path);
            } catch (DirectoryNotEmptyException e) {
                return;
            }
        }
    }

    /** Every path here is below the root. */
    private static Path parent(Path path) {
        return Objects.requireNonNull(path.getParent(), "a path below the root has no parent");
    }

    private static void sync(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (NoSuchFileException e) {
            return; // emptied and removed by a delete: there is no name left to make durable
        }
    }

    /** Removes the directory of temporary files if it is empty; others may be using it. */
    void close() {
        try {
            Files.deleteIfExists(temporaries);
        } catch (DirectoryNotEmptyException e) {
            return; // someone is writing
        } catch (IOException e) {
            throw failure("directory " + temporaries, e);
        }
    }

    static DisaggException failure(String what, IOException e) {
        if (e instanceof AccessDeniedException) {
            return new Failed(what + ": access denied to this user; check the permissions", e);
        }
        if (e instanceof FileSystemException file
                && file.getReason() != null
                && file.getReason().contains("Not a dir")) {
            return new Invalid(what + ": part of its path is an object, not a directory", e);
        }
        return new Unavailable(what + ": " + reason(e), e);
    }

    private static String reason(IOException e) {
        return e instanceof AccessDeniedException ? "access denied" : String.valueOf(e.getMessage());
    }
}
