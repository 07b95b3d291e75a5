// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.rocksdb;

import dev.disagg.state.ByteStore;
import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.state.ManifestHeader;
import dev.disagg.state.SharedRun;
import dev.disagg.state.lsm.KeyCheck;
import dev.disagg.state.lsm.LinkedRuns;
import dev.disagg.ufs.OwnerRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One task's state in a database on local disk. Every read is answered when it returns. */
final class RocksStore implements ByteStore {
    private final String owner;
    private final KeyRange range;
    private final Path home;
    private final Database database;
    private final Uploads uploads;
    private final LinkedRuns linked;
    private final Executor background;
    private final Consumer<RocksStore> whenClosed;
    /** Counts writes; compared to tell whether a checkpoint would store anything new. */
    private long writes;

    private Sealed sealed;
    private long freezes;
    /** Checkpoints that are neither sealed nor given up. */
    private int underWay;

    private boolean closed;

    /** @param writes of {@link RocksStore#writes} that the record holds; -1 when there is none */
    private record Sealed(OwnerRecord record, long writes) {}

    /**
     * @param home a directory of the store's own, deleted at its end
     * @param continued the record that holds just what the database does; null when there is none
     * @param never an empty record
     */
    RocksStore(
            String owner,
            KeyRange range,
            Path home,
            Database database,
            Uploads uploads,
            LinkedRuns linked,
            @Nullable OwnerRecord continued,
            OwnerRecord never,
            Executor background,
            Consumer<RocksStore> whenClosed) {
        this.owner = owner;
        this.range = range;
        this.home = home;
        this.database = database;
        this.uploads = uploads;
        this.linked = linked;
        this.background = background;
        this.whenClosed = whenClosed;
        this.sealed = continued == null ? new Sealed(never, -1) : new Sealed(continued, 0);
    }

    @Override
    public void put(Family family, byte[] key, byte[] value) {
        KeyCheck.check(family, range, key);
        writes++;
        database.put(family, key, value);
    }

    @Override
    public void append(Family family, byte[] key, byte[] tail) {
        KeyCheck.check(family, range, key);
        writes++;
        database.append(family, key, tail);
    }

    @Override
    public void delete(Family family, byte[] key) {
        KeyCheck.check(family, range, key);
        writes++;
        database.delete(family, key);
    }

    @Override
    public CompletableFuture<byte @Nullable []> get(Family family, byte[] key) {
        return CompletableFuture.completedFuture(database.get(family, key));
    }

    @Override
    public Cursor scan(Family family, byte[] from, byte @Nullable [] to, byte @Nullable [] rowPrefix) {
        return database.scan(family, from, to, family == Family.ROWS && rowPrefix != null);
    }

    @Override
    public Frozen freeze(long checkpoint, byte[] header) {
        database.checkOpen();
        long held = writes;
        Path files = held == sealed.writes ? null : checkpoint();
        underWay++;
        return new RocksSnapshot(
                this,
                owner,
                new ManifestHeader(ManifestHeader.Format.ROCKSDB, range, header).encode(),
                sealed.record,
                files,
                uploads,
                linked.hold(),
                held,
                background);
    }

    /** A directory of hard links to the files that are the database now. */
    private Path checkpoint() {
        Path files = home.resolve("checkpoint-" + freezes++);
        database.checkpoint(files);
        if (underWay == 0) {
            try {
                uploads.keepOnly(Uploads.names(files));
            } catch (IOException e) {
                throw RocksFailure.of("a checkpoint of " + owner, files, e);
            }
        }
        return files;
    }

    /** The checkpoint that holds the first {@code held} writes is stored. */
    void sealed(OwnerRecord record, long held, Collection<RocksFile> files) {
        underWay--;
        sealed = new Sealed(record, held);
        uploads.stored(files);
    }

    void aborted() {
        underWay--;
    }

    @Override
    public void link(SharedRun run) {
        linked.link(run);
    }

    @Override
    public void unlink(String run) {
        linked.unlink(run);
    }

    @Override
    public Map<String, SharedRun> linked() {
        return linked.all();
    }

    /** Of memtables; the block cache is the backend's. */
    @Override
    public long memoryBytes() {
        return database.memtableBytes();
    }

    /** Any thread. */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        database.close();
        LocalDirectory.discard(home);
        whenClosed.accept(this);
    }
}
