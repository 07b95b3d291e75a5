// SPDX-License-Identifier: Apache-2.0
package dev.disagg.ufs;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Repeats a call while it is {@link Unavailable}, a bounded number of times, with a jittered delay that doubles. Every
 * other kind of error is final at once. Parks no thread. Thread-safe.
 */
public final class Retries {
    private static final int STANDARD_ATTEMPTS = 8;
    private static final Duration STANDARD_FIRST = Duration.ofMillis(20);
    private static final Duration STANDARD_LONGEST = Duration.ofSeconds(5);
    private static final int MAX_DOUBLINGS = 30;

    private final @Nullable Scheduler scheduler;
    private final RandomGenerator random;
    private final int attempts;
    private final long firstNanos;
    private final long longestNanos;
    private final LongAdder repeated = new LongAdder();

    /**
     * @param attempts how often a call is made at most, at least 1
     * @param first the longest delay before the second attempt; it doubles with each further one
     * @param longest no delay is longer
     */
    public Retries(Scheduler scheduler, RandomGenerator random, int attempts, Duration first, Duration longest) {
        this(scheduler, random, attempts, first.toNanos(), longest.toNanos());
    }

    private Retries(
            @Nullable Scheduler scheduler, RandomGenerator random, int attempts, long firstNanos, long longestNanos) {
        if (attempts < 1 || firstNanos < 0 || longestNanos < firstNanos) {
            throw new Invalid("retries: attempts " + attempts + " (at least 1), delays " + firstNanos + " to "
                    + longestNanos + " ns (not negative, in order)");
        }
        this.scheduler = scheduler;
        this.random = random;
        this.attempts = attempts;
        this.firstNanos = firstNanos;
        this.longestNanos = longestNanos;
    }

    /** Eight attempts within about ten seconds. */
    public static Retries standard(Scheduler scheduler, RandomGenerator random) {
        return new Retries(scheduler, random, STANDARD_ATTEMPTS, STANDARD_FIRST, STANDARD_LONGEST);
    }

    /** One attempt: every error is final. */
    public static Retries none() {
        return new Retries(null, () -> 0L, 1, 0, 0);
    }

    /** How many calls were repeated so far. */
    public long repeated() {
        return repeated.sum();
    }

    /**
     * Calls until it succeeds, fails for good, or the attempts are used up.
     *
     * @param what the call, for the message
     */
    public <T extends @Nullable Object> CompletableFuture<T> call(String what, Supplier<CompletableFuture<T>> attempt) {
        CompletableFuture<T> result = new CompletableFuture<>();
        attempt(what, attempt, 1, result);
        return result;
    }

    private <T extends @Nullable Object> void attempt(
            String what, Supplier<CompletableFuture<T>> attempt, int number, CompletableFuture<T> result) {
        CompletableFuture<T> call;
        try {
            call = attempt.get();
        } catch (RuntimeException e) {
            call = CompletableFuture.failedFuture(e);
        }
        call.whenComplete((value, error) -> {
            if (error == null) {
                result.complete(value);
                return;
            }
            DisaggException kind = Await.kind(error);
            if (!(kind instanceof Unavailable) || scheduler == null) {
                result.completeExceptionally(kind);
            } else if (number == attempts) {
                result.completeExceptionally(new Unavailable(
                        what + ": gave up after " + attempts + " attempts: " + kind.getMessage(), kind));
            } else {
                repeated.increment();
                again(scheduler, what, attempt, number, result);
            }
        });
    }

    private <T extends @Nullable Object> void again(
            Scheduler timer,
            String what,
            Supplier<CompletableFuture<T>> attempt,
            int number,
            CompletableFuture<T> result) {
        try {
            timer.schedule(delayNanos(number), () -> attempt(what, attempt, number + 1, result));
        } catch (RuntimeException e) {
            result.completeExceptionally(new Failed(what + ": no retry is possible, the scheduler refused it", e));
        }
    }

    private long delayNanos(int failures) {
        int doublings = Math.min(failures - 1, MAX_DOUBLINGS);
        long ceiling = firstNanos > longestNanos >> doublings ? longestNanos : firstNanos << doublings;
        synchronized (random) {
            return ceiling / 2 + Math.floorMod(random.nextLong(), ceiling / 2 + 1);
        }
    }
}
