// SPDX-License-Identifier: Apache-2.0
package dev.disagg.examples;

import java.util.function.LongSupplier;

/** Tells how many records may have been taken by now. Not thread safe. */
final class Pace {
    private final double perSecond;
    private final LongSupplier nanos;
    private final long startNanos;
    private long taken;

    /** {@code perSecond} zero: no limit, and {@code nanos} is never asked again. */
    Pace(double perSecond, LongSupplier nanos) {
        this.perSecond = perSecond;
        this.nanos = nanos;
        this.startNanos = nanos.getAsLong();
    }

    static Pace ofSystemTime(double perSecond) {
        return new Pace(perSecond, System::nanoTime);
    }

    /** Takes one record if its time has come. */
    boolean take() {
        if (perSecond > 0 && taken + 1 > (nanos.getAsLong() - startNanos) / 1e9 * perSecond) {
            return false;
        }
        taken++;
        return true;
    }
}
