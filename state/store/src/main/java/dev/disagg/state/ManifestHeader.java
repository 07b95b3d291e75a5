// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state;

import dev.disagg.ufs.Corrupt;
import dev.disagg.ufs.OwnerRecord;
import java.nio.ByteBuffer;

/**
 * What the manifests of all backends begin with, in the header of an owner's record; drawn in
 * {@code docs/format/manifest.md}.
 *
 * @param format what the record's links are
 * @param range the key groups of the store that wrote it
 * @param callerHeader of the layers above the store; never modified
 */
public record ManifestHeader(Format format, KeyRange range, byte[] callerHeader) {
    private static final int FIXED_BYTES = 1 + 2 + 2;

    /** What a manifest's links are. The codes are stored: never change one. */
    public enum Format {
        /** Tables, each of one family. */
        TABLES(1, "disagg or heap"),
        /** The files of a RocksDB database. */
        ROCKSDB(2, "rocksdb");

        private final int code;
        private final String writers;

        Format(int code, String writers) {
            this.code = code;
            this.writers = writers;
        }

        /** The values of {@code --stateBackend} that write it, for messages. */
        public String writers() {
            return writers;
        }
    }

    /** As an owner's record stores it. */
    public byte[] encode() {
        return ByteBuffer.allocate(FIXED_BYTES + callerHeader.length)
                .put((byte) format.code)
                .putShort((short) range.firstGroup())
                .putShort((short) range.endGroup())
                .put(callerHeader)
                .array();
    }

    /**
     * Reads a record's header.
     *
     * @param owner for messages
     * @throws Corrupt when it is none
     */
    public static ManifestHeader of(String owner, OwnerRecord record) {
        ByteBuffer in = ByteBuffer.wrap(record.header());
        if (in.remaining() < FIXED_BYTES) {
            throw new Corrupt("manifest of " + owner + " has a header of " + in.remaining() + " bytes, fewer than "
                    + FIXED_BYTES + ": restore from another checkpoint");
        }
        Format format = format(owner, in.get());
        KeyRange range = new KeyRange(in.getShort() & 0xffff, in.getShort() & 0xffff);
        byte[] callerHeader = new byte[in.remaining()];
        in.get(callerHeader);
        return new ManifestHeader(format, range, callerHeader);
    }

    private static Format format(String owner, int code) {
        for (Format format : Format.values()) {
            if (format.code == code) {
                return format;
            }
        }
        throw new Corrupt("manifest of " + owner + " is of format " + code + ", known are 1 and 2"
                + ": restore from another checkpoint, or with the version that wrote this one");
    }
}
