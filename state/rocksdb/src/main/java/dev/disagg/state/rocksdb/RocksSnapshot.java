// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.rocksdb;

import dev.disagg.state.ByteStore;
import dev.disagg.state.lsm.LinkedRuns;
import dev.disagg.state.lsm.SharedTable;
import dev.disagg.ufs.Link;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.Pack;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The files of a database as of a freeze, on their way to the object store. */
final class RocksSnapshot implements ByteStore.Frozen {
    private final RocksStore store;
    private final String owner;
    private final byte[] header;
    private final OwnerRecord before;
    private final @Nullable Path files;
    private final Uploads uploads;
    private final LinkedRuns.Held linked;
    private final long writesHeld;
    private final Executor background;
    private final AtomicBoolean released = new AtomicBoolean();
    private volatile @Nullable Written written;

    private record Written(OwnerRecord record, List<RocksFile> files) {}

    /**
     * @param before the last sealed record
     * @param files where the database is linked; null when it has not changed since {@code before}
     * @param linked held by the caller for this
     */
    RocksSnapshot(
            RocksStore store,
            String owner,
            byte[] header,
            OwnerRecord before,
            @Nullable Path files,
            Uploads uploads,
            LinkedRuns.Held linked,
            long writesHeld,
            Executor background) {
        this.store = store;
        this.owner = owner;
        this.header = header;
        this.before = before;
        this.files = files;
        this.uploads = uploads;
        this.linked = linked;
        this.writesHeld = writesHeld;
        this.background = background;
    }

    @Override
    public CompletableFuture<OwnerRecord> flush(Pack pack) {
        return CompletableFuture.supplyAsync(() -> write(pack), background);
    }

    private OwnerRecord write(Pack pack) {
        try {
            List<RocksFile> uploaded = files == null ? List.of() : uploads.upload(files, pack);
            List<Link> links = new ArrayList<>(linked.links());
            if (files == null) {
                before.links().values().stream()
                        .filter(link -> !SharedTable.isNameOf(link))
                        .forEach(links::add);
            }
            uploaded.forEach(file -> links.add(file.link()));
            Set<String> gone = new HashSet<>(before.links().keySet());
            links.forEach(link -> gone.remove(link.name()));
            uploads.named(uploaded);
            OwnerRecord record = before.with(links, gone, header, pack);
            written = new Written(record, uploaded);
            return record;
        } catch (IOException e) {
            throw RocksFailure.of("the upload of a checkpoint of " + owner, files == null ? Path.of("") : files, e);
        } finally {
            release();
        }
    }

    @Override
    public void sealed() {
        Written done = written;
        if (done == null) {
            throw new IllegalStateException("checkpoint of " + owner + " was sealed before it was flushed");
        }
        store.sealed(done.record, writesHeld, done.files);
    }

    @Override
    public void aborted() {
        release();
        store.aborted();
    }

    private void release() {
        if (released.compareAndSet(false, true)) {
            linked.release();
            if (files != null) {
                LocalDirectory.discard(files);
            }
        }
    }
}
