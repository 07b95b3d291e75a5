// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

import dev.disagg.runner.task.SimulatedTask;
import dev.disagg.state.cell.TaskStateOptions;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * What a {@link Plan} runs under.
 *
 * @param residentPercent share of the reads that the store answers at once
 * @param maxGapNanos between two feeds
 * @param chunk most items of a feed
 * @param refusePercent share of thread starts that fail
 */
record Setting(
        SimulatedTask.Bounds bounds,
        int residentPercent,
        long maxLatencyNanos,
        long maxGapNanos,
        int chunk,
        int refusePercent) {

    static Setting random(RandomGenerator random) {
        boolean dense = random.nextInt(2) == 0;
        boolean handOver = random.nextInt(8) != 0;
        return new Setting(
                new SimulatedTask.Bounds(
                        handOver ? 1 + random.nextInt(12) : 1,
                        random.nextInt(6),
                        2 + random.nextInt(6),
                        handOver,
                        random.nextInt(3) == 0,
                        1 + random.nextInt(20),
                        TimeUnit.MICROSECONDS.toNanos(1L << (dense ? 14 : random.nextInt(14))),
                        new TaskStateOptions(
                                random.nextInt(3) == 0 ? 2000 : 0, random.nextInt(3) * 300L, 4 + random.nextInt(20))),
                new int[] {0, 50, 90}[random.nextInt(3)],
                2L << random.nextInt(22),
                dense ? 2 : 2L << random.nextInt(21),
                1 + random.nextInt(12),
                random.nextInt(5) == 0 ? 40 : 0);
    }

    /** Everything is in memory, and one element is over before the next begins. */
    static Setting simplest() {
        return new Setting(
                new SimulatedTask.Bounds(1, 0, 2, false, false, 1, 1, new TaskStateOptions(1 << 20, 1 << 20, 1024)),
                100,
                2,
                2,
                1,
                0);
    }
}
