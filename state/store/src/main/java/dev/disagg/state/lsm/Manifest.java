// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.KeyRange;
import dev.disagg.state.ManifestHeader;
import dev.disagg.ufs.Invalid;
import dev.disagg.ufs.Link;
import dev.disagg.ufs.OwnerRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What an owner's record says as the manifest of one store: its tables, the range it was written for, and the header of
 * the layers above. Drawn in {@code docs/format/manifest.md}.
 *
 * @param range the key groups of the store that wrote it
 * @param tables newest first: by family, level, then run downwards, then key
 * @param shared tables of the shared runs that the store links
 */
public record Manifest(KeyRange range, List<ManifestTable> tables, List<SharedTable> shared, byte[] callerHeader) {
    static final Comparator<ManifestTable> NEWEST_FIRST = Comparator.comparing(ManifestTable::family)
            .thenComparingInt(ManifestTable::level)
            .thenComparing(Comparator.comparingLong(ManifestTable::run).reversed())
            .thenComparing(table -> table.info().smallestKey(), java.util.Arrays::compareUnsigned);

    /** The record's header: the store's own bytes, then the caller's. */
    public static byte[] header(KeyRange range, byte[] callerHeader) {
        return new ManifestHeader(ManifestHeader.Format.TABLES, range, callerHeader).encode();
    }

    /**
     * Reads a record.
     *
     * @param owner for messages
     * @throws Invalid when it is a manifest of another backend's
     */
    public static Manifest of(String owner, OwnerRecord record) {
        ManifestHeader header = ManifestHeader.of(owner, record);
        if (header.format() != ManifestHeader.Format.TABLES) {
            throw new Invalid("the checkpoint of " + owner + " was written by --stateBackend="
                    + header.format().writers() + ", and --stateBackend=disagg or heap can not open it: restore with "
                    + "--stateBackend=" + header.format().writers());
        }
        List<ManifestTable> tables = new ArrayList<>();
        List<SharedTable> shared = new ArrayList<>();
        for (Link link : record.links().values()) {
            if (SharedTable.isNameOf(link)) {
                shared.add(SharedTable.of(owner, link));
            } else {
                tables.add(ManifestTable.of(owner, link));
            }
        }
        tables.sort(NEWEST_FIRST);
        return new Manifest(header.range(), List.copyOf(tables), List.copyOf(shared), header.callerHeader());
    }

    /** The manifest for people and golden tests: one line per table, newest first. */
    public String text() {
        StringBuilder text = new StringBuilder();
        text.append("groups [").append(range.firstGroup()).append(", ").append(range.endGroup());
        text.append(") header ").append(callerHeader.length).append(" bytes\n");
        for (ManifestTable table : tables) {
            text.append(table.text()).append('\n');
        }
        for (SharedTable table : shared) {
            text.append(table.text()).append('\n');
        }
        return text.toString();
    }
}
