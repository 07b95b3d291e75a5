// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.cell;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThanOrEqualTo;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the cache says it holds is what it holds, and it keeps its bound, whatever kind of state fills it. */
class CacheWeightTest {
    private static final long BOUND = 60_000;
    private static final int KEYS = 120;

    static IntStream seeds() {
        Integer replay = Integer.getInteger("seed");
        return replay == null ? IntStream.range(0, 12) : IntStream.of(replay);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void cacheKeepsItsBoundAndCountsRight(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Fixture fixture = new Fixture(new TaskStateOptions(BOUND, 8_000, 64));
        List<KeyEntry> pinned = new ArrayList<>();
        for (int step = 0; step < 600; step++) {
            String at = "step " + step + ", replay with -Dseed=" + seed;
            fixture.store.delayed = random.nextInt(3) == 0;
            for (int i = random.nextInt(30); i > 0; i--) {
                act(fixture, random);
            }
            if (random.nextInt(8) == 0) {
                KeyEntry entry = fixture.key("key-" + random.nextInt(KEYS));
                entry.pin();
                pinned.add(entry);
            }
            if (random.nextInt(4) == 0 && !pinned.isEmpty()) {
                pinned.remove(random.nextInt(pinned.size())).unpin();
            }
            assertThat(at, fixture.state.metrics().cachedBytes(), is(fixture.state.weigh(false)));
            if (random.nextInt(6) == 0) {
                fixture.state.freeze(step, new byte[0]);
                assertThat(at, fixture.state.metrics().dirtyBytes(), is(0L));
            }
            fixture.store.complete(random.nextBoolean());
            // One round takes the marks of use away, holds and sweeps that need their rows are done meanwhile.
            for (int i = 0; i < 12; i++) {
                fixture.store.complete(false);
                fixture.state.maintain();
            }
            assertThat(at, fixture.state.metrics().cachedBytes(), is(fixture.state.weigh(false)));
            assertThat(at, fixture.state.metrics().cachedBytes(), lessThanOrEqualTo(BOUND + fixture.state.weigh(true)));
            assertThat(at, fixture.state.metrics().dirtyBytes(), lessThanOrEqualTo(8_000L));
        }
    }

    private static void act(Fixture fixture, SplittableRandom random) {
        String key = "key-" + random.nextInt(KEYS);
        String text = "x".repeat(random.nextInt(200));
        Row row = fixture.row(key);
        switch (random.nextInt(14)) {
            case 0 -> row.fetch();
            case 1 -> fixture.value(key).write(text);
            case 2 -> fixture.bag(key).add(text);
            case 3 -> fixture.bag(key).clear();
            case 4 -> fixture.sum(key).add(1L);
            case 5 -> fixture.map(key).put(Fixture.bytes("sub-" + random.nextInt(9)), Fixture.bytes(text));
            case 6 -> fixture.map(key).delete(Fixture.bytes("sub-" + random.nextInt(9)));
            case 7 -> fixture.map(key).clear();
            case 8 -> fixture.hold(key).write(random.nextInt(100));
            case 9 -> fixture.value(key).clear();
            case 10 ->
                row.accumulator(fixture.cell("all"), TestCodecs.LIST, TestCodecs::concat, ArrayList::new)
                        .add(new ArrayList<>(List.of(random.nextInt())));
            case 11 ->
                fixture.timers(key)
                        .set(new Timer(
                                new byte[] {(byte) random.nextInt(20)},
                                TimerDomain.EVENT,
                                random.nextInt(100),
                                50,
                                new byte[random.nextInt(30)]));
            case 12 -> fixture.timers(key).clear(TimerDomain.EVENT, new byte[] {(byte) random.nextInt(20)});
            default -> {
                BagCell<String> bag = fixture.bag(key);
                if (bag.resident()) {
                    bag.read();
                }
                AccumulatorCell<Long> sum = fixture.sum(key);
                if (sum.resident()) {
                    sum.read();
                }
                ValueCell<String> value = fixture.value(key);
                if (value.resident()) {
                    value.read();
                }
            }
        }
    }
}
