// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import dev.disagg.ufs.Invalid;
import java.util.Objects;

/**
 * How a table is laid out. None of it is needed to read the table.
 *
 * @param blockBytes a data block is closed before it would pass this size, uncompressed; where entries are of rows, by the first row that begins beyond it, or in
 *     the middle of one at five quarters of it; one longer entry gets a block of its own; 64 bytes to 16 MiB
 * @param compression of data blocks; a block that does not shrink to 7/8 is stored as it is
 * @param bloomBitsPerKey size of the filter per entry, 0 (no filter) to 50
 */
public record TableOptions(int blockBytes, Compression compression, int bloomBitsPerKey) {
    /** 8 KiB blocks, LZ4, 10 bits per key (about 1 % false positives). */
    public static final TableOptions DEFAULTS = new TableOptions(8 << 10, Compression.LZ4, 10);

    public TableOptions {
        Objects.requireNonNull(compression, "compression is null");
        if (blockBytes < 64 || blockBytes > 16 << 20) {
            throw new Invalid("block size is " + blockBytes + " bytes: choose 64 to 16777216");
        }
        if (bloomBitsPerKey < 0 || bloomBitsPerKey > 50) {
            throw new Invalid("filter size is " + bloomBitsPerKey + " bits per key: choose 0 to 50");
        }
    }
}
