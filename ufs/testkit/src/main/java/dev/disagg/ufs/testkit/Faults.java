// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs.testkit;

import dev.disagg.ufs.Invalid;

/**
 * How often a {@link FaultyStore} fails, each a probability from 0 to 1 per call.
 *
 * @param refused an answer of 503: unavailable, nothing was done
 * @param lost the call takes effect but its answer is a reset connection: unavailable
 * @param truncated a read returns fewer bytes than asked for
 * @param late a new object is not shown by the next reads, sizes and lists
 * @param lateCalls how many such calls do not show it
 */
public record Faults(double refused, double lost, double truncated, double late, int lateCalls) {
    public Faults {
        for (double each : new double[] {refused, lost, truncated, late}) {
            if (!(each >= 0 && each <= 1)) {
                throw new Invalid("a probability must be from 0 to 1, not " + each);
            }
        }
    }

    public static Faults none() {
        return new Faults(0, 0, 0, 0, 0);
    }

    /** The same probability for every fault. */
    public static Faults all(double probability) {
        return new Faults(probability, probability, probability, probability, 2);
    }
}
