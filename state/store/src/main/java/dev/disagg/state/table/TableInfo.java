// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

/**
 * What a manifest keeps of a table, about 100 bytes: enough to skip the table for most keys, to open it with one read, and
 * to notice damage of its tail (whose footer has no checksum of its own).
 *
 * @param bytes size of the table
 * @param tailOffset where the data blocks end, and filter, index, properties and footer begin
 * @param tailCrc32c CRC32c (plain, not masked) of the bytes from {@code tailOffset} to the end
 * @param smallestKey first key
 * @param largestKey last key
 * @param entries number of entries: puts, deletes and merges
 * @param deletes entries that are {@link EntryKind#DELETE}
 * @param merges entries that are {@link EntryKind#MERGE}
 */
public record TableInfo(
        long bytes,
        long tailOffset,
        int tailCrc32c,
        byte[] smallestKey,
        byte[] largestKey,
        long entries,
        long deletes,
        long merges) {

    /** The stored form: a version byte, then the fields in order; drawn in {@code docs/format/table.md}. */
    public byte[] encode() {
        throw new UnsupportedOperationException();
    }

    /**
     * Reads the stored form, which is the whole array.
     *
     * @throws dev.disagg.ufs.Corrupt when the bytes are not what {@link #encode} writes
     */
    public static TableInfo decode(byte[] encoded) {
        throw new UnsupportedOperationException();
    }

    /** Whether {@code key} is within the first and the last key. */
    public boolean covers(byte[] key) {
        throw new UnsupportedOperationException();
    }

    /** Whether the table may have keys in {@code [from, to)}; {@code to} null means no end. */
    public boolean overlaps(byte[] from, byte @org.jspecify.annotations.Nullable [] to) {
        throw new UnsupportedOperationException();
    }
}
