// SPDX-License-Identifier: Apache-2.0
package dev.disagg.async.lessons;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;

import dev.disagg.async.RealOwner;
import dev.disagg.async.RealThreads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A leader that falls asleep is woken by whatever comes, without polling. */
@Timeout(60)
class Lesson07NoWakeUpIsLostTest {
    private final RealThreads threads = new RealThreads();

    @Test
    void noWakeUpIsLostBetweenThreeProducersAndALeaderThatFallsAsleep() throws Exception {
        RealOwner owner = new RealOwner(threads, options -> options);
        int rounds = 20_000;
        AtomicLong sum = new AtomicLong();
        owner.task.start();
        List<Thread> producers = new ArrayList<>();
        for (int p = 0; p < 3; p++) {
            Thread producer = new Thread(() -> {
                for (int i = 0; i < rounds; i++) {
                    CompletableFuture<Void> answered = new CompletableFuture<>();
                    if (i % 2 == 0) {
                        owner.task.execute(() -> {
                            sum.incrementAndGet();
                            answered.complete(null);
                        });
                    } else {
                        owner.input.add(() -> {
                            sum.incrementAndGet();
                            answered.complete(null);
                        });
                        owner.task.wake();
                    }
                    // One at a time, so that the leader sleeps between: a lost wake-up stops this for ever.
                    answered.join();
                }
            });
            producer.start();
            producers.add(producer);
        }
        for (Thread producer : producers) {
            producer.join(TimeUnit.SECONDS.toMillis(50));
            assertThat("a wake-up was lost", producer.isAlive(), equalTo(false));
        }
        owner.task.shutdown();
        owner.awaitEnd();
        assertThat(sum.get(), equalTo(3L * rounds));
        threads.joinAll();
    }
}
