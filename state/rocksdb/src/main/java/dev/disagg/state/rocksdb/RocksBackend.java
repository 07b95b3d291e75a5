// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.rocksdb;

import dev.disagg.state.BackendContext;
import dev.disagg.state.ByteStore;
import dev.disagg.state.KeyRange;
import dev.disagg.state.SharedRuns;
import dev.disagg.state.StateBackend;
import dev.disagg.state.lsm.LinkedRuns;
import dev.disagg.state.lsm.StoredRuns;
import dev.disagg.state.lsm.TableReaders;
import dev.disagg.state.table.BlockCache;
import dev.disagg.ufs.Invalid;
import dev.disagg.ufs.UnifiedFileSystem;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.rocksdb.RocksDB;

/**
 * One process's databases, their local directory and the memory that they share. Closing it closes stores that are open;
 * what they share goes with the last of them.
 */
final class RocksBackend implements StateBackend {
    static final String NAME = "rocksdb";
    /** Of shared runs, which alone are read where they lie, and cached on the heap. */
    private static final long MOST_RUN_CACHE_BYTES = 16 << 20;

    private static final int RUN_CACHE_PART = 8;

    private final UnifiedFileSystem ufs;
    private final Executor background;
    private final AtomicInteger handles = new AtomicInteger();
    private final TableReaders runReaders;
    private final SharedRuns runs;
    private final LocalDirectory local;
    private final RocksOptions options;
    /** Guarded by this, as are the next two. */
    private final Set<RocksStore> stores = new HashSet<>();

    private int users = 1;
    private boolean closed;

    RocksBackend(BackendContext context) {
        this(context, RocksDB::loadLibrary);
    }

    /** @param library loads it */
    RocksBackend(BackendContext context, Runnable library) {
        try {
            library.run();
        } catch (RuntimeException | LinkageError e) {
            throw RocksFailure.noLibrary(e, System.getProperty("os.name"), System.getProperty("os.arch"));
        }
        this.ufs = context.files();
        this.background = context.background();
        long runCacheBytes = Math.min(MOST_RUN_CACHE_BYTES, context.memoryBytes() / RUN_CACHE_PART);
        this.runReaders = new TableReaders(ufs, new BlockCache(runCacheBytes / 2, runCacheBytes / 2));
        this.runs = new StoredRuns(ufs, runReaders, background);
        this.local = LocalDirectory.under(context.localDirectory());
        this.options = new RocksOptions(context.memoryBytes() - runCacheBytes, handles);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public CompletableFuture<ByteStore.Opened> open(String owner, KeyRange range, List<ByteStore.Parent> parents) {
        return CompletableFuture.supplyAsync(() -> openNow(owner, range, parents), background);
    }

    private ByteStore.Opened openNow(String owner, KeyRange range, List<ByteStore.Parent> parents) {
        begin(owner);
        Path home = null;
        try {
            home = local.create();
            Restore.Restored restored = new Restore(ufs, options, handles, owner, range, home).from(parents);
            RocksStore store = new RocksStore(
                    owner,
                    range,
                    home,
                    restored.database(),
                    new Uploads(ufs, restored.stored()),
                    new LinkedRuns(runReaders, restored.shared()),
                    restored.continued(),
                    ufs.emptyOwner(),
                    background,
                    this::closed);
            opened(owner, store);
            return new ByteStore.Opened(store, restored.headers());
        } catch (RuntimeException | Error e) {
            if (home != null) {
                LocalDirectory.discard(home);
            }
            end();
            throw e;
        }
    }

    private synchronized void begin(String owner) {
        if (closed) {
            throw new Invalid("the state backend is closed: " + owner + " can not be opened");
        }
        users++;
    }

    private void opened(String owner, RocksStore store) {
        synchronized (this) {
            if (!closed) {
                stores.add(store);
                return;
            }
        }
        users(1); // that of the store, which its end takes back
        store.close();
        throw new Invalid("the state backend was closed while " + owner + " was opened");
    }

    private void closed(RocksStore store) {
        synchronized (this) {
            stores.remove(store);
        }
        end();
    }

    private void end() {
        users(-1);
    }

    /** What all share goes with the last user. */
    private void users(int more) {
        synchronized (this) {
            users += more;
            if (users > 0) {
                return;
            }
        }
        options.close();
        local.close();
    }

    @Override
    public SharedRuns sharedRuns() {
        return runs;
    }

    /** Native objects that are open; 0 once all is closed. */
    int openHandles() {
        return handles.get();
    }

    /** Native memory of blocks and memtables. */
    long nativeBytes() {
        return options.usedBytes();
    }

    Path directory() {
        return local.path();
    }

    @Override
    public void close() {
        List<RocksStore> open;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            open = List.copyOf(stores);
        }
        open.forEach(RocksStore::close);
        end();
    }
}
