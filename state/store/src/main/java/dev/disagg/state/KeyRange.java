// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state;

import dev.disagg.ufs.Invalid;

/**
 * A contiguous range of key groups. A key's group is the top 15 bits of its 64-bit hash, taken as unsigned.
 *
 * @param firstGroup first group, inclusive, 0 to 32767
 * @param endGroup end, exclusive, more than {@code firstGroup}, at most 32768
 */
public record KeyRange(int firstGroup, int endGroup) {
    /** Number of groups: the highest parallelism. */
    public static final int GROUPS = 1 << 15;

    /** All keys. */
    public static final KeyRange ALL = new KeyRange(0, GROUPS);

    public KeyRange {
        if (firstGroup < 0 || endGroup <= firstGroup || endGroup > GROUPS) {
            throw new Invalid("not a range of key groups: [" + firstGroup + ", " + endGroup + ") of " + GROUPS);
        }
    }

    /** The group of a key with this hash. */
    public static int group(long hash) {
        return (int) (hash >>> (64 - 15));
    }

    /** The range of task {@code index} of {@code parallelism}; the ranges of all indexes cover all groups, disjointly. */
    public static KeyRange of(int index, int parallelism) {
        int from = (int) ((long) index * GROUPS / parallelism);
        int to = (int) ((long) (index + 1) * GROUPS / parallelism);
        return new KeyRange(from, to);
    }

    /** The index of the task that owns {@code group} among {@code parallelism} tasks: inverse of {@link #of}. */
    public static int owner(int group, int parallelism) {
        return (int) ((((long) group + 1) * parallelism - 1) / GROUPS);
    }

    public boolean contains(long hash) {
        int group = group(hash);
        return group >= firstGroup && group < endGroup;
    }
}
