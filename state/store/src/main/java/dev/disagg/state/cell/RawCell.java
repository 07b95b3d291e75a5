// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import org.jspecify.annotations.Nullable;

/** A value, bag or accumulator that came with its row and that nobody asked for yet. */
final class RawCell extends ScalarCell {
    private byte @Nullable [] content;

    RawCell(Row row, int id) {
        super(row, id);
    }

    @Override
    void fill(byte @Nullable [] arrived) {
        content = arrived;
        account(arrived == null ? 0 : arrived.length, 0);
    }

    @Override
    void writeBack() {
        if (content == null) {
            deleteStored();
        }
        account(content == null ? 0 : content.length, 0);
    }

    @Override
    void clearContent() {
        row.beforeChange();
        content = null;
        known = true;
        account(0, stored ? CellCache.CELL_BYTES : 0);
    }

    @Override
    String kind() {
        return "a stored value";
    }

    /** Its caller knows what it is. */
    void becomes(ScalarCell typed) {
        boolean cleared = dirtyBytes > 0;
        replacedBy(typed);
        typed.fill(content);
        if (cleared) {
            typed.clearContent();
        }
    }
}
