// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import java.util.zip.CRC32C;

/** CRC32c as blocks keep it: rotated and shifted, so that the checksum of bytes that hold checksums stays useful. */
final class MaskedCrc {
    private static final int DELTA = 0xa282ead8;

    private MaskedCrc() {}

    static int of(byte[] bytes, int at, int length) {
        return mask(plain(bytes, at, length));
    }

    static int plain(byte[] bytes, int at, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, at, length);
        return (int) crc.getValue();
    }

    static int mask(int crc) {
        return Integer.rotateRight(crc, 15) + DELTA;
    }
}
