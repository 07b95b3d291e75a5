// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import dev.disagg.ufs.Corrupt;
import org.jspecify.annotations.Nullable;

/**
 * A watermark hold. Leader only.
 *
 * <p>Stored as times of 8 bytes, the last of which counts: a write on an unknown cell appends, and whoever reads the cell
 * next removes the index entries of the times before it.
 */
public final class HoldCell extends ScalarCell {
    private static final long NONE = Long.MAX_VALUE;

    private long millis = NONE;
    /** A write or clear that memory does not know the predecessor of. */
    private boolean blind;

    HoldCell(Row row, int cell) {
        super(row, cell);
    }

    /** The hold, {@link Long#MAX_VALUE} when there is none. Needs {@link #resident}. */
    public long read() {
        requireResident();
        return millis;
    }

    /**
     * Holds the output watermark at {@code holdMillis}. On a cell that is not resident, the hold that it replaces goes on
     * holding until the cell is read, which {@link TaskState#maintain} starts by itself.
     */
    public void write(long holdMillis) {
        row.requireLive();
        resident();
        if (known ? holdMillis == millis : blind && holdMillis == millis) {
            return;
        }
        row.beforeChange();
        // The new entry first: the minimum never passes over both.
        if (holdMillis != NONE) {
            row.cache.holds.set(indexKey(holdMillis), KeyLayout.EMPTY);
        }
        if (millis != NONE) {
            row.cache.holds.clear(indexKey(millis));
        }
        millis = holdMillis;
        if (!known) {
            blind = true;
            row.cache.unresolvedHolds.add(this);
        }
        account(8, known && millis == NONE && !stored ? 0 : CellCache.CELL_BYTES);
    }

    /** Holds no longer; as {@link #write}. */
    public void clear() {
        write(NONE);
    }

    @Override
    void clearContent() {
        write(NONE);
    }

    /**
     * What arrives at a blind write ends holds that a checkpoint still being written has: it is to have the write as well.
     */
    @Override
    boolean mayFill() {
        if (blind) {
            row.beforeChange();
        }
        return true;
    }

    @Override
    void fill(byte @Nullable [] content) {
        byte[] times = content == null ? KeyLayout.EMPTY : content;
        int length = times.length;
        if (length % 8 != 0) {
            throw new Corrupt(row.cache.describe(row, id) + " is a hold of " + length
                    + " bytes, not a multiple of 8; restore from an earlier checkpoint");
        }
        if (!blind) {
            millis = length == 0 ? NONE : KeyLayout.getLong(times, length - 8);
        }
        for (int at = 0; at < length; at += 8) {
            long superseded = KeyLayout.getLong(times, at);
            if (superseded != millis && superseded != NONE) {
                row.cache.holds.clear(indexKey(superseded));
            }
        }
        boolean rewrite = blind || length > 8 || (length == 8 && millis == NONE);
        blind = false;
        account(8, rewrite ? CellCache.CELL_BYTES : 0);
    }

    @Override
    void writeBack() {
        if (known && millis == NONE) {
            deleteStored();
        } else {
            byte[] time = new byte[8];
            KeyLayout.setLong(time, 0, millis);
            if (known) {
                store(time);
            } else {
                append(time);
            }
        }
        if (!known) {
            // The time is in the store now, among those that the next read finds.
            millis = NONE;
            blind = false;
        }
        account(8, 0);
    }

    @Override
    byte[] sub() {
        return KeyLayout.HOLD;
    }

    @Override
    String kind() {
        return "a hold";
    }

    private byte[] indexKey(long time) {
        return KeyLayout.cellHold(time, row.storeKey(0), id);
    }
}
