// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.rocksdb;

import dev.disagg.state.ManifestHeader;
import dev.disagg.state.lsm.SharedTable;
import dev.disagg.ufs.Corrupt;
import dev.disagg.ufs.Link;
import dev.disagg.ufs.OwnerRecord;
import java.util.ArrayList;
import java.util.List;

/**
 * What an owner's record says as the manifest of a database.
 *
 * @param files all that a database is opened from: its tables and its own manifest
 * @param shared tables of the shared runs that the store links
 */
record RocksManifest(ManifestHeader header, List<RocksFile> files, List<SharedTable> shared) {
    /** @param owner for messages */
    static RocksManifest of(String owner, OwnerRecord record) {
        List<RocksFile> files = new ArrayList<>();
        List<SharedTable> shared = new ArrayList<>();
        for (Link link : record.links().values()) {
            if (SharedTable.isNameOf(link)) {
                shared.add(SharedTable.of(owner, link));
            } else {
                files.add(RocksFile.of(owner, link));
            }
        }
        if (files.stream().filter(file -> !file.isTable()).count() != 1) {
            throw new Corrupt("manifest of " + owner + " does not name RocksDB's own manifest: restore from another"
                    + " checkpoint");
        }
        return new RocksManifest(ManifestHeader.of(owner, record), List.copyOf(files), List.copyOf(shared));
    }

    long bytes() {
        return files.stream().mapToLong(file -> file.range().length()).sum();
    }
}
