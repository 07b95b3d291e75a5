// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** A random input and the settings it runs under, all from one seed; and what a sequential run makes of it. */
final class KeyedProgram {
    sealed interface Item {}

    record Element(int key, long number, long timestamp) implements Item {}

    record Watermark(int index, long time) implements Item {}

    record Barrier(int index) implements Item {}

    final long seed;
    final int keys;
    final List<Item> items = new ArrayList<>();
    final int residentPercent;
    final int maxLatencyNanos;
    final int batch;
    final int refusePercent;
    final boolean derives;
    final int maxInFlight;
    final int maxParked;
    final int maxOpenEpochs;
    final boolean handOver;

    /** Of the sequential run: per key all that was seen. */
    final List<List<Long>> expected = new ArrayList<>();
    /** Of the sequential run: per watermark and key, how much was seen when the watermark had been dealt with. */
    final List<int[]> seenByWatermark = new ArrayList<>();
    /** Of the sequential run: per watermark and key, how much derived work had reached the key by then. */
    final List<int[]> receivedByWatermark = new ArrayList<>();
    /** Of the sequential run: per barrier and key, all that the key holds. */
    final List<List<String>> stateAtBarrier = new ArrayList<>();
    /** Of the sequential run: per key, what it holds at the end. */
    final List<String> stateAtEnd = new ArrayList<>();

    final int maxRounds;
    final int errandPercent;

    KeyedProgram(long seed) {
        this.seed = seed;
        SplittableRandom random = new SplittableRandom(seed);
        keys = 1 + random.nextInt(6);
        residentPercent = new int[] {0, 50, 90, 100}[random.nextInt(4)];
        maxLatencyNanos = 1 + random.nextInt(2000);
        batch = 1 + random.nextInt(8);
        refusePercent = random.nextInt(4) == 0 ? 40 : 0;
        derives = random.nextInt(3) == 0;
        maxInFlight = 1 + random.nextInt(12);
        maxParked = random.nextInt(5);
        maxOpenEpochs = 2 + random.nextInt(5);
        handOver = random.nextInt(8) != 0;
        maxRounds = 1 + random.nextInt(4);
        errandPercent = random.nextInt(3) == 0 ? 30 : 0;
        long time = 0;
        int watermarks = 0;
        int barriers = 0;
        for (int n = 10 + random.nextInt(50); n > 0; n--) {
            int kind = random.nextInt(20);
            if (kind < 13) {
                items.add(new Element(random.nextInt(keys), items.size(), time + random.nextInt(20)));
            } else if (kind < 19) {
                time += random.nextInt(12);
                items.add(new Watermark(watermarks++, time));
            } else {
                items.add(new Barrier(barriers++));
            }
        }
        items.add(new Watermark(watermarks, Long.MAX_VALUE));
        runSequentially();
    }

    /** The key that an element's derived work goes to. */
    int derivedKey(Element element) {
        return (element.key + 1) % keys;
    }

    private void runSequentially() {
        List<KeyMachine> machines = new ArrayList<>();
        for (int key = 0; key < keys; key++) {
            machines.add(new KeyMachine(key) {
                @Override
                long read(int cell) {
                    return cells[cell];
                }
            });
        }
        long watermark = Long.MIN_VALUE;
        for (Item item : items) {
            if (item instanceof Element element) {
                KeyMachine machine = machines.get(element.key);
                machine.element(seed, element.number, element.timestamp);
                machine.fireDue(seed, watermark);
                if (derives) {
                    KeyMachine receiver = machines.get(derivedKey(element));
                    receiver.received += element.number;
                    receiver.receivedCount++;
                }
            } else if (item instanceof Watermark next) {
                watermark = next.time;
                int[] seen = new int[keys];
                int[] received = new int[keys];
                for (KeyMachine machine : machines) {
                    machine.fireDue(seed, watermark);
                    seen[machine.key] = machine.log.size();
                    received[machine.key] = machine.receivedCount;
                }
                seenByWatermark.add(seen);
                receivedByWatermark.add(received);
            } else if (item instanceof Barrier) {
                stateAtBarrier.add(machines.stream().map(KeyMachine::state).toList());
            }
        }
        machines.forEach(machine -> expected.add(machine.log));
        machines.forEach(machine -> stateAtEnd.add(machine.state()));
    }
}
