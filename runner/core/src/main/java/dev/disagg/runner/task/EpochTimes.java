// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.task;

/** The watermarks around an epoch: the one that opened it, which its elements see, and the one that sealed it, which fires timers. */
final class EpochTimes {
    final long openedMillis;
    long sealedMillis = Long.MIN_VALUE;

    EpochTimes(long openedMillis) {
        this.openedMillis = openedMillis;
    }

    boolean isSealed() {
        return sealedMillis != Long.MIN_VALUE;
    }

    @Override
    public String toString() {
        return "[" + openedMillis + ", " + (isSealed() ? sealedMillis : "open") + ")";
    }
}
