// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.rocksdb;

import dev.disagg.state.ByteStore.Cursor;
import dev.disagg.state.ByteStore.Entry;
import dev.disagg.state.ByteStore.Parent;
import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.state.ManifestHeader;
import dev.disagg.state.ManifestHeader.Format;
import dev.disagg.state.lsm.Clip;
import dev.disagg.state.lsm.ManifestTable;
import dev.disagg.state.lsm.OpenPlan;
import dev.disagg.state.lsm.SharedTable;
import dev.disagg.state.lsm.TableReaders;
import dev.disagg.state.table.BlockCache;
import dev.disagg.ufs.Await;
import dev.disagg.ufs.Invalid;
import dev.disagg.ufs.OwnerRecord;
import dev.disagg.ufs.UnifiedFileSystem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Makes one task's database from checkpoints. One parent's database is downloaded and opened, what is outside of the range
 * deleted; entries of other parents are copied into it. Checkpoints of {@code disagg} and {@code heap} are read entry by
 * entry. Blocking; one use.
 */
final class Restore {
    private static final int PAGE_BYTES = 1 << 20;

    private final UnifiedFileSystem ufs;
    private final RocksOptions options;
    private final AtomicInteger handles;
    private final String owner;
    private final KeyRange range;
    private final Path home;

    /** @param home a directory of the task's own */
    Restore(
            UnifiedFileSystem ufs,
            RocksOptions options,
            AtomicInteger handles,
            String owner,
            KeyRange range,
            Path home) {
        this.ufs = ufs;
        this.options = options;
        this.handles = handles;
        this.owner = owner;
        this.range = range;
        this.home = home;
    }

    /**
     * @param stored tables of the database that are on the object store
     * @param continued the record that the next manifest may be a delta to, when nothing was changed since; else null
     */
    record Restored(
            Database database,
            List<RocksFile> stored,
            List<SharedTable> shared,
            List<byte[]> headers,
            @Nullable OwnerRecord continued) {}

    Restored from(List<Parent> parents) {
        List<Format> formats = parents.stream()
                .map(parent -> ManifestHeader.of(owner, parent.manifest()).format())
                .distinct()
                .toList();
        if (formats.size() > 1) {
            throw new Invalid(
                    "manifests to open " + owner + " from are of several backends: pass manifests of one checkpoint");
        }
        if (formats.isEmpty()) {
            return new Restored(open(home.resolve("db")), List.of(), List.of(), List.of(), null);
        }
        return switch (formats.get(0)) {
            case TABLES -> fromTables(OpenPlan.of(owner, range, parents));
            case ROCKSDB -> fromDatabases(parents);
        };
    }

    private Database open(Path directory) {
        return Database.open(owner, directory, options, handles);
    }

    // ---- from databases

    private Restored fromDatabases(List<Parent> parents) {
        List<RocksManifest> manifests = manifests(parents);
        int first = largest(manifests);
        Database database = download(manifests.get(first), "db");
        try {
            boolean same = parents.size() == 1 && parents.get(0).range().equals(range);
            if (!same) {
                clip(database, manifests.get(first).header().range());
                // Of two parents' sources the first one's stay.
                for (int i = first - 1; i >= 0; i--) {
                    copy(manifests.get(i), i, database, true);
                }
                for (int i = first + 1; i < manifests.size(); i++) {
                    copy(manifests.get(i), i, database, false);
                }
            }
            Set<SharedTable> shared = new LinkedHashSet<>();
            manifests.forEach(manifest -> shared.addAll(manifest.shared()));
            return new Restored(
                    database,
                    manifests.get(first).files(),
                    List.copyOf(shared),
                    manifests.stream()
                            .map(manifest -> manifest.header().callerHeader())
                            .toList(),
                    same ? parents.get(0).manifest() : null);
        } catch (RuntimeException | Error e) {
            database.close();
            throw e;
        }
    }

    private List<RocksManifest> manifests(List<Parent> parents) {
        List<RocksManifest> manifests = new ArrayList<>();
        for (Parent parent : parents) {
            RocksManifest manifest = RocksManifest.of(owner, parent.manifest());
            KeyRange written = manifest.header().range();
            if (!written.equals(parent.range())) {
                throw new Invalid("manifest to open " + owner + " from was written for " + written + " and given as "
                        + parent.range() + ": pass the range that it was written for");
            }
            for (RocksManifest other : manifests) {
                if (Clip.intersection(other.header().range(), written) != null) {
                    throw new Invalid("manifests to open " + owner + " from overlap: "
                            + other.header().range() + " and " + written + ": pass manifests of one checkpoint");
                }
            }
            manifests.add(manifest);
        }
        return manifests;
    }

    private static int largest(List<RocksManifest> manifests) {
        int largest = 0;
        for (int i = 1; i < manifests.size(); i++) {
            if (manifests.get(i).bytes() > manifests.get(largest).bytes()) {
                largest = i;
            }
        }
        return largest;
    }

    private Database download(RocksManifest manifest, String name) {
        Path directory = home.resolve(name);
        Download.of(ufs, owner, manifest.files(), directory);
        return open(directory);
    }

    /** Deletes what is outside of the range. */
    private void clip(Database database, KeyRange written) {
        if (range.firstGroup() <= written.firstGroup() && range.endGroup() >= written.endGroup()) {
            return;
        }
        for (Family family : Family.values()) {
            if (Clip.ordersByGroup(family)) {
                clipOrdered(database, family);
            } else if (Clip.applies(family)) {
                each(all(database, family), entry -> {
                    if (!Clip.holds(family, range, entry.key())) {
                        database.delete(family, entry.key());
                    }
                });
            }
        }
    }

    private void clipOrdered(Database database, Family family) {
        if (range.firstGroup() > 0) {
            database.deleteRange(family, new byte[0], Clip.firstKey(family, range));
        }
        byte[] end = Clip.endKey(family, range);
        byte[] last = end == null ? null : database.lastKey(family);
        if (end != null && last != null && Arrays.compareUnsigned(last, end) >= 0) {
            database.deleteRange(family, end, last);
            database.delete(family, last);
        }
    }

    /** @param replace whether its sources replace those of the same split that are there */
    private void copy(RocksManifest manifest, int number, Database to, boolean replace) {
        String name = "parent-" + number;
        try (Database from = download(manifest, name)) {
            for (Family family : Family.values()) {
                boolean clipped = Clip.applies(family);
                each(all(from, family), entry -> {
                    boolean taken = clipped
                            ? Clip.holds(family, range, entry.key())
                            : replace || to.get(family, entry.key()) == null;
                    if (taken) {
                        to.put(family, entry.key(), entry.value());
                    }
                });
            }
        }
        LocalDirectory.discard(home.resolve(name));
    }

    private static Cursor all(Database database, Family family) {
        return database.scan(family, new byte[0], null, false);
    }

    // ---- from tables

    private Restored fromTables(OpenPlan plan) {
        Database database = open(home.resolve("db"));
        try {
            TableReaders readers = new TableReaders(ufs, new BlockCache(0, 0));
            for (List<ManifestTable> ofParent : plan.sources()) {
                each(readers.scanAll(owner, Family.SOURCES, ofParent), entry -> {
                    if (database.get(Family.SOURCES, entry.key()) == null) {
                        database.put(Family.SOURCES, entry.key(), entry.value());
                    }
                });
            }
            for (Family family : Family.values()) {
                each(
                        readers.scanAll(owner, family, plan.tables()),
                        entry -> database.put(family, entry.key(), entry.value()));
            }
            return new Restored(database, List.of(), plan.shared(), plan.headers(), null);
        } catch (RuntimeException | Error e) {
            database.close();
            throw e;
        }
    }

    private interface Each {
        void take(Entry entry);
    }

    private void each(Cursor cursor, Each each) {
        try (cursor) {
            List<Entry> page = page(cursor);
            while (!page.isEmpty()) {
                page.forEach(each::take);
                page = page(cursor);
            }
        }
    }

    private List<Entry> page(Cursor cursor) {
        return Await.get(cursor.next(PAGE_BYTES), "a checkpoint of " + owner);
    }
}
