// SPDX-License-Identifier: Apache-2.0
package dev.disagg.runner.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.apache.beam.sdk.state.BagState;
import org.apache.beam.sdk.state.CombiningState;
import org.apache.beam.sdk.state.MapState;
import org.apache.beam.sdk.state.MultimapState;
import org.apache.beam.sdk.state.OrderedListState;
import org.apache.beam.sdk.state.ReadableState;
import org.apache.beam.sdk.state.SetState;
import org.apache.beam.sdk.state.Timer;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.values.TimestampedValue;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What an element or a firing does with states and timers: drawn from the seed, from what it is and from what it reads, so
 * that one stale read changes everything after it. The same script runs in the DoFn and in the model.
 */
final class Script {
    private static final int SUBS = 4;
    private static final int MOMENTS = 8;
    private static final String[] FAMILY = {"x", "y", "z"};

    private final RandomGenerator random;
    private final States states;
    private final @Nullable Timers timers;
    private final Entry entry;
    private final long lastMoment;
    private long seen;
    /** Instead of reading the value again; null for none. */
    private @Nullable Long kept;

    private boolean hasKept;

    /**
     * @param timers null when none may be set
     * @param expiryMillis of the window: no timer may be set later
     */
    Script(long seed, String key, Entry entry, States states, @Nullable Timers timers, long expiryMillis) {
        this.random = new SplittableRandom(Mix.of(seed, key.hashCode(), entry.identity()));
        this.states = states;
        this.timers = timers;
        this.entry = entry;
        this.lastMoment = expiryMillis;
    }

    /** The DoFn has kept what the value is. */
    void keptValue(@Nullable Long value) {
        kept = value;
        hasKept = true;
    }

    /** What {@link #run} leaves in the value, if it knows. */
    @Nullable
    Long value() {
        return kept;
    }

    boolean knowsValue() {
        return hasKept;
    }

    /** Does it; returns a digest of all that was seen. */
    long run() {
        List<Runnable> choices = new ArrayList<>();
        if (states.value() != null) {
            ValueState<Long> value = states.value();
            choices.add(() -> value(value));
            choices.add(() -> value(value));
        }
        if (states.list() != null) {
            ValueState<List<Long>> list = states.list();
            choices.add(() -> list(list));
        }
        if (states.bag() != null) {
            BagState<Long> bag = states.bag();
            choices.add(() -> bag(bag));
        }
        if (states.sum() != null) {
            CombiningState<Long, long[], Long> sum = states.sum();
            choices.add(() -> sum(sum));
        }
        if (states.map() != null) {
            MapState<Integer, Long> map = states.map();
            choices.add(() -> map(map));
        }
        if (states.set() != null) {
            SetState<Integer> set = states.set();
            choices.add(() -> set(set));
        }
        if (states.multimap() != null) {
            MultimapState<Integer, Long> multimap = states.multimap();
            choices.add(() -> multimap(multimap));
        }
        if (states.ordered() != null) {
            OrderedListState<Long> ordered = states.ordered();
            choices.add(() -> ordered(ordered));
        }
        if (timers != null) {
            choices.add(() -> timer(timers));
            choices.add(() -> timer(timers));
        }
        for (int ops = 1 + random.nextInt(4); ops > 0; ops--) {
            choices.get(random.nextInt(choices.size())).run();
        }
        return Mix.of(seen, entry.identity());
    }

    private void see(@Nullable Long what) {
        long value = what == null ? -1 : what;
        seen = Mix.of(seen, value, 7);
        entry.seen().add(value);
    }

    private void see(@Nullable Boolean what) {
        see(what == null ? null : what ? 1L : 0L);
    }

    private void seeAll(Iterable<?> all) {
        long digest = 0;
        for (Object each : all) {
            long one = each instanceof Long number
                    ? number
                    : each instanceof Map.Entry<?, ?> pair
                            ? Mix.of(((Number) pair.getKey()).longValue(), ((Number) pair.getValue()).longValue())
                            : each instanceof TimestampedValue<?> at
                                    ? Mix.of(at.getTimestamp().getMillis(), (Long) at.getValue())
                                    : ((Number) each).longValue();
            digest += Mix.of(one, 3);
        }
        see(digest);
    }

    private long fresh() {
        return Mix.of(seen, random.nextInt(), 5);
    }

    private void value(ValueState<Long> value) {
        switch (random.nextInt(8)) {
            case 0, 1 -> readValue(value);
            case 2 -> writeValue(value, fresh());
            case 3, 4 -> {
                readValue(value);
                writeValue(value, fresh());
            }
            case 5 -> {
                value.clear();
                keptValue(null);
            }
            case 6 -> value.readLater();
            default -> {
                value.readLater();
                writeValue(value, fresh());
                see(value.read());
            }
        }
    }

    private void readValue(ValueState<Long> value) {
        keptValue(hasKept ? kept : value.read());
        see(kept);
    }

    private void writeValue(ValueState<Long> value, long what) {
        value.write(what);
        keptValue(what);
    }

    private void list(ValueState<List<Long>> state) {
        switch (random.nextInt(7)) {
            case 0 -> seeList(state.read());
            case 1 -> {
                List<Long> read = state.read();
                seeList(read);
                if (read != null) {
                    // Not written back: must not show.
                    read.add(fresh());
                    seeList(state.read());
                }
            }
            case 2 -> {
                List<Long> read = state.read();
                List<Long> changed = read == null ? new ArrayList<>() : read;
                changed.add(fresh());
                state.write(changed);
                // After the write: must not show either.
                changed.add(fresh());
            }
            case 3 -> state.write(new ArrayList<>(List.of(fresh(), fresh())));
            case 4 -> state.clear();
            case 5 -> state.readLater();
            default -> {
                state.readLater();
                state.write(new ArrayList<>(List.of(fresh())));
            }
        }
    }

    private void seeList(@Nullable List<Long> list) {
        see(list == null ? null : (Long) (long) list.hashCode());
    }

    private void bag(BagState<Long> bag) {
        switch (random.nextInt(10)) {
            case 0, 1 -> seeAll(bag.read());
            case 2, 3 -> bag.add(fresh());
            case 4 -> see(bag.isEmpty().read());
            case 5 -> bag.clear();
            case 6 -> {
                bag.clear();
                bag.add(fresh());
            }
            case 7 -> {
                Iterable<Long> before = bag.read();
                bag.add(fresh());
                seeAll(before);
            }
            case 8 -> bag.readLater();
            default -> {
                bag.readLater();
                bag.add(fresh());
                seeAll(bag.read());
            }
        }
    }

    private void sum(CombiningState<Long, long[], Long> sum) {
        switch (random.nextInt(9)) {
            case 0, 1 -> see(sum.read());
            case 2, 3 -> sum.add(fresh());
            case 4 -> see(sum.isEmpty().read());
            case 5 -> sum.clear();
            case 6 -> {
                sum.clear();
                sum.add(fresh());
            }
            case 7 -> sum.addAccum(new long[] {fresh()});
            default -> {
                sum.readLater();
                sum.add(fresh());
                see(sum.read());
            }
        }
    }

    private void map(MapState<Integer, Long> map) {
        int sub = random.nextInt(SUBS);
        switch (random.nextInt(12)) {
            case 0, 1 -> see(map.get(sub).read());
            case 2, 3 -> map.put(sub, fresh());
            case 4 -> map.remove(sub);
            case 5 -> {
                long computed = fresh();
                map.computeIfAbsent(sub, absent -> computed);
            }
            case 6 -> {
                long computed = fresh();
                see(map.computeIfAbsent(sub, absent -> computed).read());
            }
            case 7 -> {
                ReadableState<Long> one = map.get(sub).readLater();
                map.put((sub + 1) % SUBS, fresh());
                see(one.read());
            }
            case 8 -> seeAll(map.keys().read());
            case 9 -> seeAll(map.entries().read());
            case 10 -> see(map.isEmpty().read());
            default -> {
                map.clear();
                if (random.nextBoolean()) {
                    map.put(sub, fresh());
                }
            }
        }
    }

    private void set(SetState<Integer> set) {
        int sub = random.nextInt(SUBS);
        switch (random.nextInt(9)) {
            case 0, 1 -> set.add(sub);
            case 2 -> set.addIfAbsent(sub);
            case 3 -> see(set.addIfAbsent(sub).read());
            case 4 -> set.remove(sub);
            case 5 -> see(set.contains(sub).read());
            case 6 -> seeAll(set.read());
            case 7 -> see(set.isEmpty().read());
            default -> {
                set.clear();
                if (random.nextBoolean()) {
                    set.add(sub);
                }
            }
        }
    }

    private void multimap(MultimapState<Integer, Long> multimap) {
        int sub = random.nextInt(SUBS);
        switch (random.nextInt(9)) {
            case 0, 1 -> multimap.put(sub, fresh());
            case 2 -> seeAll(multimap.get(sub).read());
            case 3 -> multimap.remove(sub);
            case 4 -> see(multimap.containsKey(sub).read());
            case 5 -> seeAll(multimap.keys().read());
            case 6 -> seeAll(multimap.entries().read());
            case 7 -> see(multimap.isEmpty().read());
            default -> {
                multimap.clear();
                if (random.nextBoolean()) {
                    multimap.put(sub, fresh());
                }
            }
        }
    }

    private void ordered(OrderedListState<Long> ordered) {
        Instant from = new Instant(random.nextInt(MOMENTS));
        Instant to = from.plus(Duration.millis(1 + random.nextInt(MOMENTS)));
        switch (random.nextInt(8)) {
            case 0, 1, 2 -> ordered.add(TimestampedValue.of(fresh(), from));
            case 3 -> seeAll(ordered.read());
            case 4 -> seeAll(ordered.readRange(from, to));
            case 5 -> ordered.clearRange(from, to);
            case 6 -> see(ordered.isEmpty().read());
            default -> {
                ordered.clear();
                ordered.add(TimestampedValue.of(fresh(), from));
            }
        }
    }

    private void timer(Timers all) {
        boolean silent = entry.timer().equals(Timers.SILENT);
        long own = silent ? entry.number() : entry.timestampMillis();
        long target = Math.min(lastMoment, own - 4 + Math.floorMod(fresh(), 18));
        long output = Math.min(lastMoment, own + random.nextInt((int) Math.max(1, Math.min(20, target - own + 1))));
        Timer family = all.family().get(FAMILY[random.nextInt(FAMILY.length)]);
        // A firing that has no timestamp can set only timers that have none.
        int choice = random.nextInt(silent ? 5 : 13);
        switch (choice) {
            case 0 -> all.b().withNoOutputTimestamp().set(new Instant(target));
            case 1 -> all.b().clear();
            case 2 -> all.a().clear();
            case 3 -> family.clear();
            case 4 -> {
                if (all.p() != null) {
                    all.p().clear();
                }
            }
            case 5, 6, 7 -> all.a().withOutputTimestamp(new Instant(output)).set(new Instant(target));
            case 8, 9 -> family.withOutputTimestamp(new Instant(output)).set(new Instant(target));
            case 10 -> relative(all, output);
            default -> {
                if (all.p() != null) {
                    all.p()
                            .withOutputTimestamp(new Instant(own))
                            .set(new Instant(entry.nowMillis() + Math.floorMod(fresh(), 6)));
                }
            }
        }
    }

    /** Which watermark a firing sees depends on how far its task is; what an element sees is that of its epoch. */
    private void relative(Timers all, long output) {
        if (entry.kind() == Entry.Kind.ELEMENT) {
            all.a()
                    .offset(Duration.millis(Math.floorMod(fresh(), 9)))
                    .withOutputTimestamp(new Instant(output))
                    .setRelative();
        }
    }
}
