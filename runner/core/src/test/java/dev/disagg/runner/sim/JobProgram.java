// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

import dev.disagg.runner.task.SimulatedTask;
import dev.disagg.state.cell.TaskStateOptions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;

/** A random input and the settings that it runs under, all from one seed. */
final class JobProgram {
    static final long MIN = BoundedWindow.TIMESTAMP_MIN_VALUE.getMillis();
    static final long MAX = BoundedWindow.TIMESTAMP_MAX_VALUE.getMillis();

    sealed interface Item {
        int channel();
    }

    record Element(int channel, String key, long number, long timestampMillis) implements Item {}

    record Watermark(int channel, long millis) implements Item {}

    record Barrier(int channel, long checkpoint) implements Item {}

    /** An element as the task meets it: in order, and the watermark that had come before it. */
    record Arrival(Element element, long watermarkMillis, long checkpointsBefore) {}

    final long seed;
    final Variant variant;
    final int channels;
    final List<String> keys = new ArrayList<>();
    /** As they are sent. */
    final List<Item> items = new ArrayList<>();
    /** As the task meets them: what comes behind a barrier waits until all channels have brought theirs. */
    final List<Item> met = new ArrayList<>();

    final List<Arrival> arrivals = new ArrayList<>();
    /** At which checkpoints the job fails and is restored, and with how many tasks. */
    final Map<Long, Integer> restores = new HashMap<>();

    final SimulatedTask.Bounds bounds;
    final int residentPercent;
    final long maxLatencyNanos;
    final long maxGapNanos;
    final int chunk;
    final int refusePercent;

    JobProgram(long seed, Variant variant) {
        this.seed = seed;
        this.variant = variant;
        SplittableRandom random = new SplittableRandom(Mix.of(seed, variant.ordinal()));
        channels = random.nextInt(3) == 0 ? 1 + random.nextInt(3) : 1;
        for (int i = 1 + random.nextInt(6); i > 0; i--) {
            keys.add("k" + i);
        }
        residentPercent = new int[] {0, 50, 90}[random.nextInt(3)];
        // Close together, so that there is always something to do, or far apart.
        maxLatencyNanos = 2L << random.nextInt(22);
        // So that bundles stay open while keys go from chain to chain.
        boolean dense = random.nextInt(2) == 0;
        maxGapNanos = dense ? 2 : 2L << random.nextInt(21);
        chunk = 1 + random.nextInt(12);
        refusePercent = random.nextInt(5) == 0 ? 40 : 0;
        boolean handOver = random.nextInt(8) != 0;
        bounds = new SimulatedTask.Bounds(
                handOver ? 1 + random.nextInt(12) : 1,
                random.nextInt(6),
                2 + random.nextInt(6),
                handOver,
                random.nextInt(3) == 0,
                1 + random.nextInt(20),
                TimeUnit.MICROSECONDS.toNanos(1L << (dense ? 14 : random.nextInt(14))),
                new TaskStateOptions(
                        random.nextInt(3) == 0 ? 2000 : 0, random.nextInt(3) * 300L, 4 + random.nextInt(20)));
        generate(random);
        meet();
    }

    private void generate(RandomGenerator random) {
        long[] time = new long[channels];
        boolean[] blocked = new boolean[channels];
        long checkpoint = 0;
        int barriers = random.nextInt(3);
        long number = 0;
        for (int n = 10 + random.nextInt(30); n > 0; n--) {
            int channel = random.nextInt(channels);
            int kind = random.nextInt(24);
            if (kind < 16) {
                String key = keys.get(random.nextInt(keys.size()));
                items.add(new Element(channel, key, number++, time[channel] + random.nextInt(20)));
            } else if (kind < 22) {
                time[channel] += random.nextInt(14);
                items.add(new Watermark(channel, time[channel]));
            } else if (barriers > 0) {
                if (allOf(blocked, false)) {
                    checkpoint++;
                    barriers--;
                    if (random.nextInt(3) != 0) {
                        restores.put(checkpoint, 1 + random.nextInt(2));
                    }
                }
                barrier(channel, checkpoint, blocked);
            }
        }
        for (int channel = 0; channel < channels && !allOf(blocked, false); channel++) {
            barrier(channel, checkpoint, blocked);
        }
    }

    private void barrier(int channel, long checkpoint, boolean[] blocked) {
        if (blocked[channel]) {
            return;
        }
        items.add(new Barrier(channel, checkpoint));
        blocked[channel] = true;
        if (allOf(blocked, true)) {
            Arrays.fill(blocked, false);
        }
    }

    private static boolean allOf(boolean[] flags, boolean value) {
        for (boolean flag : flags) {
            if (flag != value) {
                return false;
            }
        }
        return true;
    }

    private void meet() {
        ArrayDeque<Item> coming = new ArrayDeque<>(items);
        boolean[] blocked = new boolean[channels];
        List<Item> aside = new ArrayList<>();
        long[] watermarks = new long[channels];
        Arrays.fill(watermarks, MIN);
        long checkpoints = 0;
        while (!coming.isEmpty()) {
            Item item = coming.remove();
            if (blocked[item.channel()]) {
                aside.add(item);
                continue;
            }
            met.add(item);
            if (item instanceof Barrier) {
                blocked[item.channel()] = true;
                if (allOf(blocked, true)) {
                    Arrays.fill(blocked, false);
                    checkpoints++;
                    for (int i = aside.size() - 1; i >= 0; i--) {
                        coming.addFirst(aside.get(i));
                    }
                    aside.clear();
                }
            } else if (item instanceof Watermark watermark) {
                watermarks[item.channel()] = watermark.millis();
            } else if (item instanceof Element element) {
                arrivals.add(
                        new Arrival(element, Arrays.stream(watermarks).min().orElseThrow(), checkpoints));
            }
        }
    }

    /** What is sent again after the job has been restored from a checkpoint; 0 for its start. */
    List<Item> from(long checkpoint) {
        if (checkpoint == 0) {
            return items;
        }
        int last = 0;
        long[] watermarks = new long[channels];
        Arrays.fill(watermarks, MIN);
        for (int i = 0; i < met.size(); i++) {
            if (met.get(i) instanceof Barrier barrier && barrier.checkpoint() == checkpoint) {
                last = i;
            }
        }
        List<Item> again = new ArrayList<>();
        for (Item item : met.subList(0, last)) {
            if (item instanceof Watermark watermark) {
                watermarks[item.channel()] = watermark.millis();
            }
        }
        for (int channel = 0; channel < channels; channel++) {
            if (watermarks[channel] > MIN) {
                again.add(new Watermark(channel, watermarks[channel]));
            }
        }
        again.addAll(met.subList(last + 1, met.size()));
        return again;
    }

    @Override
    public String toString() {
        return variant + ", " + channels + " channels, " + keys.size() + " keys, " + bounds + ", resident "
                + residentPercent + " %, restores " + restores;
    }
}
