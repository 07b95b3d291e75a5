// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;

/**
 * Which records may go. A number that somebody could still try to put must stay taken: a zombie of an earlier epoch tries
 * a number between its own last record and the next EPOCH. So besides every EPOCH record, what lies between the last
 * record of an epoch, included, and the next EPOCH is kept: one record, and the pins after it.
 */
final class LogPruning {
    /** What pruning must know of a record. */
    enum Mark {
        EPOCH,
        /** Carries its writer's epoch, and a baseline. */
        BASELINE,
        /** PIN or UNPIN. */
        PIN,
        /** Listed, never read. */
        UNREAD;

        static Mark of(LogRecord record) {
            if (record instanceof LogRecord.Epoch) {
                return EPOCH;
            }
            return record.epoch() > 0 ? BASELINE : PIN;
        }
    }

    private LogPruning() {}

    /**
     * @param records all that exist, as far as known; those before an unread one are not considered
     * @param needed records that carry kept checkpoints
     */
    static List<Long> prunable(NavigableMap<Long, Mark> records, Set<Long> needed) {
        List<Long> prunable = new ArrayList<>();
        boolean baselineAfter = false;
        boolean lastOfItsEpoch = false;
        for (var record : records.descendingMap().entrySet()) {
            Mark mark = record.getValue();
            if (mark == Mark.UNREAD) {
                break;
            }
            if (mark == Mark.EPOCH) {
                lastOfItsEpoch = true;
                continue;
            }
            if (!lastOfItsEpoch && baselineAfter && !needed.contains(record.getKey())) {
                prunable.add(record.getKey());
            }
            if (mark == Mark.BASELINE) {
                baselineAfter = true;
                lastOfItsEpoch = false;
            }
        }
        return prunable;
    }
}
