// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

/** How data blocks are compressed. The codes are RocksDB's: stored with each block, never to change. */
public enum Compression {
    /** Stored as it is. */
    NONE(0, "NoCompression"),
    /** Raw LZ4 block: for tables that are read and rewritten often. */
    LZ4(4, "LZ4"),
    /** One Zstandard frame: for the last level, which is written rarely. */
    ZSTD(7, "ZSTD");

    private final int code;
    private final String propertyName;

    Compression(int code, String propertyName) {
        this.code = code;
        this.propertyName = propertyName;
    }

    /** The stored number. */
    int code() {
        return code;
    }

    /** The name in the table's properties. */
    String propertyName() {
        return propertyName;
    }
}
