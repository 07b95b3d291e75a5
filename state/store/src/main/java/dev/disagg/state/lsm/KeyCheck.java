// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.lsm;

import dev.disagg.state.Family;
import dev.disagg.state.KeyRange;

/** What every backend asks of the keys it is given. */
public final class KeyCheck {
    private KeyCheck() {}

    /**
     * @throws dev.disagg.ufs.Invalid when the key is too short for its family's layout, or of a group outside the range
     */
    public static void check(Family family, KeyRange range, byte[] key) {
        Clip.check(family, range, key);
    }
}
