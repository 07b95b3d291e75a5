// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What kind each cell of a task is, from whoever asked for it or read it first: what comes behind its id in class 0. Never
 * more entries than a pipeline has cells.
 */
final class CellKinds {
    /** In a free slot; told apart by identity. */
    private static final byte[] FREE = new byte[0];

    private int[] ids = new int[8];
    private byte[][] subs = free(8);
    private int size;

    /** Null when nobody said. */
    byte @Nullable [] of(int cell) {
        int mask = ids.length - 1;
        for (int i = slot(cell, mask); subs[i] != FREE; i = (i + 1) & mask) {
            if (ids[i] == cell) {
                return subs[i];
            }
        }
        return null;
    }

    void note(int cell, byte[] sub) {
        if (of(cell) != null) {
            return;
        }
        if (++size * 2 > ids.length) {
            int[] oldIds = ids;
            byte[][] oldSubs = subs;
            ids = new int[oldIds.length * 2];
            subs = free(ids.length);
            for (int i = 0; i < oldIds.length; i++) {
                byte[] old = oldSubs[i];
                if (old != FREE) {
                    insert(oldIds[i], old);
                }
            }
        }
        insert(cell, sub);
    }

    private void insert(int cell, byte[] sub) {
        int mask = ids.length - 1;
        int i = slot(cell, mask);
        while (subs[i] != FREE) {
            i = (i + 1) & mask;
        }
        ids[i] = cell;
        subs[i] = sub;
    }

    private static byte[][] free(int length) {
        byte[][] subs = new byte[length][];
        Arrays.fill(subs, FREE);
        return subs;
    }

    private static int slot(int cell, int mask) {
        return (cell ^ (cell >>> 16)) & mask;
    }
}
