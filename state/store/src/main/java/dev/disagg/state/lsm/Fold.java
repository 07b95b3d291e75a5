// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.table.EntryKind;
import dev.disagg.state.table.TableEntry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the entries of one key in several sources become in one. The rules, newest first:
 *
 * <pre>
 *  tails over a put           -> put of base and tails
 *  tails over a delete        -> put of the tails alone: the old value does not come back
 *  tails, nothing below       -> a merge while an older source may hold the key, else a put
 *  a delete                   -> a delete while an older source may hold the key, else nothing
 * </pre>
 */
final class Fold {
    private static final byte[] EMPTY = {};

    private Fold() {}

    /**
     * @param newestFirst entries of one key, not empty
     * @param olderMayHold whether a source older than all of these may hold the key
     * @return null when nothing is left of the key
     */
    static @Nullable TableEntry fold(List<TableEntry> newestFirst, boolean olderMayHold) {
        TableEntry newest = newestFirst.get(0);
        if (newest.kind() == EntryKind.PUT) {
            return newest;
        }
        if (newest.kind() == EntryKind.DELETE) {
            return olderMayHold ? newest : null;
        }
        int tails = 0;
        for (TableEntry entry : newestFirst) {
            if (entry.kind() != EntryKind.MERGE) {
                int parts = entry.kind() == EntryKind.PUT ? tails + 1 : tails;
                return new TableEntry(newest.key(), EntryKind.PUT, concatenate(newestFirst, parts));
            }
            tails++;
        }
        EntryKind kind = olderMayHold ? EntryKind.MERGE : EntryKind.PUT;
        return new TableEntry(newest.key(), kind, concatenate(newestFirst, tails));
    }

    /** The values of the first {@code count} entries, oldest first. */
    private static byte[] concatenate(List<TableEntry> newestFirst, int count) {
        if (count == 1) {
            return newestFirst.get(0).value();
        }
        long length = 0;
        for (int i = 0; i < count; i++) {
            length += newestFirst.get(i).value().length;
        }
        byte[] all = length == 0 ? EMPTY : new byte[Math.toIntExact(length)];
        int at = 0;
        for (int i = count - 1; i >= 0; i--) {
            byte[] part = newestFirst.get(i).value();
            System.arraycopy(part, 0, all, at, part.length);
            at += part.length;
        }
        return all;
    }
}
