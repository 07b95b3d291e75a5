// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** All the ways in which one bit of a record can be wrong, or its end be missing, or a byte be added. */
final class Damage {
    private Damage() {}

    static List<byte[]> all(ByteBuffer record) {
        byte[] good = new byte[record.remaining()];
        record.duplicate().get(good);
        List<byte[]> damaged = new ArrayList<>();
        for (int bit = 0; bit < good.length * 8; bit++) {
            byte[] flipped = good.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            damaged.add(flipped);
        }
        for (int length = 0; length < good.length; length++) {
            damaged.add(Arrays.copyOf(good, length));
        }
        damaged.add(Arrays.copyOf(good, good.length + 1));
        return damaged;
    }
}
