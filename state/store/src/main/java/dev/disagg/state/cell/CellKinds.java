// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What kind each cell of a task is, from whoever asked for it or read it first: what comes behind its id in class 0. Never
 * more entries than a pipeline has cells.
 */
final class CellKinds {
    private int[] ids = new int[8];
    private byte @Nullable [][] subs = new byte[8][];
    private int size;

    /** Null when nobody said. */
    byte @Nullable [] of(int cell) {
        int mask = ids.length - 1;
        for (int i = slot(cell, mask); subs[i] != null; i = (i + 1) & mask) {
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
            byte @Nullable [][] oldSubs = subs;
            ids = new int[oldIds.length * 2];
            subs = Arrays.copyOf(new byte[0][], ids.length);
            for (int i = 0; i < oldIds.length; i++) {
                byte[] old = oldSubs[i];
                if (old != null) {
                    insert(oldIds[i], old);
                }
            }
        }
        insert(cell, sub);
    }

    private void insert(int cell, byte[] sub) {
        int mask = ids.length - 1;
        int i = slot(cell, mask);
        while (subs[i] != null) {
            i = (i + 1) & mask;
        }
        ids[i] = cell;
        subs[i] = sub;
    }

    private static int slot(int cell, int mask) {
        return (cell ^ (cell >>> 16)) & mask;
    }
}
