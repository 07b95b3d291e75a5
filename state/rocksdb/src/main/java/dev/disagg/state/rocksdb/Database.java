// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.rocksdb;

import static java.util.Objects.requireNonNull;

import dev.disagg.state.ByteStore.Entry;
import dev.disagg.state.Family;
import dev.disagg.ufs.Invalid;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Checkpoint;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.WriteOptions;

/**
 * A RocksDB with a column family per {@link Family}, without a write-ahead log: a crash loses what no checkpoint has.
 *
 * <p>A native call after the end would take the process down, so one lock is held in every call: whoever closes waits for
 * a call that runs, and later ones are refused.
 */
final class Database implements AutoCloseable {
    private final String owner;
    private final Path directory;
    private final AtomicInteger count;
    private final Handles handles;
    private final RocksDB database;
    private final WriteOptions unlogged;
    private final List<ColumnFamilyHandle> families = new ArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();
    /** Guarded by {@link #lock}, as is {@link #closed}. */
    private final Set<RocksCursor> cursors = new HashSet<>();

    private boolean closed;

    /**
     * Opens the database that is there, or a new one.
     *
     * @param owner for messages
     */
    static Database open(String owner, Path directory, RocksOptions options, AtomicInteger count) {
        Handles handles = new Handles(count);
        try {
            return new Database(owner, directory, options, count, handles);
        } catch (RocksDBException e) {
            handles.close();
            throw RocksFailure.of("opening the state of " + owner, directory, e);
        } catch (RuntimeException | Error e) {
            handles.close();
            throw e;
        }
    }

    private Database(String owner, Path directory, RocksOptions options, AtomicInteger count, Handles handles)
            throws RocksDBException {
        this.owner = owner;
        this.directory = directory;
        this.count = count;
        this.handles = handles;
        List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
        // RocksDB insists on a family of this name; it stays empty.
        descriptors.add(new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, options.of(Family.SOURCES)));
        for (Family family : Family.values()) {
            descriptors.add(new ColumnFamilyDescriptor(name(family), options.of(family)));
        }
        List<ColumnFamilyHandle> opened = new ArrayList<>();
        this.database = handles.own(RocksDB.open(options.database(), directory.toString(), descriptors, opened));
        opened.forEach(handles::own);
        this.families.addAll(opened.subList(1, opened.size()));
        this.unlogged = handles.own(new WriteOptions()).setDisableWAL(true);
    }

    /** The column family's name: stored, never to change. */
    private static byte[] name(Family family) {
        return family.name().toLowerCase(Locale.ROOT).getBytes(StandardCharsets.US_ASCII);
    }

    private interface Call<T> {
        @Nullable
        T run() throws RocksDBException;
    }

    private interface Change {
        void run() throws RocksDBException;
    }

    private <T> @Nullable T ask(String what, Call<T> call) {
        lock.lock();
        try {
            if (closed) {
                throw new Invalid("store of " + owner + " is closed");
            }
            return call.run();
        } catch (RocksDBException e) {
            throw RocksFailure.of(what + " of " + owner, directory, e);
        } finally {
            lock.unlock();
        }
    }

    private <T> T call(String what, Call<T> call) {
        return requireNonNull(ask(what, call), what);
    }

    private void change(String what, Change change) {
        Object unused = ask(what, () -> {
            change.run();
            return null;
        });
    }

    private ColumnFamilyHandle handle(Family family) {
        return families.get(family.ordinal());
    }

    void put(Family family, byte[] key, byte[] value) {
        change("a write", () -> database.put(handle(family), unlogged, key, value));
    }

    void append(Family family, byte[] key, byte[] tail) {
        change("a write", () -> database.merge(handle(family), unlogged, key, tail));
    }

    void delete(Family family, byte[] key) {
        change("a write", () -> database.delete(handle(family), unlogged, key));
    }

    /** Deletes {@code [from, to)}. */
    void deleteRange(Family family, byte[] from, byte[] to) {
        change("a write", () -> database.deleteRange(handle(family), unlogged, from, to));
    }

    byte @Nullable [] get(Family family, byte[] key) {
        return ask("a read", () -> database.get(handle(family), key));
    }

    /** The greatest key; null when there is none. */
    byte @Nullable [] lastKey(Family family) {
        return ask("a read", () -> {
            try (ReadOptions total = new ReadOptions().setTotalOrderSeek(true);
                    RocksIterator entries = database.newIterator(handle(family), total)) {
                entries.seekToLast();
                entries.status();
                return entries.isValid() ? entries.key() : null;
            }
        });
    }

    /**
     * A view of {@code [from, to)} as of now.
     *
     * @param withinRow whether all keys of the range begin with the same hash, for which the filter is asked
     */
    RocksCursor scan(Family family, byte[] from, byte @Nullable [] to, boolean withinRow) {
        return call("a read", () -> {
            Handles own = new Handles(count);
            try {
                ReadOptions options =
                        own.own(new ReadOptions()).setTotalOrderSeek(!withinRow).setPrefixSameAsStart(withinRow);
                if (to != null) {
                    options.setIterateUpperBound(own.own(new Slice(to)));
                }
                RocksIterator entries = own.own(database.newIterator(handle(family), options));
                entries.seek(from);
                RocksCursor cursor = new RocksCursor(this, entries, own);
                cursors.add(cursor);
                return cursor;
            } catch (RuntimeException | Error e) {
                own.close();
                throw e;
            }
        });
    }

    List<Entry> page(RocksCursor cursor, int maxBytes) {
        return call("a read", () -> cursor.page(maxBytes));
    }

    void close(RocksCursor cursor) {
        lock.lock();
        try {
            if (cursors.remove(cursor)) {
                cursor.release();
            }
        } finally {
            lock.unlock();
        }
    }

    void checkOpen() {
        change("a call", () -> {});
    }

    /** Writes the memtables to files, and links all files that are the database now into a new directory. */
    void checkpoint(Path into) {
        change("a checkpoint", () -> {
            try (Checkpoint checkpoint = Checkpoint.create(database)) {
                checkpoint.createCheckpoint(into.toString());
            }
        });
    }

    /** Memory of all memtables, those being written to files included. */
    long memtableBytes() {
        return call("a read", () -> database.getAggregatedLongProperty("rocksdb.size-all-mem-tables"));
    }

    /** Idempotent. Cursors that are open end. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            cursors.forEach(RocksCursor::release);
            cursors.clear();
            handles.close();
        } finally {
            lock.unlock();
        }
    }
}
