// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import java.util.ArrayDeque;

/** Hold cells written blindly: what they replaced holds the watermark until they are read. */
final class UnresolvedHolds {
    private static final int MAX_WAITING = 4096;
    private static final int SLICE = 16;

    private final ArrayDeque<HoldCell> waiting = new ArrayDeque<>();

    /** When too many wait, the cell is resolved when its row is next read. */
    void add(HoldCell cell) {
        if (waiting.size() < MAX_WAITING) {
            cell.row.retained++;
            waiting.add(cell);
        }
    }

    void maintain() {
        for (int i = Math.min(SLICE, waiting.size()); i > 0; i--) {
            HoldCell cell = waiting.remove();
            if (!cell.resident()) {
                cell.fetch();
            }
            if (cell.resident()) {
                cell.row.retained--;
            } else {
                waiting.add(cell);
            }
        }
    }
}
