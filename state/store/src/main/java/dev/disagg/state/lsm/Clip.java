// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;
import dev.disagg.ufs.Invalid;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Which keys of a family belong to a range of key groups: by the start of the key (rows: hash; inbox: group), by the hash
 * behind the time (timers, holds), or all of them (sources, which are assigned by split).
 */
public final class Clip {
    private static final int TIME_BYTES = 8;

    private Clip() {}

    /** Whether keys of the family are ordered by group, so that a clip is a key range. */
    public static boolean ordersByGroup(Family family) {
        return family == Family.ROWS || family == Family.INBOX;
    }

    /** Whether keys of the family belong to key groups. */
    public static boolean applies(Family family) {
        return family != Family.SOURCES;
    }

    /** Whether the key belongs to the range. */
    public static boolean holds(Family family, KeyRange range, byte[] key) {
        if (!applies(family)) {
            return true;
        }
        int group = group(family, key);
        return group >= range.firstGroup() && group < range.endGroup();
    }

    /** The key group of a key; -1 for families without. */
    public static int group(Family family, byte[] key) {
        return switch (family) {
            case ROWS -> bits16(key, 0) >>> 1;
            case EVENT_TIMERS, PROCESSING_TIMERS, HOLDS -> bits16(key, TIME_BYTES) >>> 1;
            case INBOX -> bits16(key, 0);
            case SOURCES -> -1;
        };
    }

    /** First key of the range, for families ordered by group. */
    public static byte[] firstKey(Family family, KeyRange range) {
        return bytes(family == Family.ROWS ? range.firstGroup() << 1 : range.firstGroup());
    }

    /** Exclusive end of the range, for families ordered by group; null when it is the end of the family. */
    public static byte @Nullable [] endKey(Family family, KeyRange range) {
        if (family == Family.ROWS) {
            return range.endGroup() == KeyRange.GROUPS ? null : bytes(range.endGroup() << 1);
        }
        return bytes(range.endGroup());
    }

    /** Refuses a key that is too short for its family, or that this range would never find again. */
    public static void check(Family family, KeyRange range, byte[] key) {
        int shortest = switch (family) {
            case ROWS -> 20;
            case EVENT_TIMERS, PROCESSING_TIMERS, HOLDS -> TIME_BYTES + 8;
            case INBOX -> 2;
            case SOURCES -> 0;
        };
        if (key.length < shortest) {
            throw new Invalid("key " + HexFormat.of().formatHex(key) + " of " + family + " has " + key.length
                    + " bytes, its layout has at least " + shortest + ": build keys as Family describes");
        }
        if (!holds(family, range, key)) {
            throw new Invalid("key " + HexFormat.of().formatHex(key) + " of " + family + " is of group "
                    + group(family, key) + ", but this store holds groups " + range.firstGroup() + " to "
                    + (range.endGroup() - 1) + ": send the element to the task that owns its group");
        }
    }

    /** The groups in both ranges; null when there are none. */
    public static @Nullable KeyRange intersection(KeyRange one, KeyRange other) {
        int first = Math.max(one.firstGroup(), other.firstGroup());
        int end = Math.min(one.endGroup(), other.endGroup());
        return first < end ? new KeyRange(first, end) : null;
    }

    private static int bits16(byte[] key, int at) {
        return ((key[at] & 0xff) << 8) | (key[at + 1] & 0xff);
    }

    private static byte[] bytes(int bits16) {
        return new byte[] {(byte) (bits16 >>> 8), (byte) bits16};
    }
}
