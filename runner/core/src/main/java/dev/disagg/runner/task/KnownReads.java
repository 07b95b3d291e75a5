// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

import dev.disagg.runner.state.Touched;

/**
 * What computations of one kind have lately read of their windows' rows, cell by cell: an average that moves by 1/64 with each
 * of them. What is read by one in sixteen or more is worth being fetched ahead; so is everything before the first is over. A
 * cell that is asked for with {@code readLater} or is {@code @AlwaysFetched} counts as read each time. Leader only.
 */
final class KnownReads {
    private static final int MAX_CELLS = 32;
    private static final int ALWAYS = 1 << 16;
    private static final int WORTH_IT = ALWAYS / 16;
    private static final int SHIFT = 6;

    private final int[] cells = new int[MAX_CELLS];
    private final int[] shares = new int[MAX_CELLS];
    private int count;
    private int misses = ALWAYS;
    private boolean begun;
    /** Bits of the cells that are worth fetching. */
    private int worth;
    /** More cells were read than are told apart. */
    private boolean many;

    /** A computation of the kind has ended and had read this. */
    void learn(Touched touched) {
        begun = true;
        misses += ((touched.missed() ? ALWAYS : 0) - misses) >> SHIFT;
        int read = 0;
        for (int i = 0; i < touched.count(); i++) {
            int at = indexOf(touched.cell(i));
            if (at >= 0) {
                read |= 1 << at;
            } else {
                many = true;
            }
        }
        int nowWorth = 0;
        for (int i = 0; i < count; i++) {
            boolean wasRead = (read >>> i & 1) != 0;
            shares[i] += ((wasRead ? ALWAYS : 0) - shares[i]) >> SHIFT;
            if (shares[i] >= WORTH_IT) {
                nowWorth |= 1 << i;
            }
        }
        worth = nowWorth;
    }

    /** A cell is new as one that every computation reads: the first that did is the only one known of. */
    private int indexOf(int cell) {
        for (int i = 0; i < count; i++) {
            if (cells[i] == cell) {
                return i;
            }
        }
        if (count == MAX_CELLS) {
            return -1;
        }
        cells[count] = cell;
        shares[count] = ALWAYS;
        return count++;
    }

    /** Whether rows of windows are worth being fetched. */
    boolean any() {
        return worth != 0 || many || !begun;
    }

    /** Whether bodies still wait in their middle, so that it is worth looking closer for what they will read. */
    boolean miss() {
        return misses >= WORTH_IT;
    }

    @Override
    public String toString() {
        return count + " cells, " + Integer.bitCount(worth) + " worth fetching";
    }
}
