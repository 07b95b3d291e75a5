// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThanOrEqualTo;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.disagg.ufs.testkit.VirtualTime;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RetriesTest {
    private final VirtualTime time = VirtualTime.immediate();
    private final Retries retries =
            new Retries(time, new SplittableRandom(1), 5, Duration.ofMillis(100), Duration.ofMillis(300));

    @Test
    void unavailableIsTriedAgainUntilItSucceeds() {
        AtomicInteger calls = new AtomicInteger();
        int value = Await.get(
                retries.call(
                        "call",
                        () -> calls.incrementAndGet() < 4
                                ? CompletableFuture.failedFuture(new Unavailable("later"))
                                : CompletableFuture.completedFuture(7)),
                "call");
        assertThat(value, is(7));
        assertThat(calls.get(), is(4));
        assertThat(retries.repeated(), is(3L));
    }

    @Test
    void attemptsAreBoundedAndDelaysGrowToTheirBound() {
        AtomicInteger calls = new AtomicInteger();
        Unavailable error = assertThrows(
                Unavailable.class,
                () -> Await.get(
                        retries.call("the call", () -> {
                            calls.incrementAndGet();
                            return CompletableFuture.failedFuture(new Unavailable("busy"));
                        }),
                        "call"));
        assertThat(error.getMessage(), containsString("the call: gave up after 5 attempts: busy"));
        assertThat(calls.get(), is(5));
        // at most 100 + 200 + 300 + 300 ms, at least half of it
        assertThat(time.nanoTime(), lessThanOrEqualTo(Duration.ofMillis(900).toNanos()));
        assertThat(time.nanoTime(), greaterThanOrEqualTo(Duration.ofMillis(450).toNanos()));
    }

    @Test
    void everyOtherErrorIsFinal() {
        for (DisaggException kind :
                new DisaggException[] {new Invalid("x"), new Failed("x"), new Fenced("x"), new Corrupt("x")}) {
            AtomicInteger calls = new AtomicInteger();
            assertThrows(
                    kind.getClass(),
                    () -> Await.get(
                            retries.call("call", () -> {
                                calls.incrementAndGet();
                                return CompletableFuture.failedFuture(kind);
                            }),
                            "call"));
            assertThat(calls.get(), is(1));
        }
    }

    @Test
    void callThatThrowsFailsTheFuture() {
        assertThrows(
                Failed.class,
                () -> Await.get(
                        retries.call("call", () -> {
                            throw new IllegalStateException("bug");
                        }),
                        "call"));
    }
}
