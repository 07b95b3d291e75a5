// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The files of objects of which parts are read, kept open between reads: opening one costs more than reading a block of it.
 * Objects never change, so an open file is as good as a new one until its object is deleted. Bounded: the file used
 * longest ago makes room for a new one. Thread-safe.
 */
final class OpenFiles {
    /** An open file. */
    static final class OpenFile {
        final FileChannel channel;
        final long sizeBytes;
        private final long deletesBefore;
        /** Reads at work, and one more while it is kept; guarded by its {@link OpenFiles}. */
        private int users = 1;

        private OpenFile(FileChannel channel, long sizeBytes, long deletesBefore) {
            this.channel = channel;
            this.sizeBytes = sizeBytes;
            this.deletesBefore = deletesBefore;
        }
    }

    private final int most;
    private final Map<String, OpenFile> kept = new LinkedHashMap<>(16, 0.75f, true);
    private long deletes;
    private boolean closed;

    OpenFiles(int most) {
        this.most = most;
    }

    /** The object's file, for one read; to be given back by {@link #release}. */
    OpenFile acquire(String name, Path path) throws IOException {
        long deletesBefore;
        synchronized (this) {
            OpenFile file = kept.get(name);
            if (file != null) {
                file.users++;
                return file;
            }
            deletesBefore = deletes;
        }
        FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
        try {
            return new OpenFile(channel, channel.size(), deletesBefore);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** Ends a read; {@code keep} for a file that is likely to be read again. */
    void release(String name, OpenFile file, boolean keep) throws IOException {
        OpenFile unused = null;
        synchronized (this) {
            // What was opened while something was deleted may be a file without a name.
            if (keep
                    && !closed
                    && file.channel.isOpen()
                    && file.deletesBefore == deletes
                    && kept.putIfAbsent(name, file) == null) {
                file.users++;
                unused = kept.size() > most ? eldest() : null;
            }
            if (--file.users == 0) {
                unused = file;
            }
        }
        close(unused);
    }

    /** Before an object is deleted, and after: no read may find it by what was kept. */
    void forget(String name) throws IOException {
        OpenFile unused;
        synchronized (this) {
            deletes++;
            unused = unkept(kept.remove(name));
        }
        close(unused);
    }

    /** A file that can not be read any more, such as one whose channel an interrupt has closed. */
    void forget(String name, OpenFile broken) throws IOException {
        OpenFile unused;
        synchronized (this) {
            unused = kept.remove(name, broken) ? unkept(broken) : null;
        }
        close(unused);
    }

    /** Closes what is not being read; the rest is closed by its last read. */
    void close() throws IOException {
        while (true) {
            OpenFile unused;
            synchronized (this) {
                closed = true;
                if (kept.isEmpty()) {
                    return;
                }
                unused = eldest();
            }
            close(unused);
        }
    }

    /** Takes the file used longest ago out; null when a read is still at it. */
    private @Nullable OpenFile eldest() {
        Iterator<OpenFile> files = kept.values().iterator();
        OpenFile eldest = files.next();
        files.remove();
        return unkept(eldest);
    }

    private static @Nullable OpenFile unkept(@Nullable OpenFile file) {
        return file != null && --file.users == 0 ? file : null;
    }

    private static void close(@Nullable OpenFile file) throws IOException {
        if (file != null) {
            file.channel.close();
        }
    }
}
