// SPDX-License-Identifier: Apache-2.0
package dev.disagg.benchmarks.async;

import java.util.concurrent.atomic.LongAdder;

/** How many elements this process has done. */
final class Done {
    private static final LongAdder ELEMENTS = new LongAdder();

    private Done() {}

    static void add() {
        ELEMENTS.increment();
    }

    static long elements() {
        return ELEMENTS.sum();
    }
}
