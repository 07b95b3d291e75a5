// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.state;

import dev.disagg.state.cell.Cell;
import java.util.Arrays;

/** What a body has read of its key's state, each cell once; from it the task learns what to fetch before the next one. One owner. */
public final class Touched {
    /** A body that reads more than so many cells of windows has all of its rows fetched anyway. */
    static final int MAX_CELLS = 16;

    private final int[] cells = new int[MAX_CELLS];
    private int count;
    private boolean missed;

    Touched() {}

    void add(Cell cell) {
        if (cell.row().isGlobal()) {
            return;
        }
        int id = cell.id();
        for (int i = 0; i < count; i++) {
            if (cells[i] == id) {
                return;
            }
        }
        if (count < MAX_CELLS) {
            cells[count++] = id;
        }
    }

    void miss() {
        missed = true;
    }

    /** How many cells in rows of windows were read. */
    public int count() {
        return count;
    }

    /** The number of one of them, in the order in which they were first read. */
    public int cell(int index) {
        return cells[index];
    }

    /** Whether the body had to wait for one that had not been fetched before it. */
    public boolean missed() {
        return missed;
    }

    /** Begins anew. */
    public void clear() {
        count = 0;
        missed = false;
    }

    @Override
    public String toString() {
        return Arrays.toString(Arrays.copyOf(cells, count)) + (missed ? " with a miss" : "");
    }
}
