// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.KeyRange;
import dev.disagg.ufs.Corrupt;
import dev.disagg.ufs.Link;
import dev.disagg.ufs.OwnerRecord;
import java.nio.ByteBuffer;
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
    private static final byte FORMAT = 1;
    private static final int FIXED_BYTES = 1 + 2 + 2;

    static final Comparator<ManifestTable> NEWEST_FIRST = Comparator.comparing(ManifestTable::family)
            .thenComparingInt(ManifestTable::level)
            .thenComparing(Comparator.comparingLong(ManifestTable::run).reversed())
            .thenComparing(table -> table.info().smallestKey(), java.util.Arrays::compareUnsigned);

    /** The record's header: the store's own bytes, then the caller's. */
    public static byte[] header(KeyRange range, byte[] callerHeader) {
        return ByteBuffer.allocate(FIXED_BYTES + callerHeader.length)
                .put(FORMAT)
                .putShort((short) range.firstGroup())
                .putShort((short) range.endGroup())
                .put(callerHeader)
                .array();
    }

    /**
     * Reads a record.
     *
     * @param owner for messages
     */
    public static Manifest of(String owner, OwnerRecord record) {
        ByteBuffer in = ByteBuffer.wrap(record.header());
        if (in.remaining() < FIXED_BYTES) {
            throw new Corrupt("manifest of " + owner + " has a header of " + in.remaining() + " bytes, fewer than "
                    + FIXED_BYTES + ": restore from another checkpoint");
        }
        byte format = in.get();
        if (format != FORMAT) {
            throw new Corrupt("manifest of " + owner + " is of format " + format + ", known is " + FORMAT
                    + ": restore from another checkpoint, or with the version that wrote this one");
        }
        KeyRange range = new KeyRange(in.getShort() & 0xffff, in.getShort() & 0xffff);
        byte[] callerHeader = new byte[in.remaining()];
        in.get(callerHeader);
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
        return new Manifest(range, List.copyOf(tables), List.copyOf(shared), callerHeader);
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
