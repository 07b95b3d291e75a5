// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * What the random programs do with one key: cells, timers, and a log of all that was seen. What an element or a firing
 * does is drawn from a hash of what it is and of the values it reads, so a stale read changes everything after it.
 */
abstract class KeyMachine {
    static final int CELLS = 3;
    private static final int TIMER_IDS = 3;
    private static final int MAX_TIMERS_SET = 25;

    final int key;
    final long[] cells = new long[CELLS];
    final TreeMap<Integer, Long> timers = new TreeMap<>();
    final List<Long> log = new ArrayList<>();
    /** Of derived work of other keys, whose order is free: a sum, and of how many. */
    long received;

    int receivedCount;
    private int timersSet;

    KeyMachine(int key) {
        this.key = key;
    }

    /** Synchronously in the reference, with waits in the task. */
    abstract long read(int cell);

    /** The same state in a machine that reads synchronously. */
    final KeyMachine copy() {
        KeyMachine copy = new KeyMachine(key) {
            @Override
            long read(int cell) {
                return cells[cell];
            }
        };
        System.arraycopy(cells, 0, copy.cells, 0, CELLS);
        copy.timers.putAll(timers);
        copy.log.addAll(log);
        copy.received = received;
        copy.receivedCount = receivedCount;
        copy.timersSet = timersSet;
        return copy;
    }

    /** All that a snapshot would hold. */
    final String state() {
        return "cells " + Arrays.toString(cells) + " timers " + timers + " seen " + log + " received " + receivedCount
                + ": " + received;
    }

    final void element(long seed, long number, long timestamp) {
        log.add(number);
        script(new SplittableRandom(mix(seed, key, number)), timestamp, -1);
    }

    /** Fires what is due strictly before the watermark, smallest (timestamp, id) first, looking again after each. */
    final void fireDue(long seed, long watermark) {
        int id = earliestTimer();
        while (id >= 0 && timers.get(id) < watermark) {
            long timestamp = timers.remove(id);
            log.add(-1 - timestamp);
            script(new SplittableRandom(mix(seed, mix(key, id, timestamp), log.size())), timestamp, id);
            id = earliestTimer();
        }
    }

    final long earliestTimestamp() {
        int id = earliestTimer();
        return id < 0 ? Long.MAX_VALUE : timers.get(id);
    }

    private int earliestTimer() {
        int earliest = -1;
        for (int id : timers.keySet()) {
            if (earliest < 0 || timers.get(id) < timers.get(earliest)) {
                earliest = id;
            }
        }
        return earliest;
    }

    /** @param fired the timer that fires, or -1 */
    private void script(RandomGenerator random, long timestamp, int fired) {
        long seen = 0;
        if (fired >= 0 && random.nextInt(3) == 0) {
            // A looping timer.
            set(fired, timestamp + 1 + random.nextInt(6));
        }
        for (int ops = 1 + random.nextInt(5); ops > 0; ops--) {
            int cell = random.nextInt(CELLS);
            int id = random.nextInt(TIMER_IDS);
            long draw = random.nextLong();
            switch (random.nextInt(6)) {
                case 0, 1 -> {
                    seen = mix(seen, read(cell), cell);
                    log.add(seen);
                }
                case 2 -> cells[cell] = mix(cells[cell], seen, draw);
                case 3 -> cells[cell] = mix(read(cell), seen, draw);
                case 4 -> {
                    long time = timestamp + Math.floorMod(draw ^ seen, 18) - 4;
                    set(id, time);
                    if ((draw & 3) == 0) {
                        // Equal times: the smaller id fires first.
                        set((id + 1) % TIMER_IDS, time);
                    }
                }
                default -> timers.remove(id);
            }
        }
    }

    private void set(int id, long time) {
        if (timersSet < MAX_TIMERS_SET) {
            timersSet++;
            timers.put(id, time);
        }
    }

    static long mix(long a, long b, long c) {
        long h = a * 0x9E3779B97F4A7C15L ^ Long.rotateLeft(b, 23) * 0xBF58476D1CE4E5B9L ^ Long.rotateLeft(c, 47);
        h = (h ^ h >>> 31) * 0x94D049BB133111EBL;
        return h ^ h >>> 29;
    }
}
