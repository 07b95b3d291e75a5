// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.rocksdb;

import dev.disagg.ufs.Corrupt;
import dev.disagg.ufs.Link;
import dev.disagg.ufs.ObjectRange;
import java.nio.ByteBuffer;
import java.util.Locale;

/**
 * A file of a database as a manifest names it: a {@link Link} drawn in {@code docs/format/manifest.md}. A table's link has
 * the file's name, which a database never uses twice; RocksDB's own manifest, which grows, always has the same.
 *
 * @param name in the database's directory
 * @param crc32c of its bytes
 */
record RocksFile(String name, ObjectRange range, int crc32c) {
    private static final byte FORMAT = 1;
    private static final String MANIFEST = "MANIFEST";
    private static final String MANIFEST_PREFIX = "MANIFEST-";
    private static final String TABLE_SUFFIX = ".sst";
    private static final int ATTRIBUTE_BYTES = 1 + 4 + 8;

    static boolean isTable(String name) {
        return name.endsWith(TABLE_SUFFIX);
    }

    static boolean isManifest(String name) {
        return name.startsWith(MANIFEST_PREFIX);
    }

    boolean isTable() {
        return isTable(name);
    }

    /** As an owner's record stores it. */
    Link link() {
        long number = isTable() ? 0 : Long.parseLong(name.substring(MANIFEST_PREFIX.length()));
        byte[] attributes = ByteBuffer.allocate(ATTRIBUTE_BYTES)
                .put(FORMAT)
                .putInt(crc32c)
                .putLong(number)
                .array();
        return new Link(isTable() ? name : MANIFEST, range, attributes);
    }

    /**
     * Reads a link back.
     *
     * @param owner for messages
     */
    static RocksFile of(String owner, Link link) {
        ByteBuffer in = ByteBuffer.wrap(link.attributes());
        boolean manifest = link.name().equals(MANIFEST);
        if (in.remaining() != ATTRIBUTE_BYTES
                || in.get() != FORMAT
                || !manifest && !link.name().matches("\\d{1,20}\\.sst")) {
            throw new Corrupt("manifest of " + owner + ": file '" + link.name() + "' in "
                    + link.range().object() + " is of no known form: restore from another checkpoint");
        }
        int crc32c = in.getInt();
        long number = in.getLong();
        return new RocksFile(
                manifest ? String.format(Locale.ROOT, "%s%06d", MANIFEST_PREFIX, number) : link.name(),
                link.range(),
                crc32c);
    }
}
