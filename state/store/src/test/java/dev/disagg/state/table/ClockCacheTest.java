// SPDX-License-Identifier: Apache-2.0
package dev.disagg.state.table;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThanOrEqualTo;
import static org.hamcrest.Matchers.notNullValue;
import static org.hamcrest.Matchers.nullValue;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ClockCacheTest {
    private final ClockCache<Integer, Integer> cache = new ClockCache<>(10, (key, value) -> 1);

    @Test
    void whatWasJustPutStaysWhileOthersAreInUse() {
        for (int i = 0; i < 10; i++) {
            cache.put(i, i);
            use(i, 5);
        }

        cache.put(100, 100);
        cache.put(101, 101);

        assertThat(cache.peek(100), is(100));
        assertThat(cache.peek(101), is(101));
        assertThat(cache.weight(), is(10L));
    }

    @Test
    void scanLeavesWhatIsUsedAgainAndAgain() {
        cache.put(1, 1);
        cache.put(2, 2);
        for (int i = 1000; i < 2000; i++) {
            cache.put(i, i);
            use(1, 1);
        }

        assertThat(cache.peek(1), is(1));
        assertThat(cache.peek(2), nullValue());
    }

    @Test
    void entryKnowsWhetherItIsStillThere() {
        cache.put(1, 7);
        ClockCache.Entry<Integer, Integer> entry = Objects.requireNonNull(cache.find(1));
        assertThat(entry.use(), is(7));

        cache.put(1, 8);
        assertThat(entry.use(), nullValue());
        assertThat(cache.get(1), is(8));

        ClockCache.Entry<Integer, Integer> second = Objects.requireNonNull(cache.find(1));
        cache.clear();
        assertThat(second.use(), nullValue());
        assertThat(cache.weight(), is(0L));
    }

    @Test
    void whatIsHeavierThanTheBoundIsNotKeptAndEvictsNothing() {
        ClockCache<Integer, Integer> weighed = new ClockCache<>(10, (key, value) -> value);
        weighed.put(1, 6);
        weighed.put(2, 11);

        assertThat(weighed.get(2), nullValue());
        assertThat(weighed.get(1), is(6));

        weighed.put(1, 11);
        assertThat("what it replaces is gone", weighed.get(1), nullValue());
        assertThat(weighed.weight(), is(0L));
    }

    @Test
    void smallerBoundEvictsAtOnce() {
        for (int i = 0; i < 10; i++) {
            cache.put(i, i);
            use(i, 3);
        }

        cache.resize(4);

        assertThat(cache.weight(), is(4L));
        cache.resize(0);
        assertThat(cache.weight(), is(0L));
        cache.put(1, 1);
        assertThat(cache.get(1), nullValue());
    }

    @Test
    void weightIsThatOfTheEntriesAfterAnyHistory() {
        for (long seed = 0; seed < 200; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            ClockCache<Integer, Integer> weighed = new ClockCache<>(100, (key, value) -> value);
            long bound = 100;
            for (int step = 0; step < 500; step++) {
                int key = random.nextInt(40);
                switch (random.nextInt(10)) {
                    case 0 -> {
                        bound = random.nextInt(150);
                        weighed.resize(bound);
                    }
                    case 1, 2, 3, 4 -> weighed.put(key, random.nextInt(30));
                    default -> weighed.get(key);
                }
                Map<Integer, Integer> kept = new HashMap<>();
                for (int k = 0; k < 40; k++) {
                    Integer value = weighed.peek(k);
                    if (value != null) {
                        kept.put(k, value);
                    }
                }
                long sum = kept.values().stream().mapToLong(value -> value).sum();
                assertThat("seed " + seed + " step " + step, weighed.weight(), is(sum));
                assertThat("seed " + seed + " step " + step, sum, lessThanOrEqualTo(bound));
            }
        }
    }

    @Test
    void threadsFindWhatTheyPutOrNothing() throws InterruptedException {
        ClockCache<Integer, Integer> shared = new ClockCache<>(50, (key, value) -> 1);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        CountDownLatch wrong = new CountDownLatch(1);
        for (int thread = 0; thread < 4; thread++) {
            SplittableRandom random = new SplittableRandom(thread);
            threads.execute(() -> {
                for (int i = 0; i < 100_000; i++) {
                    int key = random.nextInt(200);
                    Integer found = shared.get(key);
                    if (found != null && found != key) {
                        wrong.countDown();
                    }
                    if (found == null) {
                        shared.put(key, key);
                    }
                }
            });
        }
        threads.shutdown();

        assertThat(threads.awaitTermination(1, TimeUnit.MINUTES), is(true));
        assertThat(wrong.getCount(), is(1L));
        assertThat(shared.weight(), is(50L));
    }

    private void use(int key, int times) {
        for (int i = 0; i < times; i++) {
            assertThat(cache.get(key), notNullValue());
        }
    }
}
